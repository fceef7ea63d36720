// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Picks rows by their keys and addresses alone, and reads the payload of the picked rows later.
//
//   KeepRows: group [k], order [o], gives [k, p]     Project: k, p
//     Project: k, o, f(w) AS p                         Project: k, f(w) AS p
//       Filter: x > 0                                    Fetch: [k, w] by row_address
//         Scan: [k, o, w, x]                      =>       KeepRows: group [k'], order [o'],
//                                                                    gives [row_address]
//                                                            Filter: x' > 0
//                                                              Scan: [k', o', x'] with addresses
//
// The same for a Sort with a limit, whose Fetch keeps the order; for a Filter over a Fetch, which
// then reads for the rows that pass alone; and for one ordering of winner calls beside other
// aggregates, where a winner call of the address stands for them.
//
// Fires where the input is a chain of Filters and Projects over a source that can be read again by
// address, or over an earlier Fetch. A column that is not deterministic is computed once, below,
// and carried. Does not fire where it does not pay: a payload that the keys cover, or one so narrow
// that carrying it costs less than a second read of its pages. `settings->form` overrules that.
// A KeepRows says in `form` what was chosen and why.
//
// A Limit sinks below Projects and a Fetch, so that no row is fetched in vain.
arrow::Result<NodePtr> LateFetch(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
