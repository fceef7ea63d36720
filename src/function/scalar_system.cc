// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/array/builder_primitive.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "function/arrow_call.h"
#include "function/cast.h"
#include "function/scalar_row.h"
#include "function/text_rows.h"

namespace keepone {

namespace {

using Resolved = arrow::Result<std::optional<ScalarResolution>>;

// Mixes all bits of a number; neighbours become unrelated.
uint64_t Mix(uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

// Doubles from 0 to below 1, from the seed, the call's number and the row's number.
Resolved ResolveRandom(ScalarArguments arguments) {
  if (!arguments.empty()) {
    return std::nullopt;
  }
  // Two calls in one statement are two sequences.
  static std::atomic<uint64_t> calls{0};
  const uint64_t call_number = calls.fetch_add(1, std::memory_order_relaxed);
  ScalarResolution resolution;
  resolution.result_type = arrow::float64();
  resolution.deterministic = false;
  resolution.run = [call_number](const ScalarCall& call,
                                 const std::vector<arrow::Datum>&) -> arrow::Result<arrow::Datum> {
    const uint64_t seed = Mix(call.context->random_seed() ^ Mix(call_number));
    arrow::DoubleBuilder builder(call.context->pool());
    ARROW_RETURN_NOT_OK(builder.Reserve(call.row_count));
    for (int64_t row = 0; row < call.row_count; ++row) {
      const uint64_t bits = Mix(seed + static_cast<uint64_t>(call.first_row + row));
      builder.UnsafeAppend(static_cast<double>(bits >> 11) * 0x1p-53);
    }
    ARROW_ASSIGN_OR_RAISE(auto array, builder.Finish());
    return arrow::Datum(std::move(array));
  };
  return resolution;
}

Resolved ResolveTypeOf(ScalarArguments arguments) {
  if (arguments.size() != 1) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types = {arguments[0].type};
  resolution.result_type = arrow::utf8();
  resolution.run = [name = SqlTypeName(*arguments[0].type)](
                       const ScalarCall&,
                       const std::vector<arrow::Datum>&) -> arrow::Result<arrow::Datum> {
    return arrow::Datum(std::make_shared<arrow::StringScalar>(name));
  };
  return resolution;
}

arrow::Status Fail(const TextRow& row, std::string*) {
  return DataError(row.Text(0));
}

}  // namespace

std::vector<ScalarRow> SystemRows() {
  return {
      {"random",
       {"rand"},
       "random() -> DOUBLE",
       "a random number from 0 to below 1",
       ResolveRandom},
      {"typeof",
       {"pg_typeof"},
       "typeof(ANY) -> VARCHAR",
       "the name of the value's type",
       ResolveTypeOf},
      {"error",
       {},
       "error(VARCHAR) -> VARCHAR",
       "fails with the message",
       Overloads({{{arrow::utf8()}, arrow::utf8(), TextKernel(Fail)}})},
  };
}

}  // namespace keepone
