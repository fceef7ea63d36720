// SPDX-License-Identifier: Apache-2.0
#include "sql/keywords.h"
#include "sql/printer.h"

namespace keepone::ast {

namespace {

// The operand that the text of `expr` begins with, or nullptr when it begins with something else.
const Expr* LeftOperand(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kBinary:
      return expr.As<BinaryExpr>().left.get();
    case ExprKind::kLogic:
      return expr.As<LogicExpr>().operands[0].get();
    case ExprKind::kIs:
      return expr.As<IsExpr>().operand.get();
    case ExprKind::kBetween:
      return expr.As<BetweenExpr>().operand.get();
    case ExprKind::kInList:
      return expr.As<InListExpr>().operand.get();
    case ExprKind::kInQuery:
      return expr.As<InQueryExpr>().operand.get();
    case ExprKind::kLike:
      return expr.As<LikeExpr>().operand.get();
    case ExprKind::kQuantified:
      return expr.As<QuantifiedExpr>().operand.get();
    default:
      return nullptr;
  }
}

// Whether the text of `expr` begins with an operand and `op`, as in a -> b or a = b + c.
bool BeginsWith(const Expr& expr, BinaryOp op) {
  for (const Expr* node = &expr; node != nullptr; node = LeftOperand(*node)) {
    if (node->kind == ExprKind::kBinary && node->As<BinaryExpr>().op == op) {
      return true;
    }
  }
  return false;
}

bool IsPosition(const NamePath& name) {
  return name.size() == 1 && !name[0].quoted && EqualsKeyword(name[0].text, "POSITION");
}

}  // namespace

void Printer::PrintCall(const CallExpr& call) {
  PutPath(call.name);
  Put("(");
  PutIf(call.distinct, "DISTINCT ");
  PrintArguments(call.arguments,
                 IsPosition(call.name) ? ArgumentPlace::kPosition : ArgumentPlace::kCall);
  // A blank before each clause but not after the opening parenthesis.
  const auto begin_clause = [this](std::string_view keyword) {
    PutIf(text_.back() != '(', " ");
    Put(keyword);
  };
  if (call.having.has_value()) {
    begin_clause(call.having->max ? "HAVING MAX " : "HAVING MIN ");
    PrintExpr(*call.having->expr);
  }
  if (!call.order_by.empty()) {
    begin_clause("ORDER BY ");
    PrintOrderItems(call.order_by);
  }
  if (call.limit != nullptr) {
    begin_clause("LIMIT ");
    PrintExpr(*call.limit);
  }
  Put(")");
  PrintCallTail(call);
}

void Printer::PrintCallTail(const CallExpr& call) {
  if (!call.within_group.empty()) {
    Put(" WITHIN GROUP (ORDER BY ");
    PrintOrderItems(call.within_group);
    Put(")");
  }
  PutIf(call.nulls == NullTreatment::kIgnore, " IGNORE NULLS");
  PutIf(call.nulls == NullTreatment::kRespect, " RESPECT NULLS");
  if (call.filter != nullptr) {
    Put(" FILTER (WHERE ");
    PrintExpr(*call.filter);
    Put(")");
  }
  if (call.window_name.has_value()) {
    Put(" OVER ");
    PutIdentifier(*call.window_name);
  } else if (call.window.has_value()) {
    Put(" OVER ");
    PrintWindowSpec(*call.window);
  }
}

void Printer::PrintArguments(const std::vector<Argument>& arguments, ArgumentPlace place) {
  PutList(arguments, [&](const Argument& argument) { PrintArgument(argument, place); });
}

void Printer::PrintArgument(const Argument& argument, ArgumentPlace place) {
  if (argument.name.has_value()) {
    PutIdentifier(*argument.name);
    Put(" => ");
  }
  // In parentheses, a -> b is no lambda and a = b no named argument.
  const bool in_parentheses =
      BeginsWith(*argument.value, BinaryOp::kArrow) ||
      (place == ArgumentPlace::kTableFunction && !argument.name.has_value() &&
       BeginsWith(*argument.value, BinaryOp::kEqual));
  PutIf(in_parentheses, "(");
  // An IN in the argument of position would end it.
  PrintExpr(*argument.value, place == ArgumentPlace::kPosition && !in_parentheses
                                 ? Tighter(Precedence::kRange)
                                 : Precedence::kAny);
  PutIf(in_parentheses, ")");
}

void Printer::PrintLambda(const LambdaExpr& lambda) {
  Put("lambda ");
  PutList(lambda.parameters, [this](const Identifier& parameter) { PutIdentifier(parameter); });
  Put(": ");
  PrintExpr(*lambda.body);
}

void Printer::PrintOrderItems(const std::vector<OrderItem>& items) {
  PutList(items, [this](const OrderItem& item) {
    PrintExpr(*item.expr);
    PrintSortOrder(item.order);
  });
}

void Printer::PrintSortOrder(const SortOrder& order) {
  PutIf(order.direction == SortDirection::kAscending, " ASC");
  PutIf(order.direction == SortDirection::kDescending, " DESC");
  PutIf(order.nulls == NullPlacement::kFirst, " NULLS FIRST");
  PutIf(order.nulls == NullPlacement::kLast, " NULLS LAST");
}

void Printer::PrintWindowSpec(const WindowSpec& spec) {
  Put("(");
  const auto begin_clause = [this](std::string_view keyword) {
    PutIf(text_.back() != '(', " ");
    Put(keyword);
  };
  if (spec.base.has_value()) {
    PutIdentifier(*spec.base);
  }
  if (!spec.partition_by.empty()) {
    begin_clause("PARTITION BY ");
    PutExprs(spec.partition_by);
  }
  if (!spec.order_by.empty()) {
    begin_clause("ORDER BY ");
    PrintOrderItems(spec.order_by);
  }
  if (spec.frame.has_value()) {
    begin_clause("");
    PrintFrame(*spec.frame);
  }
  Put(")");
}

void Printer::PrintFrame(const WindowFrame& frame) {
  switch (frame.unit) {
    case FrameUnit::kRows:
      Put("ROWS");
      break;
    case FrameUnit::kRange:
      Put("RANGE");
      break;
    case FrameUnit::kGroups:
      Put("GROUPS");
      break;
  }
  Put(" BETWEEN ");
  PrintFrameBound(frame.start);
  Put(" AND ");
  PrintFrameBound(frame.end);
  PutIf(frame.exclusion == FrameExclusion::kCurrentRow, " EXCLUDE CURRENT ROW");
  PutIf(frame.exclusion == FrameExclusion::kGroup, " EXCLUDE GROUP");
  PutIf(frame.exclusion == FrameExclusion::kTies, " EXCLUDE TIES");
}

void Printer::PrintFrameBound(const FrameBound& bound) {
  switch (bound.kind) {
    case FrameBoundKind::kUnboundedPreceding:
      return Put("UNBOUNDED PRECEDING");
    case FrameBoundKind::kUnboundedFollowing:
      return Put("UNBOUNDED FOLLOWING");
    case FrameBoundKind::kCurrentRow:
      return Put("CURRENT ROW");
    case FrameBoundKind::kPreceding:
    case FrameBoundKind::kFollowing:
      break;
  }
  PrintExpr(*bound.offset, Tighter(Precedence::kAnd));
  Put(bound.kind == FrameBoundKind::kPreceding ? " PRECEDING" : " FOLLOWING");
}

}  // namespace keepone::ast
