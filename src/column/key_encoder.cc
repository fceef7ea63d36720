// SPDX-License-Identifier: Apache-2.0
#include "column/key_encoder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <arrow/array.h>
#include <arrow/type.h>

#include "base/check.h"
#include "column/value_encoder.h"

namespace keepone {

KeyEncoder::KeyEncoder(std::vector<KeyField> fields) : fields_(std::move(fields)) {}
KeyEncoder::~KeyEncoder() = default;

arrow::Result<std::unique_ptr<KeyEncoder>> KeyEncoder::Make(std::vector<KeyField> fields) {
  auto encoder = std::unique_ptr<KeyEncoder>(new KeyEncoder(std::move(fields)));
  for (const KeyField& field : encoder->fields_) {
    ARROW_ASSIGN_OR_RAISE(auto column, MakeValueEncoder(*field.type));
    if (column->fixed_width() < 0 || encoder->fixed_width_ < 0) {
      encoder->fixed_width_ = -1;
    } else {
      encoder->fixed_width_ += 1 + column->fixed_width();
    }
    encoder->columns_.push_back(std::move(column));
  }
  if (!encoder->fields_.empty() && !encoder->fields_.back().descending) {
    encoder->columns_.back()->OmitEnd();
  }
  return encoder;
}

arrow::Status KeyEncoder::Bind(const arrow::ArrayVector& columns) {
  KEEPONE_CHECK(columns.size() == columns_.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    KEEPONE_CHECK(columns[i]->type()->Equals(*fields_[i].type), "key of type ",
                  fields_[i].type->ToString(), " got ", columns[i]->type()->ToString());
    KEEPONE_CHECK(columns[i]->length() == columns[0]->length());
    columns_[i]->Bind(*columns[i]->data());
  }
  bound_ = columns;
  return arrow::Status::OK();
}

arrow::Status KeyEncoder::Encode(const arrow::ArrayVector& columns, EncodedKeys* out) {
  ARROW_RETURN_NOT_OK(Bind(columns));
  const int64_t rows = columns.empty() ? 0 : columns[0]->length();
  return EncodeRows(0, rows, std::numeric_limits<int64_t>::max(), out);
}

arrow::Status KeyEncoder::EncodeRows(int64_t offset, int64_t rows, int64_t bytes_max,
                                     EncodedKeys* out) {
  out->fixed_width_ = fixed_width_;
  int64_t bytes = 0;
  if (fixed_width_ >= 0) {
    if (fixed_width_ > 0 && rows > 0) {
      rows = std::clamp<int64_t>(bytes_max / fixed_width_, 1, rows);
    }
    bytes = rows * fixed_width_;
  } else {
    out->offsets_.assign(static_cast<size_t>(rows) + 1, 0);
    for (const auto& column : columns_) {
      column->AddSizes(offset, rows, out->offsets_.data() + 1);
    }
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t size = out->offsets_[static_cast<size_t>(i) + 1];
      if (size > bytes_max - bytes && i > 0) {
        rows = i;
        break;
      }
      bytes += size;
      out->offsets_[static_cast<size_t>(i) + 1] = bytes;
    }
  }
  out->size_ = rows;
  if (out->buffer_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(out->buffer_, arrow::AllocateResizableBuffer(bytes, out->pool_));
  } else {
    // A rare long key must not be held for the rest of the query.
    const bool shrink =
        out->buffer_->capacity() > (4 << 20) && bytes < out->buffer_->capacity() / 4;
    ARROW_RETURN_NOT_OK(out->buffer_->Resize(bytes, shrink));
  }
  out->bytes_ = out->buffer_->mutable_data();
  out->cursors_.resize(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    out->cursors_[static_cast<size_t>(i)] =
        out->bytes_ +
        (fixed_width_ >= 0 ? i * fixed_width_ : out->offsets_[static_cast<size_t>(i)]);
  }
  for (size_t c = 0; c < columns_.size(); ++c) {
    columns_[c]->WriteColumn(offset, rows,
                             fields_[c].nulls_first ? kNullFirstMarker : kNullLastMarker,
                             fields_[c].descending, out->cursors_.data());
  }
  return arrow::Status::OK();
}

}  // namespace keepone
