// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/chunked_array.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "column/gather.h"
#include "column/key_encoder.h"
#include "function/accumulators.h"
#include "function/arrow_call.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using ChunkedResult = arrow::Result<std::shared_ptr<arrow::ChunkedArray>>;

// Values of at most 8 bytes: an integer in the order of the values and the value's own bits.
class NarrowExtreme final : public GroupAccumulator {
 public:
  NarrowExtreme(QueryContext* context, ExtremeForm form, TypePtr type)
      : context_(context),
        form_(form),
        type_(std::move(type)),
        width_(type_->id() == arrow::Type::BOOL ? 0 : static_cast<size_t>(type_->byte_width())) {}

  arrow::Status Resize(int64_t group_count) override {
    groups_.resize(static_cast<size_t>(group_count));
    return arrow::Status::OK();
  }

  arrow::Status Update(const arrow::ArrayVector& arguments,
                       std::span<const uint32_t> group_ids) override {
    const arrow::ArrayData& data = *arguments[0]->data();
    keys_.resize(group_ids.size());
    nulls_.resize(group_ids.size());
    EncodeUInt64(data, false, 0, data.length, keys_.data(), nulls_.data());
    for (size_t row = 0; row < group_ids.size(); ++row) {
      if (nulls_[row] == 0) {
        Offer({keys_[row], BitsOf(data, row), true}, &groups_[group_ids[row]]);
      }
    }
    return arrow::Status::OK();
  }

  arrow::DataTypeVector state_types() const override { return {type_}; }

  arrow::Result<arrow::ArrayVector> ExportState(std::span<const uint32_t> groups) const override {
    ARROW_ASSIGN_OR_RAISE(ArrayPtr values, Values(groups.size(), [&](size_t row) -> const Group& {
                            return groups_[groups[row]];
                          }));
    return arrow::ArrayVector{std::move(values)};
  }

  arrow::Status MergeState(const arrow::ArrayVector& state,
                           std::span<const uint32_t> group_ids) override {
    return Update(state, group_ids);
  }

  ChunkedResult Finish() override {
    ARROW_ASSIGN_OR_RAISE(
        ArrayPtr values,
        Values(groups_.size(), [this](size_t row) -> const Group& { return groups_[row]; }));
    groups_ = decltype(groups_)();
    return std::make_shared<arrow::ChunkedArray>(std::move(values));
  }

  int64_t bytes_used() const override {
    return static_cast<int64_t>(groups_.capacity() * sizeof(Group) +
                                keys_.capacity() * sizeof(uint64_t) + nulls_.capacity());
  }

 private:
  struct Group {
    uint64_t key = 0;
    uint64_t bits = 0;
    bool has_value = false;
  };

  template <typename GroupAt>
  arrow::Result<ArrayPtr> Values(size_t rows, const GroupAt& group_at) const {
    const auto count = static_cast<int64_t>(rows);
    const int64_t bytes =
        width_ == 0 ? arrow::bit_util::BytesForBits(count) : count * static_cast<int64_t>(width_);
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> values,
                          arrow::AllocateBuffer(bytes, PoolOf(context_)));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity,
                          arrow::AllocateEmptyBitmap(count, PoolOf(context_)));
    std::memset(values->mutable_data(), 0, static_cast<size_t>(bytes));
    for (size_t i = 0; i < rows; ++i) {
      const Group& group = group_at(i);
      const auto row = static_cast<int64_t>(i);
      arrow::bit_util::SetBitTo(validity->mutable_data(), row, group.has_value);
      if (width_ == 0) {
        arrow::bit_util::SetBitTo(values->mutable_data(), row, group.bits != 0);
      } else {
        std::memcpy(values->mutable_data() + i * width_, &group.bits, width_);
      }
    }
    return arrow::MakeArray(
        arrow::ArrayData::Make(type_, count, {std::move(validity), std::move(values)}));
  }

  uint64_t BitsOf(const arrow::ArrayData& data, size_t row) const {
    const auto position = static_cast<int64_t>(row) + data.offset;
    if (width_ == 0) {
      return arrow::bit_util::GetBit(data.buffers[1]->data(), static_cast<uint64_t>(position)) ? 1
                                                                                               : 0;
    }
    uint64_t bits = 0;
    std::memcpy(&bits, data.buffers[1]->data() + static_cast<size_t>(position) * width_, width_);
    return bits;
  }

  void Offer(const Group& value, Group* best) const {
    const bool better = form_ == ExtremeForm::kMin ? value.key < best->key : value.key > best->key;
    if (!best->has_value || better || (value.key == best->key && value.bits < best->bits)) {
      *best = value;
    }
  }

  QueryContext* context_;
  ExtremeForm form_;
  TypePtr type_;
  size_t width_;  // 0: one bit
  std::vector<Group> groups_;
  std::vector<uint64_t> keys_;
  std::vector<uint8_t> nulls_;
};

