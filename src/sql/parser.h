// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "sql/ast.h"

namespace keepone {

// Reads statements divided by semicolons; empty ones are left out. Spans count from the beginning
// of `sql`. A syntax error says what stands where it should not, and what is expected there; an
// unsupported error names a construct that is known and not read.
// Nesting is bounded, of parentheses as of long chains of operators, so that whoever walks the
// tree may recurse.
arrow::Result<std::vector<ast::StatementPtr>> ParseStatements(std::string_view sql);

// Reads a single expression.
arrow::Result<ast::ExprPtr> ParseExpression(std::string_view sql);

// Reads the name of a type: "DECIMAL(10, 2)[]".
arrow::Result<ast::TypeName> ParseTypeName(std::string_view sql);

}  // namespace keepone
