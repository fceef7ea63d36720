// SPDX-License-Identifier: Apache-2.0
#include "exec/unnest.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "column/gather.h"
#include "exec/row_widths.h"
#include "function/list_kernels.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;

// One list column of a batch. A NULL is an empty list.
class ListColumn {
 public:
  explicit ListColumn(std::shared_ptr<arrow::Array> array)
      : array_(std::move(array)), reader_(*array_) {}
  int64_t Begin(int64_t row) const { return reader_.Begin(row); }
  int64_t Length(int64_t row) const { return array_->IsNull(row) ? 0 : reader_.Length(row); }
  const std::shared_ptr<arrow::Array>& values() const { return reader_.values(); }

 private:
  std::shared_ptr<arrow::Array> array_;
  ListReader reader_;
};

// Places of the lists of one row: [begin, begin + count). A row of NULLs has no place.
struct Run {
  int64_t row;
  int64_t begin;
  int64_t count;
  bool is_empty;  // stands for a row without elements; count is 1
};

// The rows that one batch gives, a bounded batch after the other.
class BatchUnnester {
 public:
  BatchUnnester(QueryContext* context, const UnnestSpec& spec,
                const std::shared_ptr<arrow::Schema>& schema,
                std::shared_ptr<arrow::RecordBatch> batch)
      : context_(context),
        spec_(spec),
        schema_(schema),
        batch_(std::move(batch)),
        passed_(PassedColumns()),
        widths_(*passed_),
        rows_max_(context->batch_rows_max()) {
    for (const UnnestSpec::List& list : spec.lists) {
      lists_.emplace_back(batch_->column(list.column));
    }
    if (spec.ordinals.has_value()) {
      ordinals_.emplace(batch_->column(*spec.ordinals));
      ordinal_values_ = checked_cast<const arrow::Int64Array*>(ordinals_->values().get());
    }
  }

