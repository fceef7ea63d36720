// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <arrow/result.h>

namespace keepone {

// Reads "1000", "64KB", "1.5 GiB", "2g": powers of 1024 for KiB, MiB, GiB, TiB and for the bare
// letters k, m, g, t; powers of 1000 for KB, MB, GB, TB. Case and spaces do not matter.
// A bind error without a place quotes what is no size, is negative or does not fit.
arrow::Result<int64_t> ParseByteSize(std::string_view text);

// "512 B", "1.5 KiB", "64.0 MiB", "2.3 GiB".
std::string FormatByteSize(int64_t bytes);

}  // namespace keepone
