// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <arrow/type_fwd.h>

namespace keepone {

// The SQL name of a type, as it is written in CAST and shown by DESCRIBE: "BIGINT", "VARCHAR",
// "DECIMAL(10,2)", "TIMESTAMP WITH TIME ZONE", "STRUCT(a BIGINT, b VARCHAR)[]".
std::string SqlTypeName(const arrow::DataType& type);

}  // namespace keepone