  // nullptr when all has been given.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    while (true) {
      const Position before = position_;
      const std::vector<Run> runs = TakeRuns();
      if (runs.empty()) {
        return nullptr;
      }
      ARROW_ASSIGN_OR_RAISE(auto result, Build(runs));
      if (result != nullptr) {
        return result;
      }
      if (rows_max_ == 1) {
        return DataError("an element of a list is too large for its type");
      }
      // More than the offsets of a type can count: again with fewer rows.
      position_ = before;
      rows_max_ = (std::min(rows_max_, CountRows(runs)) + 1) / 2;
    }
  }

 private:
  struct Position {
    int64_t row = 0;
    int64_t element = 0;
  };

  std::shared_ptr<arrow::RecordBatch> PassedColumns() const {
    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    for (const int column : spec_.passed) {
      fields.push_back(batch_->schema()->field(column));
      columns.push_back(batch_->column(column));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch_->num_rows(),
                                    std::move(columns));
  }

  static int64_t CountRows(const std::vector<Run>& runs) {
    int64_t rows = 0;
    for (const Run& run : runs) {
      rows += run.count;
    }
    return rows;
  }

  int64_t CountElements(int64_t row) const {
    if (ordinals_.has_value()) {
      return ordinals_->Length(row);
    }
    int64_t count = 0;
    for (const ListColumn& lists : lists_) {
      count = std::max(count, lists.Length(row));
    }
    return count;
  }

  // The next places, within the bounds of rows and bytes.
  std::vector<Run> TakeRuns() {
    std::vector<Run> runs;
    int64_t rows = 0;
    double bytes = 0;
    const auto bytes_max = static_cast<double>(context_->batch_bytes_max());
    while (position_.row < batch_->num_rows() && rows < rows_max_ && bytes < bytes_max) {
      const int64_t elements = CountElements(position_.row);
      if (elements == 0 && !spec_.keeps_empty) {
        ++position_.row;
        continue;
      }
      const double width = widths_.Of(position_.row);
      int64_t count =
          std::min(std::max<int64_t>(elements, 1) - position_.element, rows_max_ - rows);
      if (width * static_cast<double>(count) > bytes_max - bytes) {
        count = std::clamp<int64_t>(static_cast<int64_t>((bytes_max - bytes) / width), 1, count);
      }
      runs.push_back({position_.row, position_.element, count, elements == 0});
      rows += count;
      bytes += width * static_cast<double>(count);
      position_.element += count;
      if (position_.element >= elements) {
        position_ = {position_.row + 1, 0};
      }
    }
    return runs;
  }

  // nullptr where the rows do not fit one batch.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Build(const std::vector<Run>& runs) {
    const int64_t rows = CountRows(runs);
    arrow::ArrayVector columns;
    const std::vector<ChunkRange> passed_ranges = PassedRanges(runs);
    for (const auto& column : passed_->columns()) {
      ARROW_ASSIGN_OR_RAISE(auto passed, Gather(column, passed_ranges));
      columns.push_back(std::move(passed));
    }
    for (size_t i = 0; i < lists_.size(); ++i) {
      if (spec_.lists[i].is_given) {
        ARROW_ASSIGN_OR_RAISE(auto elements, Gather(lists_[i].values(), ElementRanges(i, runs)));
        columns.push_back(std::move(elements));
      }
    }
    if (std::find(columns.begin(), columns.end(), nullptr) != columns.end()) {
      return nullptr;
    }
    if (spec_.gives_ordinality) {
      ARROW_ASSIGN_OR_RAISE(auto ordinality, Ordinality(runs, rows));
      columns.push_back(std::move(ordinality));
    }
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

  static void Append(const ChunkRange& range, std::vector<ChunkRange>* ranges) {
    if (range.count == 0) {
      return;
    }
    if (!ranges->empty()) {
      ChunkRange& last = ranges->back();
      const bool is_null = range.chunk == ChunkRange::kNullChunk;
      if (last.chunk == range.chunk && (is_null || last.begin + last.count == range.begin)) {
        last.count += range.count;
        return;
      }
    }
    ranges->push_back(range);
  }

  static std::vector<ChunkRange> PassedRanges(const std::vector<Run>& runs) {
    std::vector<ChunkRange> ranges;
    for (const Run& run : runs) {
      for (int64_t i = 0; i < run.count; ++i) {
        Append({0, run.row, 1}, &ranges);
      }
    }
    return ranges;
  }

  std::vector<ChunkRange> ElementRanges(size_t list, const std::vector<Run>& runs) const {
    std::vector<ChunkRange> ranges;
    const ListColumn& lists = lists_[list];
    const bool by_ordinal = ordinals_.has_value() && !spec_.lists[list].per_ordinal;
    for (const Run& run : runs) {
      const int64_t begin = lists.Begin(run.row);
      const int64_t length = run.is_empty ? 0 : lists.Length(run.row);
      if (by_ordinal) {
        AppendPlaces(run, begin, length, &ranges);
        continue;
      }
      const int64_t given = std::clamp<int64_t>(length - run.begin, 0, run.count);
      Append({0, begin + run.begin, given}, &ranges);
      Append({ChunkRange::kNullChunk, 0, run.count - given}, &ranges);
    }
    return ranges;
  }

  // The elements of one list at the ordinals of a run.
  void AppendPlaces(const Run& run, int64_t begin, int64_t length,
                    std::vector<ChunkRange>* ranges) const {
    const int64_t first = ordinals_->Begin(run.row) + run.begin;
    for (int64_t i = first; i < first + run.count; ++i) {
      const int64_t place = ordinal_values_->IsNull(i) ? 0 : ordinal_values_->Value(i);
      const bool is_there = place >= 1 && place <= length;
      Append({is_there ? 0 : ChunkRange::kNullChunk, is_there ? begin + place - 1 : 0, 1}, ranges);
    }
  }

  // nullptr where the values do not fit one array.
  arrow::Result<std::shared_ptr<arrow::Array>> Gather(const std::shared_ptr<arrow::Array>& values,
                                                      const std::vector<ChunkRange>& ranges) {
    if (ranges.size() == 1 && ranges[0].chunk != ChunkRange::kNullChunk) {
      return values->Slice(ranges[0].begin, ranges[0].count);
    }
    ARROW_ASSIGN_OR_RAISE(auto gathered,
                          GatherRanges(values->type(), {values}, ranges, context_->pool()));
    return gathered->num_chunks() == 1 ? gathered->chunk(0) : nullptr;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Ordinality(const std::vector<Run>& runs,
                                                          int64_t rows) {
    if (ordinals_.has_value()) {
      std::vector<ChunkRange> ranges;
      for (const Run& run : runs) {
        Append({0, ordinals_->Begin(run.row) + run.begin, run.count}, &ranges);
      }
      return Gather(ordinals_->values(), ranges);
    }
    arrow::Int64Builder builder(context_->pool());
    ARROW_RETURN_NOT_OK(builder.Reserve(rows));
    for (const Run& run : runs) {
      if (run.is_empty) {
        builder.UnsafeAppendNull();
        continue;
      }
      for (int64_t i = 1; i <= run.count; ++i) {
        builder.UnsafeAppend(run.begin + i);
      }
    }
    return builder.Finish();
  }

  QueryContext* context_;
  const UnnestSpec& spec_;
  const std::shared_ptr<arrow::Schema>& schema_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::shared_ptr<arrow::RecordBatch> passed_;
  RowWidths widths_;
  int64_t rows_max_;
  std::vector<ListColumn> lists_;
  std::optional<ListColumn> ordinals_;
  const arrow::Int64Array* ordinal_values_ = nullptr;
  Position position_;
};

