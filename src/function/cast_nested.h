// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "function/scalar_function.h"

namespace keepone {

// Casts an array as a whole: one value that does not fit fails it, with an Arrow error that quotes
// nothing. REQUIRES: CanCast of the types.
arrow::Result<std::shared_ptr<arrow::Array>> CastWhole(QueryContext* context,
                                                       const std::shared_ptr<arrow::Array>& array,
                                                       const TypePtr& type, bool try_cast);

// The same between lists, structs and maps, value by value. REQUIRES: `array` is plain.
arrow::Result<std::shared_ptr<arrow::Array>> CastNested(QueryContext* context,
                                                        const std::shared_ptr<arrow::Array>& array,
                                                        const TypePtr& type, bool try_cast);

// A plain array as a dictionary, a view, run ends or an extension of its type.
arrow::Result<std::shared_ptr<arrow::Array>> CastToEncoded(
    QueryContext* context, const std::shared_ptr<arrow::Array>& array, const TypePtr& type);

}  // namespace keepone
