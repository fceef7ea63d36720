// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <arrow/buffer_builder.h>
#include <arrow/result.h>
#include <parquet/schema.h>
#include <parquet/types.h>

#include "io/parquet/page_body.h"
#include "io/parquet/page_scratch.h"

namespace keepone {

class ChunkDictionary;

// The bytes of a PLAIN value; 0 for booleans and for types whose values differ in length.
int64_t PlainWidth(const parquet::ColumnDescriptor& column);

// The values of one data page, levels not included.
struct EncodedValues {
  parquet::Encoding::type encoding = parquet::Encoding::UNKNOWN;
  PageBody* body = nullptr;
  int64_t offset = 0;  // where they begin in the body
  int64_t count = 0;   // without NULLs, or an upper bound of that: with them
  // Looks up dictionary indices; nullptr: they stay indices.
  const ChunkDictionary* dictionary = nullptr;
};

// Appends the values that `runs` takes to `out` and returns their encoding there: dictionary
// indices without a dictionary stay indices (RLE_DICTIONARY), all others become PLAIN. The body is
// decompressed up to the last value that is taken where the encoding allows.
//
//   runs    skip 2, take 3, skip 1, take 1
//   values  a b c d e f g h   ->   c d e g
//
// REQUIRES: some value is taken. Values that are too few, or reach outside of the body, are an
// error. parquet::ParquetException may come from Arrow's decoders.
arrow::Result<parquet::Encoding::type> SelectValues(const parquet::ColumnDescriptor& column,
                                                    const EncodedValues& values,
                                                    std::span<const ValueRun> runs,
                                                    PageScratch* scratch,
                                                    arrow::BufferBuilder* out);

}  // namespace keepone
