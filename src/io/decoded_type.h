// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace keepone {

// Arrow has several forms of one type: views, dictionaries and run-end encodings. What is read from
// files has the plain one, at any depth: the values that they stand for, which all functions take.
std::shared_ptr<arrow::DataType> DecodedType(const std::shared_ptr<arrow::DataType>& type);
arrow::FieldVector DecodedFields(const arrow::FieldVector& fields);

// The values in the plain form of their type; the array itself where that is its own form.
// REQUIRES: ValidateFull() finds no fault. CapacityError where the values do not fit 32-bit
// offsets: fewer rows may.
arrow::Result<std::shared_ptr<arrow::Array>> DecodedArray(
    const std::shared_ptr<arrow::Array>& array, arrow::MemoryPool* pool);

}  // namespace keepone
