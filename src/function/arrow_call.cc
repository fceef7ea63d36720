// SPDX-License-Identifier: Apache-2.0
#include "function/arrow_call.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/chunked_array.h>
#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>

namespace keepone {

arrow::MemoryPool* PoolOf(QueryContext* context) {
  return context != nullptr ? context->pool() : arrow::default_memory_pool();
}

arrow::Status PrepareArrowKernels() {
  static std::once_flag once;
  static arrow::Status status;
  std::call_once(once, [] { status = arrow::compute::Initialize(); });
  return status;
}

arrow::Result<arrow::Datum> CallArrow(QueryContext* context, const std::string& kernel,
                                      const std::vector<arrow::Datum>& arguments,
                                      const arrow::compute::FunctionOptions* options) {
  ARROW_RETURN_NOT_OK(PrepareArrowKernels());
  arrow::compute::ExecContext exec(PoolOf(context));
  exec.set_use_threads(false);
  return arrow::compute::CallFunction(kernel, arguments, options, &exec);
}

arrow::Result<arrow::Datum> CallArrowCast(QueryContext* context, const arrow::Datum& value,
                                          const std::shared_ptr<arrow::DataType>& type,
                                          ArrowCast mode) {
  ARROW_RETURN_NOT_OK(PrepareArrowKernels());
  arrow::compute::ExecContext exec(PoolOf(context));
  exec.set_use_threads(false);
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
  if (mode == ArrowCast::kLossy) {
    options.allow_time_truncate = true;
    options.allow_decimal_truncate = true;
    options.allow_float_truncate = true;
  }
  return arrow::compute::Cast(value, options, &exec);
}

arrow::Result<std::shared_ptr<arrow::Array>> DatumToArray(QueryContext* context,
                                                          const arrow::Datum& value,
                                                          int64_t length) {
  if (value.is_array()) {
    return value.make_array();
  }
  if (value.is_chunked_array()) {
    return arrow::Concatenate(value.chunked_array()->chunks(), PoolOf(context));
  }
  return arrow::MakeArrayFromScalar(*value.scalar(), length, PoolOf(context));
}

arrow::Result<std::shared_ptr<arrow::Array>> TakeRows(QueryContext* context,
                                                      const std::shared_ptr<arrow::Array>& array,
                                                      const std::vector<int64_t>& positions) {
  arrow::Int64Builder builder(PoolOf(context));
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(positions.size())));
  for (const int64_t position : positions) {
    if (position < 0) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(position);
    }
  }
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> indices, builder.Finish());
  const arrow::Result<arrow::Datum> taken = CallArrow(context, "take", {array, indices});
  if (taken.ok()) {
    return taken->make_array();
  }
  if (!taken.status().IsNotImplemented() || positions.empty()) {
    return positions.empty() ? arrow::MakeEmptyArray(array->type(), PoolOf(context))
                             : arrow::Result<std::shared_ptr<arrow::Array>>(taken.status());
  }
  // Views and run ends have no such kernel, but every type can be sliced and joined again.
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Array> null,
                        arrow::MakeArrayOfNull(array->type(), 1, PoolOf(context)));
  arrow::ArrayVector slices;
  slices.reserve(positions.size());
  for (const int64_t position : positions) {
    slices.push_back(position < 0 ? null : array->Slice(position, 1));
  }
  return arrow::Concatenate(slices, PoolOf(context));
}

}  // namespace keepone
