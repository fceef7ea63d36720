// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "sql/interval_unit.h"
#include "sql/printer.h"

namespace keepone::ast {

void Printer::PutIdentifier(const Identifier& identifier) {
  if (!identifier.quoted) {
    Put(identifier.text);
    return;
  }
  Put("\"");
  for (const char c : identifier.text) {
    PutIf(c == '"', "\"");
    text_ += c;
  }
  Put("\"");
}

void Printer::PutPath(const NamePath& path) {
  bool first = true;
  for (const Identifier& identifier : path) {
    PutIf(!first, ".");
    first = false;
    PutIdentifier(identifier);
  }
}

void Printer::PutString(std::string_view text) {
  Put("'");
  for (const char c : text) {
    PutIf(c == '\'', "'");
    text_ += c;
  }
  Put("'");
}

void Printer::PutExprs(const std::vector<ExprPtr>& exprs) {
  PutList(exprs, [this](const ExprPtr& expr) { PrintExpr(*expr); });
}

void Printer::PutIdentifiers(const std::vector<Identifier>& identifiers) {
  Put("(");
  PutList(identifiers, [this](const Identifier& identifier) { PutIdentifier(identifier); });
  Put(")");
}

void Printer::PrintExpr(const Expr& expr, Precedence at_least) {
  const bool in_parentheses =
      PrecedenceOf(expr) < (parentheses_ == Parentheses::kAll ? Precedence::kPostfix : at_least);
  PutIf(in_parentheses, "(");
  PrintExprNode(expr);
  PutIf(in_parentheses, ")");
}

void Printer::PrintExprNode(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return PrintLiteral(expr.As<LiteralExpr>());
    case ExprKind::kInterval:
      return PrintInterval(expr.As<IntervalExpr>());
    case ExprKind::kTypedLiteral:
      PrintType(expr.As<TypedLiteralExpr>().type);
      Put(" ");
      return PutString(expr.As<TypedLiteralExpr>().text);
    case ExprKind::kColumn:
      return PutPath(expr.As<ColumnExpr>().path);
    case ExprKind::kStar:
      return PrintStar(expr.As<StarExpr>());
    case ExprKind::kParameter: {
      const std::string& name = expr.As<ParameterExpr>().name;
      return Put(name.empty() ? "?" : "$" + name);
    }
    case ExprKind::kList:
      Put("[");
      PutExprs(expr.As<ListExpr>().elements);
      return Put("]");
    case ExprKind::kStruct:
      return PrintStruct(expr.As<StructExpr>());
    case ExprKind::kMap:
      return PrintMap(expr.As<MapExpr>());
    case ExprKind::kRow:
      return PrintRow(expr.As<RowExpr>());
    case ExprKind::kField:
      return PrintField(expr.As<FieldExpr>());
    case ExprKind::kSubscript:
      return PrintSubscript(expr.As<SubscriptExpr>());
    case ExprKind::kSlice:
      return PrintSlice(expr.As<SliceExpr>());
    case ExprKind::kCall:
      return PrintCall(expr.As<CallExpr>());
    case ExprKind::kLambda:
      return PrintLambda(expr.As<LambdaExpr>());
    case ExprKind::kExists:
      Put("EXISTS (");
      PrintQuery(*expr.As<ExistsExpr>().query);
      return Put(")");
    case ExprKind::kScalarQuery:
      Put("(");
      PrintQuery(*expr.As<ScalarQueryExpr>().query);
      return Put(")");
    default:
      return PrintOperator(expr);
  }
}

void Printer::PrintLiteral(const LiteralExpr& literal) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  switch (literal.literal) {
    case LiteralKind::kNull:
      return Put("NULL");
    case LiteralKind::kBoolean:
      return Put(literal.text == "true" ? "TRUE" : "FALSE");
    case LiteralKind::kInteger:
    case LiteralKind::kDecimal:
    case LiteralKind::kFloat:
      return Put(literal.text);
    case LiteralKind::kString:
      return PutString(literal.text);
    case LiteralKind::kBlob:
      break;
  }
  Put("X'");
  for (const char c : literal.text) {
    const auto byte = static_cast<unsigned char>(c);
    text_ += kHexDigits[byte >> 4];
    text_ += kHexDigits[byte & 0xF];
  }
  Put("'");
}

