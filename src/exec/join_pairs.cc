// SPDX-License-Identifier: Apache-2.0
#include "exec/join_pairs.h"

#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "column/gather_array.h"

namespace keepone {

namespace {

using Ranges = ArrayGather::Ranges;

// As ArrayGather::AppendRange, in line: there is one for each row.
void AppendRow(int32_t chunk, int64_t row, Ranges* ranges) {
  if (!ranges->empty()) {
    ChunkRange& last = ranges->back();
    if (last.chunk == chunk &&
        (chunk == ChunkRange::kNullChunk || last.begin + last.count == row)) {
      ++last.count;
      return;
    }
  }
  ranges->push_back({chunk, row, 1});
}

Ranges LeftRanges(std::span<const int64_t> rows) {
  Ranges ranges;
  ranges.reserve(rows.size());
  for (const int64_t row : rows) {
    const bool none = row == JoinPairs::kNoRow;
    AppendRow(none ? ChunkRange::kNullChunk : 0, none ? 0 : row, &ranges);
  }
  return ranges;
}

Ranges RightRanges(const JoinBuild& build, std::span<const int64_t> rows) {
  Ranges ranges;
  ranges.reserve(rows.size());
  for (const int64_t row : rows) {
    if (row == JoinPairs::kNoRow) {
      AppendRow(ChunkRange::kNullChunk, 0, &ranges);
    } else {
      const RowRef place = build.Place(static_cast<uint32_t>(row));
      AppendRow(place.chunk, place.row, &ranges);
    }
  }
  return ranges;
}

// nullptr where the rows overflow one array.
arrow::Result<std::shared_ptr<arrow::Array>> GatherColumn(
    const std::shared_ptr<arrow::DataType>& type, const ArrayGather::Chunks& chunks,
    const Ranges& ranges, size_t rows, arrow::MemoryPool* pool) {
  ArrayGather gather(pool);
  auto data = gather.Gather(type, chunks, ranges, static_cast<int64_t>(rows));
  if (gather.overflowed()) {
    if (rows == 1) {
      return DataError("a value of type ", type->ToString(), " is too large for that type");
    }
    return nullptr;
  }
  ARROW_RETURN_NOT_OK(data);
  return arrow::MakeArray(std::move(data).ValueUnsafe());
}

class PairGather {
 public:
  PairGather(QueryContext* context, const JoinShape& shape, const JoinBuild& build,
             const arrow::RecordBatch* left, bool share_left)
      : context_(context), shape_(shape), build_(build), left_(left), share_left_(share_left) {}

  arrow::Status Gather(JoinPairsView pairs, arrow::RecordBatchVector* out) {
    ARROW_ASSIGN_OR_RAISE(auto batch, GatherOne(pairs));
    if (batch != nullptr) {
      out->push_back(std::move(batch));
      return arrow::Status::OK();
    }
    const size_t half = pairs.size() / 2;
    ARROW_RETURN_NOT_OK(Gather({pairs.left.first(half), pairs.right.first(half)}, out));
    return Gather({pairs.left.subspan(half), pairs.right.subspan(half)}, out);
  }

 private:
  // nullptr where the pairs do not fit one batch.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> GatherOne(JoinPairsView pairs) {
    arrow::ArrayVector columns;
    ARROW_ASSIGN_OR_RAISE(bool fits, AddLeft(pairs, &columns));
    if (fits) {
      ARROW_ASSIGN_OR_RAISE(fits, AddRight(pairs, &columns));
    }
    return fits ? arrow::RecordBatch::Make(shape_.schema, static_cast<int64_t>(pairs.size()),
                                           std::move(columns))
                : nullptr;
  }

  arrow::Result<bool> AddLeft(JoinPairsView pairs, arrow::ArrayVector* columns) {
    const int count = shape_.left_schema->num_fields();
    if (share_left_) {
      const bool all = static_cast<int64_t>(pairs.size()) == left_->num_rows();
      for (int i = 0; i < count; ++i) {
        columns->push_back(
            all ? left_->column(i)
                : left_->column(i)->Slice(pairs.left[0], static_cast<int64_t>(pairs.size())));
      }
      return true;
    }
    const Ranges ranges = LeftRanges(pairs.left);
    for (int i = 0; i < count; ++i) {
      ArrayGather::Chunks chunks;
      if (left_ != nullptr) {
        chunks.push_back(left_->column_data(i).get());
      }
      ARROW_ASSIGN_OR_RAISE(auto column, GatherColumn(shape_.left_schema->field(i)->type(), chunks,
                                                      ranges, pairs.size(), context_->pool()));
      if (column == nullptr) {
        return false;
      }
      columns->push_back(std::move(column));
    }
    return true;
  }

