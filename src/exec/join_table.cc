// SPDX-License-Identifier: Apache-2.0
#include "exec/join_table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/buffer_builder.h>
#include <arrow/type.h>

#include "base/check.h"
#include "column/group_index.h"
#include "column/key_block.h"
#include "column/value_encoder.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// More workers would mostly read the same keys again.
constexpr int kTablePartitionsMax = 16;
// Fewer rows are not worth a second worker.
constexpr int64_t kPartitionRowsMin = 1 << 14;

// Says which rows have a NULL in one of the columns where that matches nothing.
class NullKeys {
 public:
  static arrow::Result<NullKeys> Make(const std::vector<KeyField>& fields,
                                      const std::vector<bool>& null_equals_null) {
    NullKeys keys;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!null_equals_null[i]) {
        ARROW_ASSIGN_OR_RAISE(auto encoder, MakeValueEncoder(*fields[i].type));
        keys.columns_.push_back({i, std::move(encoder), false});
      }
    }
    return keys;
  }

  void Bind(const arrow::ArrayVector& columns) {
    any_ = false;
    for (Column& column : columns_) {
      const arrow::ArrayData& data = *columns[column.index]->data();
      column.may_be_null = data.type->id() == arrow::Type::EXTENSION || data.MayHaveLogicalNulls();
      if (column.may_be_null) {
        column.encoder->Bind(data);
        any_ = true;
      }
    }
  }
  bool any() const { return any_; }
  bool IsNull(int64_t row) const {
    return std::any_of(columns_.begin(), columns_.end(), [&](const Column& column) {
      return column.may_be_null && column.encoder->IsNull(row);
    });
  }

 private:
  struct Column {
    size_t index;
    std::unique_ptr<ValueEncoder> encoder;
    bool may_be_null;
  };
  std::vector<Column> columns_;
  bool any_ = false;
};

// What every reader of keys needs: one for each thread.
struct KeySource {
  std::unique_ptr<KeyReader> reader;
  NullKeys nulls;
  std::unique_ptr<KeyBlock> block;
  arrow::ArrayVector bound;

  static arrow::Result<KeySource> Make(QueryContext* context, const std::vector<KeyField>& fields,
                                       const std::vector<bool>& null_equals_null) {
    KeySource source;
    ARROW_ASSIGN_OR_RAISE(source.reader, KeyReader::Make(fields, context->pool()));
    ARROW_ASSIGN_OR_RAISE(source.nulls, NullKeys::Make(fields, null_equals_null));
    source.block = std::make_unique<KeyBlock>();
    return source;
  }

  arrow::Status Bind(const arrow::ArrayVector& columns) {
    ARROW_RETURN_NOT_OK(reader->Bind(columns));
    nulls.Bind(columns);
    bound = columns;
    return arrow::Status::OK();
  }

  // Reads a block of rows and its hashes.
  arrow::Result<int64_t> Read(int64_t offset, int64_t rows) {
    ARROW_ASSIGN_OR_RAISE(const int64_t count, reader->Read(offset, rows, block.get()));
    HashBlock(reader->form(), reader->width(), count, block.get());
    return count;
  }
};

// Some rows of a block.
struct BlockRows {
  std::array<uint16_t, kBlockRows> rows;
  size_t count = 0;

  void Add(int64_t row) { rows[count++] = static_cast<uint16_t>(row); }
  std::span<const uint16_t> span() const { return {rows.data(), count}; }
};

// The keys of one partition by hash, built by one thread.
template <KeyForm form>
class TablePartition {
 public:
  TablePartition(QueryContext* context, int32_t key_width)
      : index_(context->pool(), key_width, sizeof(RowRun)), more_(context->pool()) {}

  const GroupIndex<form>& index() const { return index_; }
  RowRun RunOf(uint32_t group) const { return LoadAs<RowRun>(index_.state(group)); }
  int64_t bytes_used() const { return index_.bytes_used(); }
  // Of keys that have several: what Place() puts down.
  int64_t rows_to_place() const { return rows_to_place_; }

  arrow::Status Add(const KeyBlock& block, std::span<const uint16_t> rows, int64_t first_row,
                    bool existence_only) {
    if (!existence_only) {
      ARROW_RETURN_NOT_OK(more_.Reserve(static_cast<int64_t>(rows.size())));
    }
    return index_.Upsert(block, rows,
                         [&](uint16_t row, uint32_t group, uint8_t* state, bool is_new) {
                           const auto number = static_cast<uint32_t>(first_row + row);
                           if (is_new) {
                             StoreAs(state, RowRun{number, 1});
                           } else if (!existence_only) {
                             more_.UnsafeAppend({group, number});
                             auto run = LoadAs<RowRun>(state);
                             rows_to_place_ += run.count == 1 ? 2 : 1;
                             ++run.count;
                             StoreAs(state, run);
                           }
                           return arrow::Status::OK();
                         });
  }

