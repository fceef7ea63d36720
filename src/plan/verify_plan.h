// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/status.h>

#include "plan/node.h"

namespace keepone {

// Checks what every plan must keep: each column that a node reads is given by its input with the
// type it is read as, ids are given once, predicates are BOOLEAN, payloads and sources fit, limits
// are not negative. A violation is an internal error that prints the node.
arrow::Status VerifyPlan(const Node& root);

}  // namespace keepone
