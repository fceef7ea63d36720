// SPDX-License-Identifier: Apache-2.0
#include "column/group_table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <arrow/array.h>

#include "base/check.h"
#include "column/group_index.h"
#include "column/key_block.h"
#include "column/value_encoder.h"

namespace keepone {

namespace {

constexpr std::array<uint16_t, kBlockRows> kRowsOfBlock = [] {
  std::array<uint16_t, kBlockRows> rows{};
  std::iota(rows.begin(), rows.end(), uint16_t{0});
  return rows;
}();

template <KeyForm form>
class GroupTableImpl final : public GroupTable {
 public:
  GroupTableImpl(std::unique_ptr<KeyReader> reader, bool nulls_first, MemoryBudget* budget)
      : reader_(std::move(reader)),
        nulls_first_(nulls_first),
        index_(budget, reader_->width(), 0),
        block_(std::make_unique<KeyBlock>()) {}

  arrow::Status Insert(const arrow::ArrayVector& columns, int64_t rows,
                       std::span<uint32_t> groups) override {
    return ForBlocks(columns, rows, [&](int64_t offset, std::span<const uint16_t> block_rows) {
      return index_.Upsert(*block_, block_rows, [&](uint16_t row, uint32_t group, uint8_t*, bool) {
        groups[static_cast<size_t>(offset) + row] = group;
        return arrow::Status::OK();
      });
    });
  }

  arrow::Status Find(const arrow::ArrayVector& columns, int64_t rows,
                     std::span<uint32_t> groups) override {
    return ForBlocks(columns, rows, [&](int64_t offset, std::span<const uint16_t> block_rows) {
      index_.FindAll(*block_, block_rows, [&](uint16_t row, uint32_t group) {
        groups[static_cast<size_t>(offset) + row] = group;
      });
      return arrow::Status::OK();
    });
  }

  arrow::Status MergeFrom(const GroupTable& other_table, uint32_t partition,
                          uint32_t partition_count, std::vector<uint32_t>* mapping) override {
    const auto& other = static_cast<const GroupTableImpl&>(other_table).index_;
    mapping->assign(other.count(), kNoGroup);
    std::array<uint32_t, kBlockRows> theirs;
    uint32_t next = 0;
    while (next < other.count()) {
      int64_t rows = 0;
      block_->has_nulls = false;
      for (; next < other.count() && rows < kBlockRows; ++next) {
        if (other.Partition(next, partition_count) == partition) {
          theirs[static_cast<size_t>(rows)] = next;
          other.LoadKey(next, rows++, block_.get());
        }
      }
      HashBlock(form, reader_->width(), rows, block_.get());
      ARROW_RETURN_NOT_OK(
          index_.Upsert(*block_, Rows(rows), [&](uint16_t row, uint32_t group, uint8_t*, bool) {
            (*mapping)[theirs[row]] = group;
            return arrow::Status::OK();
          }));
    }
    return arrow::Status::OK();
  }

  uint32_t Partition(uint32_t group, uint32_t partition_count) const override {
    return index_.Partition(group, partition_count);
  }

  void EncodedKey(uint32_t group, std::string* out) const override {
    if constexpr (form == KeyForm::kNone) {
      return;
    }
    auto block = std::make_unique<KeyBlock>();
    index_.LoadKey(group, 0, block.get());
    if constexpr (form == KeyForm::kUInt64) {
      std::array<uint8_t, 9> bytes;
      const uint8_t null_marker = nulls_first_ ? kNullFirstMarker : kNullLastMarker;
      bytes[0] = block->nulls[0] != 0 ? null_marker : kValueMarker;
      StoreBigEndian(block->values[0], bytes.data() + 1);
      out->append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    } else {
      out->append(reinterpret_cast<const char*>(block->data[0]), block->lengths[0]);
    }
  }

  uint32_t group_count() const override { return index_.count(); }
  int64_t bytes_used() const override { return index_.bytes_used(); }

 private:
  static std::span<const uint16_t> Rows(int64_t rows) {
    return {kRowsOfBlock.data(), static_cast<size_t>(rows)};
  }

  template <typename Handle>
  arrow::Status ForBlocks(const arrow::ArrayVector& columns, int64_t rows, Handle&& handle) {
    for (const auto& column : columns) {
      KEEPONE_CHECK(column->length() == rows);
    }
    ARROW_RETURN_NOT_OK(reader_->Bind(columns));
    for (int64_t offset = 0; offset < rows;) {
      ARROW_ASSIGN_OR_RAISE(const int64_t count,
                            reader_->Read(offset, rows - offset, block_.get()));
      HashBlock(form, reader_->width(), count, block_.get());
      ARROW_RETURN_NOT_OK(handle(offset, Rows(count)));
      offset += count;
    }
    return arrow::Status::OK();
  }

  std::unique_ptr<KeyReader> reader_;
  bool nulls_first_;
  GroupIndex<form> index_;
  std::unique_ptr<KeyBlock> block_;
};

}  // namespace

arrow::Result<std::unique_ptr<GroupTable>> GroupTable::Make(std::vector<KeyField> fields,
                                                            MemoryBudget* budget) {
  const bool nulls_first = !fields.empty() && fields[0].nulls_first;
  ARROW_ASSIGN_OR_RAISE(auto reader, KeyReader::Make(std::move(fields), budget));
  switch (reader->form()) {
    case KeyForm::kNone:
      return std::make_unique<GroupTableImpl<KeyForm::kNone>>(std::move(reader), nulls_first,
                                                              budget);
    case KeyForm::kUInt64:
      return std::make_unique<GroupTableImpl<KeyForm::kUInt64>>(std::move(reader), nulls_first,
                                                                budget);
    case KeyForm::kFixed:
      return std::make_unique<GroupTableImpl<KeyForm::kFixed>>(std::move(reader), nulls_first,
                                                               budget);
    default:
      return std::make_unique<GroupTableImpl<KeyForm::kBytes>>(std::move(reader), nulls_first,
                                                               budget);
  }
}

}  // namespace keepone