// Text and binary: the bytes are the key.
template <typename Type>
class TextExtreme final : public GroupAccumulator {
 public:
  TextExtreme(QueryContext* context, ExtremeForm form, TypePtr type)
      : context_(context), form_(form), type_(std::move(type)) {}

  arrow::Status Resize(int64_t group_count) override {
    groups_.resize(static_cast<size_t>(group_count));
    return arrow::Status::OK();
  }

  arrow::Status Update(const arrow::ArrayVector& arguments,
                       std::span<const uint32_t> group_ids) override {
    const auto& values =
        checked_cast<const typename arrow::TypeTraits<Type>::ArrayType&>(*arguments[0]);
    for (size_t row = 0; row < group_ids.size(); ++row) {
      const auto position = static_cast<int64_t>(row);
      if (values.IsValid(position)) {
        Offer(values.GetView(position), &groups_[group_ids[row]]);
      }
    }
    return arrow::Status::OK();
  }

  arrow::DataTypeVector state_types() const override { return {type_}; }

  arrow::Result<arrow::ArrayVector> ExportState(std::span<const uint32_t> groups) const override {
    Builder builder(type_, PoolOf(context_));
    for (const uint32_t group : groups) {
      const std::optional<std::string>& value = groups_[group];
      ARROW_RETURN_NOT_OK(value.has_value() ? builder.Append(*value) : builder.AppendNull());
    }
    ARROW_ASSIGN_OR_RAISE(ArrayPtr values, builder.Finish());
    return arrow::ArrayVector{std::move(values)};
  }

  arrow::Status MergeState(const arrow::ArrayVector& state,
                           std::span<const uint32_t> group_ids) override {
    return Update(state, group_ids);
  }

  ChunkedResult Finish() override {
    Builder builder(type_, PoolOf(context_));
    arrow::ArrayVector chunks;
    for (const std::optional<std::string>& value : groups_) {
      const auto bytes = static_cast<int64_t>(value.has_value() ? value->size() : 0);
      if (builder.value_data_length() + bytes > kChunkBytesMax) {
        ARROW_ASSIGN_OR_RAISE(ArrayPtr chunk, builder.Finish());
        chunks.push_back(std::move(chunk));
      }
      ARROW_RETURN_NOT_OK(value.has_value() ? builder.Append(*value) : builder.AppendNull());
    }
    ARROW_ASSIGN_OR_RAISE(ArrayPtr chunk, builder.Finish());
    chunks.push_back(std::move(chunk));
    groups_ = decltype(groups_)();
    text_bytes_ = 0;
    return std::make_shared<arrow::ChunkedArray>(std::move(chunks), type_);
  }

  int64_t bytes_used() const override {
    return static_cast<int64_t>(groups_.capacity() * sizeof(std::optional<std::string>)) +
           text_bytes_;
  }

 private:
  using Builder = typename arrow::TypeTraits<Type>::BuilderType;
  static constexpr int64_t kChunkBytesMax = int64_t{1} << 30;

  void Offer(std::string_view value, std::optional<std::string>* best) {
    if (best->has_value()) {
      const int order = value.compare(**best);
      if (form_ == ExtremeForm::kMin ? order >= 0 : order <= 0) {
        return;
      }
      text_bytes_ -= static_cast<int64_t>((*best)->capacity());
      (*best)->assign(value);
    } else {
      best->emplace(value);
    }
    text_bytes_ += static_cast<int64_t>((*best)->capacity());
  }

  QueryContext* context_;
  ExtremeForm form_;
  TypePtr type_;
  std::vector<std::optional<std::string>> groups_;
  int64_t text_bytes_ = 0;
};

// Any other type: encoded keys decide, and the rows that won are copied into one array after the
// other; it is cleared of losers when they are in the majority.
class EncodedExtreme final : public GroupAccumulator {
 public:
  EncodedExtreme(QueryContext* context, ExtremeForm form, TypePtr type)
      : context_(context), form_(form), type_(std::move(type)) {}

  arrow::Status Resize(int64_t group_count) override {
    groups_.resize(static_cast<size_t>(group_count));
    return arrow::Status::OK();
  }

  arrow::Status Update(const arrow::ArrayVector& arguments,
                       std::span<const uint32_t> group_ids) override {
    return Offer(arguments[0], group_ids);
  }

  arrow::DataTypeVector state_types() const override { return {type_}; }

  arrow::Result<arrow::ArrayVector> ExportState(std::span<const uint32_t> groups) const override {
    std::vector<int64_t> rows;
    for (const uint32_t group : groups) {
      rows.push_back(groups_[group].row);
    }
    ARROW_ASSIGN_OR_RAISE(ArrayPtr values, ValuesAt(rows));
    return arrow::ArrayVector{std::move(values)};
  }

  arrow::Status MergeState(const arrow::ArrayVector& state,
                           std::span<const uint32_t> group_ids) override {
    return Offer(state[0], group_ids);
  }

