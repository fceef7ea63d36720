// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sql/ast.h"

namespace keepone {

// The SQL text of a tree, on one line, keywords in capitals, with no more parentheses than needed.
// Parsing it gives the same tree, spans aside; and printing that tree the same text.
std::string Print(const ast::Statement& statement);
std::string Print(const ast::Query& query);
std::string Print(const ast::Expr& expr);
std::string Print(const ast::TypeName& type);

}  // namespace keepone
