// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include <arrow/type_fwd.h>

namespace keepone {

// How a session begins. The settings are those of SET, by name with their values as text:
// {"threads", "4"}, {"memory_limit", "512MiB"}, {"default_null_order", "nulls_max"}; SHOW ALL lists
// them, docs/sql.md explains them.
struct SessionOptions {
  std::map<std::string, std::string> settings;
  // Where buffers come from; must outlive the session and its results. Nullptr: Arrow's default
  // pool.
  arrow::MemoryPool* memory_pool = nullptr;
};

}  // namespace keepone