void Printer::PrintInterval(const IntervalExpr& interval) {
  Put("INTERVAL ");
  const auto* literal = interval.value->If<LiteralExpr>();
  const bool is_plain = literal != nullptr && literal->literal != LiteralKind::kNull &&
                        literal->literal != LiteralKind::kBoolean &&
                        literal->literal != LiteralKind::kBlob;
  PutIf(!is_plain, "(");
  PrintExpr(*interval.value);
  PutIf(!is_plain, ")");
  if (interval.unit.has_value()) {
    Put(" ");
    Put(IntervalUnitText(*interval.unit));
  }
}

void Printer::PrintStar(const StarExpr& star) {
  for (const Identifier& identifier : star.qualifier) {
    PutIdentifier(identifier);
    Put(".");
  }
  Put("*");
  if (!star.exclude.empty()) {
    Put(" EXCLUDE (");
    PutList(star.exclude, [this](const NamePath& path) { PutPath(path); });
    Put(")");
  }
  if (!star.replace.empty()) {
    Put(" REPLACE (");
    PutList(star.replace, [this](const StarReplacement& replacement) {
      PrintExpr(*replacement.expr);
      Put(" AS ");
      PutIdentifier(replacement.column);
    });
    Put(")");
  }
  if (!star.rename.empty()) {
    Put(" RENAME (");
    PutList(star.rename, [this](const StarRename& rename) {
      PutIdentifier(rename.from);
      Put(" AS ");
      PutIdentifier(rename.to);
    });
    Put(")");
  }
}

void Printer::PrintStruct(const StructExpr& structure) {
  Put("{");
  PutList(structure.fields, [this](const StructField& field) {
    if (field.name.quoted) {
      PutString(field.name.text);
    } else {
      PutIdentifier(field.name);
    }
    Put(": ");
    PrintExpr(*field.value);
  });
  Put("}");
}

void Printer::PrintMap(const MapExpr& map) {
  Put("MAP {");
  PutList(map.entries, [this](const MapEntry& entry) {
    PrintExpr(*entry.key);
    Put(": ");
    PrintExpr(*entry.value);
  });
  Put("}");
}

void Printer::PrintRow(const RowExpr& row) {
  PutIf(row.elements.size() < 2, "ROW");
  Put("(");
  PutExprs(row.elements);
  Put(")");
}

void Printer::PrintPostfixOperand(const Expr& operand) {
  // What stands after OVER, FILTER or the like reads better apart; a number would take in the
  // point.
  const auto* call = operand.If<CallExpr>();
  const auto* literal = operand.If<LiteralExpr>();
  const bool in_parentheses =
      (call != nullptr &&
       (!call->within_group.empty() || call->filter != nullptr || call->window_name.has_value() ||
        call->window.has_value() || call->nulls != NullTreatment::kDefault)) ||
      (literal != nullptr && literal->literal != LiteralKind::kString);
  PutIf(in_parentheses, "(");
  PrintExpr(operand, Precedence::kPostfix);
  PutIf(in_parentheses, ")");
}

void Printer::PrintField(const FieldExpr& field) {
  // Without parentheses a column and its field would read as one name.
  const bool is_column = field.operand->kind == ExprKind::kColumn;
  PutIf(is_column, "(");
  PrintPostfixOperand(*field.operand);
  PutIf(is_column, ")");
  Put(".");
  PutIdentifier(field.name);
}

void Printer::PrintSubscript(const SubscriptExpr& subscript) {
  PrintPostfixOperand(*subscript.operand);
  Put("[");
  PrintExpr(*subscript.index);
  Put("]");
}

void Printer::PrintSlice(const SliceExpr& slice) {
  PrintPostfixOperand(*slice.operand);
  Put("[");
  if (slice.lower != nullptr) {
    PrintExpr(*slice.lower);
  }
  Put(":");
  if (slice.upper != nullptr) {
    PrintExpr(*slice.upper);
  }
  if (slice.step != nullptr) {
    // Two colons in a row would be a cast.
    Put(slice.upper == nullptr ? "-:" : ":");
    PrintExpr(*slice.step);
  }
  Put("]");
}

}  // namespace keepone::ast
