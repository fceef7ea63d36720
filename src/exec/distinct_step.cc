// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "column/group_table.h"
#include "exec/aggregate_step.h"
#include "exec/grouped_rows.h"
#include "exec/selected_rows.h"

namespace keepone {

namespace {

// Keeps the first row of each group and value.
class DistinctState final : public AggregateState {
 public:
  DistinctState(QueryContext* context, const AggregateColumn& column,
                std::shared_ptr<arrow::Schema> arguments, std::unique_ptr<GroupTable> seen)
      : context_(context),
        column_(column),
        seen_(std::move(seen)),
        rows_(context, std::move(arguments)) {}

  arrow::Status Update(const GroupedBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const SelectedRows selected,
                          SelectRows(context_, batch, column_, column_.arguments));
    return KeepFresh(*selected.rows, selected.group_ids);
  }

  arrow::Status PrepareExport(int64_t group_count) override { return rows_.Index(group_count); }

  arrow::Result<arrow::ArrayVector> Export(std::span<const uint32_t> groups) const override {
    ARROW_ASSIGN_OR_RAISE(auto lists, rows_.Export(groups));
    return arrow::ArrayVector{std::move(lists)};
  }

  arrow::Status Merge(const arrow::ArrayVector& state, std::span<const uint32_t> group_ids,
                      int64_t /*group_count*/) override {
    ARROW_ASSIGN_OR_RAISE(const UnpackedRows unpacked,
                          UnpackGroupedRows(*state[0], group_ids, context_->pool()));
    return KeepFresh(*unpacked.rows, unpacked.group_ids);
  }

  arrow::Result<std::vector<GroupValues>> Finish(int64_t group_count) override {
    seen_.reset();
    ARROW_ASSIGN_OR_RAISE(auto total, column_.function->make_accumulator(context_));
    ARROW_RETURN_NOT_OK(total->Resize(group_count));
    ARROW_RETURN_NOT_OK(rows_.Flush());
    for (const auto& batch : rows_.batches()) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      arrow::ArrayVector arguments = batch->columns();
      arguments.pop_back();
      ARROW_RETURN_NOT_OK(total->Update(arguments, GroupsOf(*batch)));
    }
    ARROW_ASSIGN_OR_RAISE(auto values, total->Finish());
    return std::vector<GroupValues>{ValuesInOrder(values->chunks())};
  }

  int64_t bytes_used() const override { return seen_->bytes_used() + rows_.bytes_used(); }

 private:
  // Keeps the rows whose values are not in the table; they are then.
  arrow::Status KeepFresh(const arrow::RecordBatch& rows, std::span<const uint32_t> group_ids) {
    ARROW_ASSIGN_OR_RAISE(auto groups, GroupArray(group_ids, context_->pool()));
    arrow::ArrayVector keys = rows.columns();
    keys.push_back(std::move(groups));
    uint32_t next = seen_->group_count();
    std::vector<uint32_t> numbers(group_ids.size());
    ARROW_RETURN_NOT_OK(seen_->Insert(keys, rows.num_rows(), numbers));
    std::vector<RowPlace> fresh;
    std::vector<uint32_t> fresh_groups;
    for (size_t row = 0; row < numbers.size(); ++row) {
      // Numbers are given in order of first appearance.
      if (numbers[row] == next) {
        fresh.push_back({0, static_cast<uint32_t>(row)});
        fresh_groups.push_back(group_ids[row]);
        ++next;
      }
    }
    const auto all = arrow::RecordBatch::Make(rows_.schema(), rows.num_rows(), rows.columns());
    ARROW_ASSIGN_OR_RAISE(const auto kept,
                          GatherPlaces(all->schema(), {all}, fresh, context_->pool()));
    return rows_.Append(*kept, fresh_groups);
  }

  QueryContext* context_;
  const AggregateColumn& column_;
  std::unique_ptr<GroupTable> seen_;
  GroupedRows rows_;
};

class DistinctStep final : public AggregateStep {
 public:
  DistinctStep(AggregateColumn column, size_t output, const arrow::Schema& input)
      : column_(std::move(column)) {
    outputs_ = {output};
    arrow::FieldVector fields;
    for (const int argument : column_.arguments) {
      fields.push_back(input.field(argument));
      keys_.push_back({fields.back()->type()});
    }
    keys_.push_back({arrow::uint32()});
    arguments_ = arrow::schema(std::move(fields));
  }

  arrow::Result<arrow::DataTypeVector> state_types(QueryContext* context) const override {
    return arrow::DataTypeVector{GroupedRows(context, arguments_).list_type()};
  }

  arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const override {
    ARROW_ASSIGN_OR_RAISE(auto seen, GroupTable::Make(keys_, context->budget()));
    return std::make_unique<DistinctState>(context, column_, arguments_, std::move(seen));
  }

 private:
  AggregateColumn column_;
  std::vector<KeyField> keys_;
  std::shared_ptr<arrow::Schema> arguments_;
};

}  // namespace

std::unique_ptr<AggregateStep> MakeDistinctStep(AggregateColumn column, size_t output,
                                                const arrow::Schema& input) {
  return std::make_unique<DistinctStep>(std::move(column), output, input);
}

}  // namespace keepone
