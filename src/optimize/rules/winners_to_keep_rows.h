// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Keeps one whole row per group instead of a winning value per column.
//
//   Aggregate: group [k],                       Project: k, a AS first_value, b AS first_value
//     first_value(a ORDER BY o),                  KeepRows: group [k], order [o], first 1
//     first_value(b ORDER BY o)           =>        Scan: [k, o, a, b]
//       Scan: [k, o, a, b]
//
// (array_agg(a ORDER BY o))[n] is read as nth_value(a, n ORDER BY o) first, in any Aggregate, when
// the list is used for nothing else.
//
// Fires where all calls take their values from one row: first_value, last_value, max_by, min_by,
// any_value and their aliases, with one ordering, FILTER and treatment of NULLs. Rows that do not
// count come behind the others by a leading key, and a group without one that counts gives NULL.
// The groups then come in the order of their winners, not of their first rows.
//
// Without groups the Aggregate stays, over the one row kept: no row in still gives one row out.
// It stays as well, over the first n rows of each group, where calls read more than the first:
// nth_value(a, n), max_by(a, b, n), array_agg(a ORDER BY o LIMIT n).
//
//   Aggregate: group [k],                         Aggregate: group [k], ...
//     nth_value(a, 2 ORDER BY o),                   KeepRows: group [k], order [o], first 3
//     array_agg(b ORDER BY o LIMIT 3)      =>         Scan: [k, o, a, b]
//     Scan: [k, o, a, b]
//
// Does not fire with other aggregates beside (late_fetch looks after these), nor with several
// orderings.
arrow::Result<NodePtr> WinnersToKeepRows(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
