// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/error.h"
#include "sql/clause_parser.h"

namespace keepone::ast {

arrow::Result<std::vector<OrderItem>> ClauseParser::ParseOrderItems() {
  std::vector<OrderItem> items;
  do {
    OrderItem item;
    const SourceSpan begin = Peek().span;
    ARROW_ASSIGN_OR_RAISE(item.expr, ParseExpr());
    ARROW_ASSIGN_OR_RAISE(item.order, ParseSortOrder());
    item.span = SpanSince(begin);
    items.push_back(std::move(item));
  } while (TakeSymbol(","));
  return items;
}

arrow::Result<SortOrder> ClauseParser::ParseSortOrder() {
  SortOrder order;
  if (TakeKeyword("ASC")) {
    order.direction = SortDirection::kAscending;
  } else if (TakeKeyword("DESC")) {
    order.direction = SortDirection::kDescending;
  }
  if (TakeKeyword("NULLS")) {
    if (TakeKeyword("FIRST")) {
      order.nulls = NullPlacement::kFirst;
    } else {
      ARROW_RETURN_NOT_OK(ExpectKeyword("LAST"));
      order.nulls = NullPlacement::kLast;
    }
  }
  return order;
}

arrow::Result<WindowSpec> ClauseParser::ParseWindowSpec() {
  WindowSpec spec;
  const SourceSpan begin = Peek().span;
  ARROW_RETURN_NOT_OK(ExpectSymbol("("));
  const bool at_clause = PeekKeyword("PARTITION") || PeekKeyword("ROWS") || PeekKeyword("RANGE") ||
                         PeekKeyword("GROUPS");
  if (!at_clause && PeekName()) {
    spec.base = MakeIdentifier(Take());
    NoteBareAlias();
  }
  if (TakeKeyword("PARTITION")) {
    ARROW_RETURN_NOT_OK(ExpectKeyword("BY"));
    ARROW_ASSIGN_OR_RAISE(spec.partition_by, ParseExprList());
  }
  if (TakeKeyword("ORDER")) {
    ARROW_RETURN_NOT_OK(ExpectKeyword("BY"));
    ARROW_ASSIGN_OR_RAISE(spec.order_by, ParseOrderItems());
  }
  ARROW_ASSIGN_OR_RAISE(spec.frame, ParseFrame());
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  spec.span = SpanSince(begin);
  return spec;
}

arrow::Result<std::optional<WindowFrame>> ClauseParser::ParseFrame() {
  WindowFrame frame;
  const SourceSpan begin = Peek().span;
  if (TakeKeyword("ROWS")) {
    frame.unit = FrameUnit::kRows;
  } else if (TakeKeyword("RANGE")) {
    frame.unit = FrameUnit::kRange;
  } else if (TakeKeyword("GROUPS")) {
    frame.unit = FrameUnit::kGroups;
  } else {
    return std::nullopt;
  }
  if (TakeKeyword("BETWEEN")) {
    ARROW_ASSIGN_OR_RAISE(frame.start, ParseFrameBound());
    ARROW_RETURN_NOT_OK(ExpectKeyword("AND"));
    ARROW_ASSIGN_OR_RAISE(frame.end, ParseFrameBound());
  } else {
    ARROW_ASSIGN_OR_RAISE(frame.start, ParseFrameBound());
    frame.end.span = frame.start.span;
  }
  if (TakeKeyword("EXCLUDE")) {
    ARROW_ASSIGN_OR_RAISE(frame.exclusion, ParseFrameExclusion());
  }
  frame.span = SpanSince(begin);
  return frame;
}

arrow::Result<FrameBound> ClauseParser::ParseFrameBound() {
  FrameBound bound;
  const SourceSpan begin = Peek().span;
  if (TakeKeywords({"CURRENT", "ROW"})) {
    bound.kind = FrameBoundKind::kCurrentRow;
    bound.span = SpanSince(begin);
    return bound;
  }
  const bool unbounded = PeekKeyword("UNBOUNDED");
  if (unbounded) {
    Take();
  } else {
    Expecting("UNBOUNDED");
    // Tighter than the AND between the two bounds.
    ARROW_ASSIGN_OR_RAISE(bound.offset, ParseExpr(Tighter(Precedence::kAnd)));
  }
  if (TakeKeyword("PRECEDING")) {
    bound.kind = unbounded ? FrameBoundKind::kUnboundedPreceding : FrameBoundKind::kPreceding;
  } else {
    ARROW_RETURN_NOT_OK(ExpectKeyword("FOLLOWING"));
    bound.kind = unbounded ? FrameBoundKind::kUnboundedFollowing : FrameBoundKind::kFollowing;
  }
  bound.span = SpanSince(begin);
  return bound;
}

arrow::Result<FrameExclusion> ClauseParser::ParseFrameExclusion() {
  if (TakeKeywords({"NO", "OTHERS"})) {
    return FrameExclusion::kNoOthers;
  }
  if (TakeKeywords({"CURRENT", "ROW"})) {
    return FrameExclusion::kCurrentRow;
  }
  if (TakeKeyword("GROUP")) {
    return FrameExclusion::kGroup;
  }
  ARROW_RETURN_NOT_OK(ExpectKeyword("TIES"));
  return FrameExclusion::kTies;
}

}  // namespace keepone::ast