  // Puts down the rows of keys that have several, from `begin` of `rows` on.
  void Place(int64_t begin, uint32_t* rows) {
    if (rows_to_place_ == 0) {
      return;
    }
    auto next = static_cast<uint32_t>(begin);
    for (uint32_t group = 0; group < index_.count(); ++group) {
      const RowRun run = RunOf(group);
      if (run.count > 1) {
        rows[next] = run.first;
        // The count grows again as the other rows come.
        StoreAs(index_.state(group), RowRun{next, 1});
        next += run.count;
      }
    }
    const Further* more = more_.data();
    for (int64_t i = 0; i < more_.length(); ++i) {
      auto run = LoadAs<RowRun>(index_.state(more[i].group));
      rows[run.first + run.count++] = more[i].row;
      StoreAs(index_.state(more[i].group), run);
    }
    more_.Reset();
  }

 private:
  struct Further {
    uint32_t group;
    uint32_t row;
  };

  GroupIndex<form> index_;
  arrow::TypedBufferBuilder<Further> more_;  // the rows of each key behind its first one
  int64_t rows_to_place_ = 0;
};

template <KeyForm form>
class KeyedTable final : public JoinTable {
 public:
  KeyedTable(QueryContext* context, std::vector<KeyField> fields,
             std::vector<bool> null_equals_null)
      : context_(context),
        fields_(std::move(fields)),
        null_equals_null_(std::move(null_equals_null)) {}

  arrow::Status BuildAll(const std::vector<arrow::ArrayVector>& key_columns,
                         const std::vector<int64_t>& batch_rows, bool existence_only, int threads) {
    const int64_t rows = std::accumulate(batch_rows.begin(), batch_rows.end(), int64_t{0});
    const auto count = static_cast<uint32_t>(
        std::clamp<int64_t>(rows / kPartitionRowsMin, 1, std::min(threads, kTablePartitionsMax)));
    ARROW_ASSIGN_OR_RAISE(const KeySource source,
                          KeySource::Make(context_, fields_, null_equals_null_));
    for (uint32_t i = 0; i < count; ++i) {
      partitions_.push_back(
          std::make_unique<TablePartition<form>>(context_, source.reader->width()));
    }
    ARROW_RETURN_NOT_OK(ForEachTask(context_, count, [&](int64_t partition) {
      return AddRows(static_cast<uint32_t>(partition), key_columns, batch_rows, existence_only);
    }));
    std::vector<int64_t> begins = {0};
    for (const auto& partition : partitions_) {
      begins.push_back(begins.back() + partition->rows_to_place());
    }
    if (begins.back() == 0) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(row_block_.Allocate(
        context_->pool(), begins.back() * static_cast<int64_t>(sizeof(uint32_t))));
    auto* placed = reinterpret_cast<uint32_t*>(row_block_.data());
    rows_ = placed;
    return ForEachTask(context_, count, [&](int64_t partition) {
      const auto at = static_cast<size_t>(partition);
      partitions_[at]->Place(begins[at], placed);
      return arrow::Status::OK();
    });
  }

  arrow::Result<std::unique_ptr<Probe>> MakeProbe() const override {
    ARROW_ASSIGN_OR_RAISE(KeySource source, KeySource::Make(context_, fields_, null_equals_null_));
    return std::make_unique<KeyedProbe>(this, std::move(source));
  }

  int64_t bytes_used() const override {
    int64_t bytes = row_block_.bytes();
    for (const auto& partition : partitions_) {
      bytes += partition->bytes_used();
    }
    return bytes;
  }

 private:
  // Sorts the rows of the block that have a key by partition.
  static void SplitBlock(const KeySource& source, int64_t offset, int64_t rows,
                         std::span<BlockRows> partitions) {
    for (BlockRows& partition : partitions) {
      partition.count = 0;
    }
    const auto count = static_cast<uint32_t>(partitions.size());
    const bool any_null = source.nulls.any();
    for (int64_t i = 0; i < rows; ++i) {
      if (!any_null || !source.nulls.IsNull(offset + i)) {
        const uint32_t partition =
            count == 1 ? 0 : HashPartition(source.block->hashes[static_cast<size_t>(i)], count);
        partitions[partition].Add(i);
      }
    }
  }