  arrow::Result<bool> AddRight(JoinPairsView pairs, arrow::ArrayVector* columns) {
    const int count = shape_.right_schema->num_fields();
    if (count == 0) {
      return true;
    }
    const Ranges ranges = RightRanges(build_, pairs.right);
    for (int i = 0; i < count; ++i) {
      ARROW_ASSIGN_OR_RAISE(
          auto column, GatherColumn(shape_.right_schema->field(i)->type(), build_.column(i), ranges,
                                    pairs.size(), context_->pool()));
      if (column == nullptr) {
        return false;
      }
      columns->push_back(std::move(column));
    }
    return true;
  }

  QueryContext* context_;
  const JoinShape& shape_;
  const JoinBuild& build_;
  const arrow::RecordBatch* left_;
  bool share_left_;
};

// The pairs' columns that the residual reads, in their places; the others are of type NULL.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ResidualInput(QueryContext* context,
                                                                 const JoinShape& shape,
                                                                 const JoinBuild& build,
                                                                 const arrow::RecordBatch& left,
                                                                 const JoinPairs& pairs) {
  const auto rows = static_cast<int64_t>(pairs.size());
  arrow::ArrayVector columns(static_cast<size_t>(shape.left_columns + shape.right_columns),
                             std::make_shared<arrow::NullArray>(rows));
  const auto gather = [&](const std::shared_ptr<arrow::DataType>& type,
                          const ArrayGather::Chunks& chunks, const Ranges& ranges,
                          int place) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto column,
                          GatherColumn(type, chunks, ranges, pairs.size(), context->pool()));
    if (column == nullptr) {
      return ResourceError(rows, " rows of type ", type->ToString(),
                           " are too large for one batch");
    }
    columns[static_cast<size_t>(place)] = std::move(column);
    return arrow::Status::OK();
  };
  if (!shape.residual_left.empty()) {
    const Ranges ranges = LeftRanges(pairs.left);
    for (const int column : shape.residual_left) {
      ARROW_RETURN_NOT_OK(gather(shape.left_schema->field(column)->type(),
                                 {left.column_data(column).get()}, ranges, column));
    }
  }
  if (!shape.residual_right.empty()) {
    const Ranges ranges = RightRanges(build, pairs.right);
    for (const int column : shape.residual_right) {
      ARROW_RETURN_NOT_OK(gather(shape.right_schema->field(column)->type(), build.column(column),
                                 ranges, shape.left_columns + column));
    }
  }
  arrow::FieldVector fields;
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto at = static_cast<int>(i);
    const auto& field = at < shape.left_columns
                            ? shape.left_schema->field(at)
                            : shape.right_schema->field(at - shape.left_columns);
    fields.push_back(arrow::field(field->name(), columns[i]->type()));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(columns));
}

}  // namespace

arrow::Result<arrow::RecordBatchVector> GatherPairs(QueryContext* context, const JoinShape& shape,
                                                    const JoinBuild& build,
                                                    const arrow::RecordBatch* left, bool share_left,
                                                    JoinPairsView pairs) {
  arrow::RecordBatchVector batches;
  ARROW_RETURN_NOT_OK(PairGather(context, shape, build, left, share_left).Gather(pairs, &batches));
  return batches;
}

arrow::Status EvaluateResidual(QueryContext* context, const JoinShape& shape,
                               const JoinBuild& build, const arrow::RecordBatch& left,
                               const JoinPairs& pairs, int64_t position,
                               std::vector<uint8_t>* wanted) {
  ARROW_ASSIGN_OR_RAISE(const auto input, ResidualInput(context, shape, build, left, pairs));
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum value,
                        shape.residual->Evaluate(context, *input, position));
  if (value.is_scalar()) {
    const arrow::Scalar& scalar = *value.scalar();
    const bool all =
        scalar.is_valid && arrow::internal::checked_cast<const arrow::BooleanScalar&>(scalar).value;
    wanted->assign(pairs.size(), all ? 1 : 0);
    return arrow::Status::OK();
  }
  const std::shared_ptr<arrow::Array> array = value.make_array();
  const auto& mask = arrow::internal::checked_cast<const arrow::BooleanArray&>(*array);
  wanted->resize(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    (*wanted)[i] = mask.IsValid(row) && mask.Value(row) ? 1 : 0;
  }
  return arrow::Status::OK();
}

}  // namespace keepone
