// SPDX-License-Identifier: Apache-2.0
#include "exec/group_order_keys.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "function/state_column.h"

namespace keepone {

namespace {

constexpr uint8_t kNullFirstRank = 1;
constexpr uint8_t kValueRank = 2;
constexpr uint8_t kNullLastRank = 3;
// A string holds so many bytes without memory of its own.
constexpr size_t kBytesInside = 15;

int64_t BytesOutside(const std::string& key) {
  return key.capacity() > kBytesInside ? static_cast<int64_t>(key.capacity()) + 1 : 0;
}

template <typename Value>
void Grow(size_t count, std::vector<Value>* values) {
  if (count > values->capacity()) {
    values->reserve(std::max(count, values->capacity() + values->capacity() / 2));
  }
  values->resize(count);
}

}  // namespace

arrow::Result<GroupOrderKeys> GroupOrderKeys::Make(std::vector<KeyField> order,
                                                   arrow::MemoryPool* pool) {
  GroupOrderKeys keys(pool);
  keys.order_ = std::move(order);
  if (keys.order_.size() == 1 && IsUInt64Key(*keys.order_[0].type)) {
    keys.form_ = Form::kNarrow;
  } else if (!keys.order_.empty()) {
    keys.form_ = Form::kBytes;
    ARROW_ASSIGN_OR_RAISE(keys.encoder_, KeyEncoder::Make(keys.order_));
  }
  return keys;
}

arrow::DataTypeVector GroupOrderKeys::state_types() const {
  switch (form_) {
    case Form::kNone:
      return {};
    case Form::kNarrow:
      return {arrow::uint64(), arrow::uint8()};
    default:
      return {arrow::binary()};
  }
}

arrow::Status GroupOrderKeys::Bind(const arrow::ArrayVector& columns) {
  if (form_ == Form::kNarrow) {
    const auto rows = static_cast<size_t>(columns[0]->length());
    own_values_.resize(rows);
    own_ranks_.resize(rows);
    EncodeUInt64(*columns[0]->data(), order_[0].descending, 0, columns[0]->length(),
                 own_values_.data(), own_ranks_.data());
    const uint8_t null_rank = order_[0].nulls_first ? kNullFirstRank : kNullLastRank;
    for (uint8_t& rank : own_ranks_) {
      rank = rank != 0 ? null_rank : kValueRank;
    }
    row_values_ = own_values_;
    row_ranks_ = own_ranks_;
  } else if (form_ == Form::kBytes) {
    ARROW_RETURN_NOT_OK(encoder_->Encode(columns, &encoded_));
    row_keys_.clear();
    for (int64_t row = 0; row < encoded_.size(); ++row) {
      row_keys_.push_back(encoded_[row]);
    }
  }
  return arrow::Status::OK();
}

void GroupOrderKeys::BindState(const arrow::ArrayVector& state, size_t first) {
  if (form_ == Form::kNarrow) {
    row_values_ = StateValues<uint64_t>(*state[first]);
    row_ranks_ = StateValues<uint8_t>(*state[first + 1]);
  } else if (form_ == Form::kBytes) {
    const auto& keys = arrow::internal::checked_cast<const arrow::BinaryArray&>(*state[first]);
    row_keys_.clear();
    for (int64_t row = 0; row < keys.length(); ++row) {
      row_keys_.push_back(keys.GetView(row));
    }
  }
}

void GroupOrderKeys::Resize(size_t count) {
  Grow(count, &ranks_);
  if (form_ == Form::kNarrow) {
    Grow(count, &values_);
  } else if (form_ == Form::kBytes) {
    Grow(count, &keys_);
  }
}

void GroupOrderKeys::Set(uint32_t row, uint32_t group) {
  ranks_[group] = kValueRank;
  if (form_ == Form::kNarrow) {
    ranks_[group] = row_ranks_[row];
    values_[group] = row_values_[row];
  } else if (form_ == Form::kBytes) {
    SetBytes(row_keys_[row], group);
  }
}

void GroupOrderKeys::SetBytes(std::string_view key, uint32_t group) {
  std::string& own = keys_[group];
  key_bytes_ -= BytesOutside(own);
  own.assign(key);
  key_bytes_ += BytesOutside(own);
}

int GroupOrderKeys::CompareGroups(const GroupOrderKeys& other, uint32_t other_group,
                                  uint32_t group) const {
  switch (form_) {
    case Form::kNone:
      return 0;
    case Form::kNarrow:
      return Compare(other.ranks_[other_group], other.values_[other_group], ranks_[group],
                     values_[group]);
    default:
      return other.keys_[other_group].compare(keys_[group]);
  }
}

void GroupOrderKeys::CopyFrom(const GroupOrderKeys& other, uint32_t other_group, uint32_t group) {
  ranks_[group] = other.ranks_[other_group];
  if (form_ == Form::kNarrow) {
    values_[group] = other.values_[other_group];
  } else if (form_ == Form::kBytes) {
    SetBytes(other.keys_[other_group], group);
  }
}

arrow::Status GroupOrderKeys::Export(std::span<const uint32_t> groups, arrow::MemoryPool* pool,
                                     arrow::ArrayVector* state) const {
  if (form_ == Form::kNarrow) {
    ARROW_ASSIGN_OR_RAISE(auto values,
                          ExportValues(arrow::uint64(), groups, pool,
                                       [this](uint32_t group) { return values_[group]; }));
    ARROW_ASSIGN_OR_RAISE(auto ranks,
                          ExportValues(arrow::uint8(), groups, pool,
                                       [this](uint32_t group) { return ranks_[group]; }));
    state->push_back(std::move(values));
    state->push_back(std::move(ranks));
  } else if (form_ == Form::kBytes) {
    arrow::BinaryBuilder builder(pool);
    for (const uint32_t group : groups) {
      ARROW_RETURN_NOT_OK(builder.Append(keys_[group]));
    }
    ARROW_ASSIGN_OR_RAISE(auto keys, builder.Finish());
    state->push_back(std::move(keys));
  }
  return arrow::Status::OK();
}

void GroupOrderKeys::Clear() {
  ranks_ = std::vector<uint8_t>();
  values_ = std::vector<uint64_t>();
  keys_ = std::vector<std::string>();
  key_bytes_ = 0;
}

int64_t GroupOrderKeys::bytes_used() const {
  return static_cast<int64_t>(ranks_.capacity() + values_.capacity() * sizeof(uint64_t) +
                              keys_.capacity() * sizeof(std::string)) +
         key_bytes_;
}

}  // namespace keepone