  arrow::Status AddRows(uint32_t partition, const std::vector<arrow::ArrayVector>& key_columns,
                        const std::vector<int64_t>& batch_rows, bool existence_only) {
    ARROW_ASSIGN_OR_RAISE(KeySource source, KeySource::Make(context_, fields_, null_equals_null_));
    std::vector<BlockRows> split(partitions_.size());
    int64_t first_row = 0;
    for (size_t batch = 0; batch < batch_rows.size(); ++batch) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_RETURN_NOT_OK(source.Bind(key_columns[batch]));
      for (int64_t offset = 0; offset < batch_rows[batch];) {
        ARROW_ASSIGN_OR_RAISE(const int64_t count, source.Read(offset, batch_rows[batch] - offset));
        SplitBlock(source, offset, count, split);
        ARROW_RETURN_NOT_OK(partitions_[partition]->Add(*source.block, split[partition].span(),
                                                        first_row + offset, existence_only));
        offset += count;
      }
      first_row += batch_rows[batch];
    }
    return arrow::Status::OK();
  }

  class KeyedProbe final : public Probe {
   public:
    KeyedProbe(const KeyedTable* table, KeySource source)
        : table_(table), source_(std::move(source)), split_(table->partitions_.size()) {}

    arrow::Status Find(const arrow::ArrayVector& columns, int64_t rows,
                       std::span<RowRun> matches) override {
      ARROW_RETURN_NOT_OK(source_.Bind(columns));
      for (int64_t offset = 0; offset < rows;) {
        ARROW_ASSIGN_OR_RAISE(const int64_t count, source_.Read(offset, rows - offset));
        SplitBlock(source_, offset, count, split_);
        RowRun* const found = matches.data() + offset;
        std::fill_n(found, count, RowRun{});
        for (size_t i = 0; i < split_.size(); ++i) {
          const TablePartition<form>& partition = *table_->partitions_[i];
          partition.index().FindAll(*source_.block, split_[i].span(),
                                    [&](uint16_t row, uint32_t group) {
                                      if (group != GroupIndex<form>::kNone) {
                                        found[row] = partition.RunOf(group);
                                      }
                                    });
        }
        offset += count;
      }
      return arrow::Status::OK();
    }

   private:
    const KeyedTable* table_;
    KeySource source_;
    std::vector<BlockRows> split_;
  };

  QueryContext* context_;
  std::vector<KeyField> fields_;
  std::vector<bool> null_equals_null_;
  std::vector<std::unique_ptr<TablePartition<form>>> partitions_;
  PoolBlock row_block_;
};

// Without keys: all rows match.
class UnkeyedTable final : public JoinTable {
 public:
  explicit UnkeyedTable(int64_t rows) : all_{0, static_cast<uint32_t>(rows)} {}

  arrow::Result<std::unique_ptr<Probe>> MakeProbe() const override {
    return std::make_unique<UnkeyedProbe>(all_);
  }
  int64_t bytes_used() const override { return 0; }

 private:
  class UnkeyedProbe final : public Probe {
   public:
    explicit UnkeyedProbe(RowRun all) : all_(all) {}
    arrow::Status Find(const arrow::ArrayVector& /*columns*/, int64_t rows,
                       std::span<RowRun> matches) override {
      std::fill_n(matches.begin(), rows, all_);
      return arrow::Status::OK();
    }

   private:
    RowRun all_;
  };

  RowRun all_;
};

template <KeyForm form>
arrow::Result<std::unique_ptr<JoinTable>> BuildKeyed(
    QueryContext* context, const std::vector<KeyField>& fields,
    const std::vector<bool>& null_equals_null, const std::vector<arrow::ArrayVector>& key_columns,
    const std::vector<int64_t>& batch_rows, bool existence_only, int threads) {
  auto table = std::make_unique<KeyedTable<form>>(context, fields, null_equals_null);
  ARROW_RETURN_NOT_OK(table->BuildAll(key_columns, batch_rows, existence_only, threads));
  return table;
}

}  // namespace

arrow::Result<std::unique_ptr<JoinTable>> JoinTable::Build(
    QueryContext* context, const std::vector<KeyField>& fields,
    const std::vector<bool>& null_equals_null, const std::vector<arrow::ArrayVector>& key_columns,
    const std::vector<int64_t>& batch_rows, bool existence_only, int threads) {
  const int64_t rows = std::accumulate(batch_rows.begin(), batch_rows.end(), int64_t{0});
  KEEPONE_CHECK(rows < kRowsMax);
  KEEPONE_CHECK(fields.size() == null_equals_null.size());
  ARROW_ASSIGN_OR_RAISE(const auto reader, KeyReader::Make(fields, context->pool()));
  const auto build = [&](auto builder) {
    return builder(context, fields, null_equals_null, key_columns, batch_rows, existence_only,
                   threads);
  };
  switch (reader->form()) {
    case KeyForm::kNone:
      return std::make_unique<UnkeyedTable>(rows);
    case KeyForm::kUInt64:
      return build(BuildKeyed<KeyForm::kUInt64>);
    case KeyForm::kFixed:
      return build(BuildKeyed<KeyForm::kFixed>);
    default:
      return build(BuildKeyed<KeyForm::kBytes>);
  }
}

}  // namespace keepone
