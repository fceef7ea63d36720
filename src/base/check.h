// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>

#include "base/error.h"

// Returns an internal error from the function when `condition` is false, in every build.
#define KEEPONE_CHECK(condition, ...)                                               \
  do {                                                                              \
    if (!(condition)) [[unlikely]] {                                                \
      return ::keepone::InternalError(__FILE__, ":", __LINE__, ": ",                \
                                      #condition __VA_OPT__(, ": ", ) __VA_ARGS__); \
    }                                                                               \
  } while (false)

// Stops the program in Debug builds only; costs nothing in others.
#define KEEPONE_DCHECK(condition) assert(condition)
