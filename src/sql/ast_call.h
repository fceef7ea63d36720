// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sql/ast_expr.h"

namespace keepone::ast {

enum class SortDirection { kDefault, kAscending, kDescending };
enum class NullPlacement { kDefault, kFirst, kLast };

struct SortOrder {
  SortDirection direction = SortDirection::kDefault;
  NullPlacement nulls = NullPlacement::kDefault;
};

struct OrderItem {
  ExprPtr expr;
  SortOrder order;
  SourceSpan span;
};

enum class FrameUnit { kRows, kRange, kGroups };
enum class FrameBoundKind {
  kUnboundedPreceding,
  kPreceding,  // offset PRECEDING
  kCurrentRow,
  kFollowing,  // offset FOLLOWING
  kUnboundedFollowing,
};
enum class FrameExclusion { kNoOthers, kCurrentRow, kGroup, kTies };

struct FrameBound {
  FrameBoundKind kind = FrameBoundKind::kCurrentRow;
  ExprPtr offset;  // kPreceding and kFollowing only.
  SourceSpan span;
};

// A frame without BETWEEN ends at the current row.
struct WindowFrame {
  FrameUnit unit = FrameUnit::kRange;
  FrameBound start;
  FrameBound end;
  FrameExclusion exclusion = FrameExclusion::kNoOthers;
  SourceSpan span;
};

struct WindowSpec {
  std::optional<Identifier> base;
  std::vector<ExprPtr> partition_by;
  std::vector<OrderItem> order_by;
  std::optional<WindowFrame> frame;
  SourceSpan span;
};

struct Argument {
  std::optional<Identifier> name;  // name := value, name => value, and name = value in FROM.
  ExprPtr value;
};

enum class NullTreatment { kDefault, kRespect, kIgnore };

// ANY_VALUE(x HAVING MAX expr).
struct ArgumentHaving {
  bool max = true;
  ExprPtr expr;
};

// name([DISTINCT] arguments [HAVING MAX|MIN h] [ORDER BY ..] [LIMIT n])
//   [WITHIN GROUP (ORDER BY ..)] [FILTER (WHERE ..)] [IGNORE|RESPECT NULLS] [OVER ..].
// The argument of count(*) is a StarExpr.
struct CallExpr final : ExprOf<ExprKind::kCall> {
  using NodeOf::NodeOf;
  NamePath name;
  bool distinct = false;
  std::vector<Argument> arguments;
  std::optional<ArgumentHaving> having;
  std::vector<OrderItem> order_by;
  ExprPtr limit;                        // Or nullptr.
  std::vector<OrderItem> within_group;  // Empty without WITHIN GROUP.
  ExprPtr filter;                       // Or nullptr.
  NullTreatment nulls = NullTreatment::kDefault;
  // OVER name and OVER (...); neither for a call that is no window function.
  std::optional<Identifier> window_name;
  std::optional<WindowSpec> window;
};

// x -> body, (x, y) -> body, lambda x, y: body: only as an argument.
struct LambdaExpr final : ExprOf<ExprKind::kLambda> {
  using NodeOf::NodeOf;
  std::vector<Identifier> parameters;
  ExprPtr body;
};

}  // namespace keepone::ast