  ChunkedResult Finish() override {
    std::vector<int64_t> rows;
    for (const Group& group : groups_) {
      rows.push_back(group.row);
    }
    ARROW_ASSIGN_OR_RAISE(ArrayPtr values, ValuesAt(rows));
    groups_ = decltype(groups_)();
    kept_.clear();
    kept_rows_ = 0;
    key_bytes_ = 0;
    return std::make_shared<arrow::ChunkedArray>(std::move(values));
  }

  int64_t bytes_used() const override {
    return static_cast<int64_t>(groups_.capacity() * sizeof(Group)) + key_bytes_;
  }

 private:
  struct Group {
    std::string key;
    int64_t row = -1;  // among the kept ones
  };

  arrow::Status Offer(const ArrayPtr& values, std::span<const uint32_t> group_ids) {
    ARROW_ASSIGN_OR_RAISE(const auto encoder, KeyEncoder::Make({KeyField{type_, false, false}}));
    EncodedKeys keys(PoolOf(context_));
    ARROW_RETURN_NOT_OK(encoder->Encode({values}, &keys));
    std::vector<int64_t> won_rows;
    for (size_t i = 0; i < group_ids.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      if (values->IsNull(row)) {
        continue;
      }
      Group& best = groups_[group_ids[i]];
      const int order = best.row < 0 ? 0 : keys[row].compare(best.key);
      if (best.row >= 0 && (form_ == ExtremeForm::kMin ? order >= 0 : order <= 0)) {
        continue;
      }
      key_bytes_ -= static_cast<int64_t>(best.key.capacity());
      best.key.assign(keys[row]);
      key_bytes_ += static_cast<int64_t>(best.key.capacity());
      best.row = kept_rows_ + static_cast<int64_t>(won_rows.size());
      won_rows.push_back(row);
    }
    if (won_rows.empty()) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(ArrayPtr won, TakeRows(context_, values, won_rows));
    kept_rows_ += won->length();
    kept_.push_back(std::move(won));
    return kept_rows_ > 2 * static_cast<int64_t>(groups_.size()) + 1024 ? Compact()
                                                                        : arrow::Status::OK();
  }

  arrow::Status Compact() {
    std::vector<int64_t> rows;
    for (Group& group : groups_) {
      if (group.row >= 0) {
        rows.push_back(group.row);
        group.row = static_cast<int64_t>(rows.size()) - 1;
      }
    }
    ARROW_ASSIGN_OR_RAISE(ArrayPtr living, ValuesAt(rows));
    kept_rows_ = living->length();
    kept_ = {std::move(living)};
    return arrow::Status::OK();
  }

  // The kept values at these rows; NULL where a row is negative.
  arrow::Result<ArrayPtr> ValuesAt(const std::vector<int64_t>& rows) const {
    std::vector<int64_t> first_rows;  // of each chunk
    int64_t first_row = 0;
    for (const ArrayPtr& chunk : kept_) {
      first_rows.push_back(first_row);
      first_row += chunk->length();
    }
    std::vector<RowRef> refs;
    refs.reserve(rows.size());
    for (const int64_t row : rows) {
      if (row < 0) {
        refs.push_back({ChunkRange::kNullChunk, 0});
        continue;
      }
      const auto chunk = std::upper_bound(first_rows.begin(), first_rows.end(), row) - 1;
      refs.push_back({static_cast<int32_t>(chunk - first_rows.begin()), row - *chunk});
    }
    ARROW_ASSIGN_OR_RAISE(auto values, GatherRows(type_, kept_, refs, PoolOf(context_)));
    if (values->num_chunks() != 1) {
      return ResourceError("the values of ", rows.size(), " groups do not fit one array");
    }
    return values->chunk(0);
  }

  QueryContext* context_;
  ExtremeForm form_;
  TypePtr type_;
  std::vector<Group> groups_;
  arrow::ArrayVector kept_;
  int64_t kept_rows_ = 0;
  int64_t key_bytes_ = 0;
};

}  // namespace

AccumulatorResult MakeExtremeAccumulator(QueryContext* context, ExtremeForm form,
                                         const TypePtr& type) {
  ARROW_RETURN_NOT_OK(PrepareArrowKernels());
  switch (type->id()) {
    case arrow::Type::STRING:
      return std::make_unique<TextExtreme<arrow::StringType>>(context, form, type);
    case arrow::Type::LARGE_STRING:
      return std::make_unique<TextExtreme<arrow::LargeStringType>>(context, form, type);
    case arrow::Type::BINARY:
      return std::make_unique<TextExtreme<arrow::BinaryType>>(context, form, type);
    case arrow::Type::LARGE_BINARY:
      return std::make_unique<TextExtreme<arrow::LargeBinaryType>>(context, form, type);
    default:
      break;
  }
  if (type->id() != arrow::Type::EXTENSION && IsUInt64Key(*type)) {
    return std::make_unique<NarrowExtreme>(context, form, type);
  }
  return std::make_unique<EncodedExtreme>(context, form, type);
}

}  // namespace keepone
