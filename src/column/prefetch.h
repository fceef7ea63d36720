// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace keepone {

// Asks for the memory at an address that will be read soon.
inline void Prefetch(const void* address) {
  // Without it g++ takes functions that do nothing but prefetch for pure ones and drops their
  // calls.
  asm volatile("" : : "r"(address));
  __builtin_prefetch(address);
}

}  // namespace keepone
