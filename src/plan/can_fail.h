// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/expr.h"

namespace keepone {

// Whether computing the expression may be an error for some values of its columns: 1 / x,
// CAST(x AS INTEGER), x + 1. Such an expression is not moved to where it would be computed for rows
// that the statement keeps from it. FALSE only for what is known never to fail.
bool CanFail(const Expr& expr);

}  // namespace keepone
