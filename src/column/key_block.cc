// SPDX-License-Identifier: Apache-2.0
#include "column/key_block.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <arrow/array.h>
#include <arrow/type.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/check.h"

namespace keepone {

namespace {

// Wider keys are held out of line, by a pointer.
constexpr int64_t kInlineWidthMax = 32;
// What the encoded keys of one block may take, so that long keys do not multiply.
constexpr int64_t kBlockBytesMax = 1 << 20;

}  // namespace

uint64_t HashBytes(const uint8_t* data, int64_t length) {
  return XXH3_64bits(data, static_cast<size_t>(length));
}

void HashBlock(KeyForm form, int32_t width, int64_t rows, KeyBlock* block) {
  const auto count = static_cast<size_t>(rows);
  switch (form) {
    case KeyForm::kNone:
      break;
    case KeyForm::kUInt64:
      for (size_t i = 0; i < count; ++i) {
        block->hashes[i] = HashUInt64(block->values[i]);
      }
      if (block->has_nulls) {
        for (size_t i = 0; i < count; ++i) {
          block->hashes[i] = block->nulls[i] != 0 ? kNullHash : block->hashes[i];
        }
      }
      break;
    case KeyForm::kFixed:
      for (size_t i = 0; i < count; ++i) {
        block->hashes[i] = HashBytes(block->data[i], width);
      }
      break;
    case KeyForm::kBytes:
      for (size_t i = 0; i < count; ++i) {
        block->hashes[i] = HashBytes(block->data[i], block->lengths[i]);
      }
      break;
  }
}

arrow::Result<std::unique_ptr<KeyReader>> KeyReader::Make(std::vector<KeyField> fields,
                                                          arrow::MemoryPool* pool) {
  auto reader = std::unique_ptr<KeyReader>(new KeyReader(pool));
  if (fields.size() == 1 && IsUInt64Key(*fields[0].type)) {
    reader->form_ = KeyForm::kUInt64;
  } else if (!fields.empty()) {
    ARROW_ASSIGN_OR_RAISE(reader->encoder_, KeyEncoder::Make(fields));
    const int64_t width = reader->encoder_->fixed_width();
    reader->form_ = width >= 0 && width <= kInlineWidthMax ? KeyForm::kFixed : KeyForm::kBytes;
    reader->width_ = reader->form_ == KeyForm::kFixed ? static_cast<int32_t>(width) : 0;
  }
  reader->fields_ = std::move(fields);
  return reader;
}

arrow::Status KeyReader::Bind(const arrow::ArrayVector& columns) {
  if (encoder_ != nullptr) {
    return encoder_->Bind(columns);
  }
  KEEPONE_CHECK(columns.size() == fields_.size());
  if (form_ == KeyForm::kUInt64) {
    KEEPONE_CHECK(columns[0]->type()->Equals(*fields_[0].type));
    column_ = columns[0];
  }
  return arrow::Status::OK();
}

arrow::Result<int64_t> KeyReader::Read(int64_t offset, int64_t rows, KeyBlock* block) {
  rows = std::min(rows, kBlockRows);
  if (form_ == KeyForm::kNone) {
    return rows;
  }
  if (form_ == KeyForm::kUInt64) {
    block->has_nulls = EncodeUInt64(*column_->data(), fields_[0].descending, offset, rows,
                                    block->values.data(), block->nulls.data());
    return rows;
  }
  ARROW_RETURN_NOT_OK(encoder_->EncodeRows(offset, rows, kBlockBytesMax, &keys_));
  for (int64_t i = 0; i < keys_.size(); ++i) {
    const int64_t length = keys_.length(i);
    if (length > std::numeric_limits<int32_t>::max()) [[unlikely]] {
      return ResourceError("a key of ", length, " bytes is longer than the limit of 2 GiB");
    }
    block->data[static_cast<size_t>(i)] = keys_.data(i);
    block->lengths[static_cast<size_t>(i)] = static_cast<uint32_t>(length);
  }
  return keys_.size();
}

}  // namespace keepone