struct Unnesting {
  QueryContext* context;
  UnnestSpec spec;
  std::shared_ptr<arrow::Schema> schema;
};

class UnnestMorsel final : public Morsel {
 public:
  UnnestMorsel(std::shared_ptr<const Unnesting> unnesting, std::unique_ptr<Morsel> input)
      : unnesting_(std::move(unnesting)), input_(std::move(input)) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      ARROW_RETURN_NOT_OK(unnesting_->context->CheckStop());
      if (!current_.has_value()) {
        ARROW_ASSIGN_OR_RAISE(auto batch, input_->Next());
        if (batch == nullptr) {
          return nullptr;
        }
        current_.emplace(unnesting_->context, unnesting_->spec, unnesting_->schema,
                         std::move(batch));
      }
      ARROW_ASSIGN_OR_RAISE(auto result, current_->Next());
      if (result != nullptr) {
        return result;
      }
      current_.reset();
    }
  }

 private:
  std::shared_ptr<const Unnesting> unnesting_;
  std::unique_ptr<Morsel> input_;
  std::optional<BatchUnnester> current_;
};

class UnnestStream final : public BatchStream {
 public:
  UnnestStream(std::shared_ptr<const Unnesting> unnesting, std::unique_ptr<BatchStream> input)
      : unnesting_(std::move(unnesting)), input_(std::move(input)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return unnesting_->schema; }
  arrow::Status Prepare() override { return input_->Prepare(); }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    ARROW_ASSIGN_OR_RAISE(auto morsel, input_->NextMorsel());
    if (morsel == nullptr) {
      return nullptr;
    }
    return std::make_unique<UnnestMorsel>(unnesting_, std::move(morsel));
  }

 private:
  std::shared_ptr<const Unnesting> unnesting_;
  std::unique_ptr<BatchStream> input_;
};

}  // namespace

std::unique_ptr<BatchStream> MakeUnnest(QueryContext* context, std::unique_ptr<BatchStream> input,
                                        UnnestSpec spec, std::shared_ptr<arrow::Schema> schema) {
  auto unnesting =
      std::make_shared<const Unnesting>(Unnesting{context, std::move(spec), std::move(schema)});
  return std::make_unique<UnnestStream>(std::move(unnesting), std::move(input));
}

}  // namespace keepone
