// SPDX-License-Identifier: Apache-2.0
#pragma once

// The whole syntax tree: what the parser makes of a statement, and the binder and the printer read.
#include "sql/ast_call.h"       // IWYU pragma: export
#include "sql/ast_expr.h"       // IWYU pragma: export
#include "sql/ast_node.h"       // IWYU pragma: export
#include "sql/ast_operator.h"   // IWYU pragma: export
#include "sql/ast_query.h"      // IWYU pragma: export
#include "sql/ast_statement.h"  // IWYU pragma: export
