// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/datum.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"

namespace keepone {

using TypePtr = std::shared_ptr<arrow::DataType>;

// What a kernel may ask beside its arguments.
struct ScalarCall {
  QueryContext* context;
  int64_t row_count;  // of the batch; every array argument has this length
  int64_t first_row;  // of the batch within its morsel: for functions that are not deterministic
};

// A scalar function resolved for the types of its arguments.
// `run` gets each argument as a scalar or as an array of `argument_types`, and gives a scalar (when
// all arguments are scalars it may) or an array of `row_count` values of `result_type`.
// It is safe for concurrent use.
struct BoundScalarFunction {
  std::string name;                     // the canonical one: "add", "equal", "struct_extract"
  std::vector<TypePtr> argument_types;  // the caller casts the arguments to these
  TypePtr result_type;
  bool deterministic = true;  // false for random(): no folding, no pushing, no reuse
  std::function<arrow::Result<arrow::Datum>(const ScalarCall&, const std::vector<arrow::Datum>&)>
      run;
};

// An argument as the resolver sees it.
struct ScalarArgument {
  TypePtr type;
  std::shared_ptr<arrow::Scalar> literal;  // its value when it is a literal, else nullptr
  std::string name;                        // its name in struct_pack(name := value), else empty
};

// Resolves `name` (any spelling or alias, any case; operators by their word names: "add",
// "subtract", "multiply", "divide", "modulo", "negate", "concat", "equal", "not_equal", "less",
// "less_equal", "greater", "greater_equal", "is_distinct_from", "is_not_distinct_from", "is_null",
// "is_not_null", "and", "or", "not", "like", "ilike", "in_list" (value first), "struct_extract",
// "list_extract", "struct_pack", "list_value", ...).
// Errors are bind errors without a place; the caller knows it. An unknown name gives the nearest.
arrow::Result<std::shared_ptr<const BoundScalarFunction>> BindScalarFunction(
    std::string_view name, std::span<const ScalarArgument> arguments);

// Whether there is a scalar function of this name.
bool IsScalarFunction(std::string_view name);

// One line of the reference: "upper(VARCHAR) -> VARCHAR", "the text in upper case".
struct FunctionDoc {
  std::string name;
  std::string signature;
  std::string text;
};
std::vector<FunctionDoc> ScalarFunctionDocs();

}  // namespace keepone
