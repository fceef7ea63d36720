// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/status.h>

namespace keepone {

// What the program ends with.
inline constexpr int kExitSuccess = 0;
inline constexpr int kExitInternal = 1;   // a bug in keepone
inline constexpr int kExitUsage = 2;      // the command line
inline constexpr int kExitStatement = 3;  // syntax, names, types, what is not supported
inline constexpr int kExitData = 4;       // a file or its data
inline constexpr int kExitResource = 5;   // memory or disk
inline constexpr int kExitInterrupted = 130;

int ExitCodeOf(const arrow::Status& status);

}  // namespace keepone
