// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <arrow/result.h>
#include <parquet/types.h>

namespace keepone {

// What stands before the body of a page, as far as reading it needs.
struct PageHeader {
  enum class Kind { kData, kDataV2, kDictionary, kOther };

  Kind kind = Kind::kOther;
  int32_t compressed_bytes = 0;    // of the body, levels of a V2 page included
  int32_t uncompressed_bytes = 0;  // the same
  int32_t value_count = 0;         // with NULLs; of a dictionary its entries
  parquet::Encoding::type encoding = parquet::Encoding::UNKNOWN;
  // V1 only.
  parquet::Encoding::type definition_encoding = parquet::Encoding::RLE;
  parquet::Encoding::type repetition_encoding = parquet::Encoding::RLE;
  // V2 only. Its levels come first in the body and are never compressed.
  int32_t null_count = 0;
  int32_t row_count = 0;
  int32_t definition_bytes = 0;
  int32_t repetition_bytes = 0;
  bool is_compressed = true;
};

// Reads the header (Thrift, compact protocol) that `data` begins with and returns its length in
// bytes, or 0 when `data` ends before the header does. A malformed or impossible header is an
// error.
arrow::Result<int64_t> ParsePageHeader(std::span<const uint8_t> data, PageHeader* header);

}  // namespace keepone
