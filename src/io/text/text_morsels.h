// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/type_fwd.h>

#include "column/batch_stream.h"
#include "io/text/text_cutter.h"
#include "io/text/text_reading.h"

namespace keepone {

// Each gives the rows of some records of file number `file`, in their order.

// The records that begin in [begin, end) of a plain file whose lines are records.
std::unique_ptr<Morsel> MakeBlockMorsel(std::shared_ptr<const TextReading> reading, size_t file,
                                        OpenFile open, int64_t begin, int64_t end);

// Records that were cut already.
std::unique_ptr<Morsel> MakeRecordsMorsel(std::shared_ptr<const TextReading> reading, size_t file,
                                          std::unique_ptr<CutRecords> records);
std::unique_ptr<Morsel> MakeTextMorsel(std::shared_ptr<const TextReading> reading, size_t file,
                                       std::unique_ptr<CutText> text);

// The records of a plain file at the addresses [begin, end), near ones read at once.
std::unique_ptr<Morsel> MakeFetchMorsel(std::shared_ptr<const TextReading> reading, size_t file,
                                        OpenFile open, std::shared_ptr<arrow::Int64Array> addresses,
                                        int64_t begin, int64_t end);

}  // namespace keepone
