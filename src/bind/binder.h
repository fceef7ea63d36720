// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "base/column_id.h"
#include "bind/catalog.h"
#include "plan/node.h"
#include "sql/ast_query.h"

namespace keepone {

// Where NULLs stand in an ordering that does not say it (SET default_null_order).
enum class NullOrder {
  kLast,   // nulls_last: behind all values, ascending and descending
  kFirst,  // nulls_first: before all values
  kMax,    // nulls_max: as if above every value, so last ascending and first descending
  kMin,    // nulls_min: as if below every value
};

struct BindOptions {
  NullOrder null_order = NullOrder::kLast;
};

// A query with its names and types resolved. The columns of the plan's root are the output in
// order, under the names that are shown; a name may stand twice, an id may not.
struct BoundQuery {
  NodePtr plan;
};

// Makes the plan of a query as it is written: no rule has been applied. Opens the files that it
// names. Errors are of kind bind or unsupported (data when a file is at fault) and have a place.
arrow::Result<BoundQuery> BindQuery(const ast::Query& query, const Catalog& catalog,
                                    const BindOptions& options, ColumnIdGenerator* ids);

// The query with its columns converted, by position, to `columns`' types and renamed to their
// names: for INSERT and CREATE TABLE with a column list. The number of columns must agree.
struct ColumnTarget {
  std::string name;
  TypePtr type;  // nullptr keeps the type
};
arrow::Result<BoundQuery> ConvertColumns(const BoundQuery& query,
                                         const std::vector<ColumnTarget>& columns,
                                         ColumnIdGenerator* ids, SourceSpan span);

// The type that a name stands for: any SQL spelling, without regard to case.
arrow::Result<TypePtr> ResolveType(const ast::TypeName& name);

// The type that a text names: "DECIMAL(10, 2)[]". Places in errors count in the text.
arrow::Result<TypePtr> ResolveTypeText(std::string_view text);

}  // namespace keepone
