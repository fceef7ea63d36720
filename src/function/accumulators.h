// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <arrow/result.h>

#include "function/group_accumulator.h"
#include "function/scalar_function.h"

namespace keepone {

using AccumulatorResult = arrow::Result<std::unique_ptr<GroupAccumulator>>;

// Behind each function stand the columns of its exported state (GroupAccumulator::ExportState).
// Numbers wider than 8 bytes are written as FixedSizeBinary, two's complement, the low byte first.

// Rows; or rows whose argument is not NULL; or rows whose argument is TRUE. Gives INT64.
// State: INT64 count.
enum class CountedRows { kAll, kNotNull, kTrue };
AccumulatorResult MakeCountAccumulator(QueryContext* context, CountedRows counted);

// Sums and averages. INT64 and decimals are summed without overflow and fail at the end when the
// sum does not fit `result`; doubles are summed exactly and rounded once. NULL over no values.
// `argument` is INT64, DOUBLE, decimal128 or decimal256.
// State: INT64 count of the values; their sum: of integers 16 bytes, of decimals, without the
// point, 32 bytes, of doubles the two columns of an exact sum (state_column.h).
enum class SumForm { kSum, kAverage };
AccumulatorResult MakeSumAccumulator(QueryContext* context, SumForm form, const TypePtr& argument,
                                     const TypePtr& result);

// The largest or smallest value that is not NULL, of any type. Equal values with different bits
// (0.0 and -0.0) give the same one whatever the order of the rows, fixed width types only.
// State: the value so far, or NULL.
enum class ExtremeForm { kMin, kMax };
AccumulatorResult MakeExtremeAccumulator(QueryContext* context, ExtremeForm form,
                                         const TypePtr& type);

// FALSE when one value is FALSE (kAnd); TRUE when one is TRUE (kOr); NULL over no values.
// State: UINT8, 1 when a value was TRUE, 2 when one was FALSE, or the sum of both.
enum class TruthForm { kAnd, kOr };
AccumulatorResult MakeTruthAccumulator(QueryContext* context, TruthForm form);

// Variance and standard deviation of doubles, from exact sums of the values and their squares.
// Samples of fewer than two values and populations of none give NULL.
// State: INT64 count; the exact sums of the values and of their squares, two columns each.
struct MomentForm {
  bool square_root;
  bool sample;
};
AccumulatorResult MakeMomentAccumulator(QueryContext* context, MomentForm form);

}  // namespace keepone
