// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bind/binder.h"
#include "sql/ast_call.h"

namespace keepone {

struct KeyOrder {
  bool descending;
  bool nulls_first;
};

// Direction and place of NULLs of a sort key, with what the statement leaves open decided.
KeyOrder ResolveOrder(const ast::SortOrder& order, NullOrder null_order);

}  // namespace keepone
