// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/ast.h"
#include "sql/precedence.h"

namespace keepone::ast {

enum class Parentheses {
  kNeeded,
  kAll,  // Around every operator, set operation and join: equal texts mean equal trees.
};

// Appends the SQL text of nodes to a string: a method per kind of node.
class Printer {
 public:
  explicit Printer(Parentheses parentheses = Parentheses::kNeeded) : parentheses_(parentheses) {}

  // print_expr.cc. In parentheses when `expr` binds looser than `at_least`.
  void PrintExpr(const Expr& expr, Precedence at_least = Precedence::kAny);
  void PrintType(const TypeName& type);
  // print_query.cc
  void PrintQuery(const Query& query);
  // print_statement.cc
  void PrintStatement(const Statement& statement);

  std::string Finish() && { return std::move(text_); }

 private:
  // Where an argument stands: what it begins with must not make it read as something else.
  enum class ArgumentPlace { kCall, kPosition, kTableFunction };

  void Put(std::string_view text) { text_ += text; }
  void PutIdentifier(const Identifier& identifier);
  void PutPath(const NamePath& path);
  // `text` between single quotes.
  void PutString(std::string_view text);
  void PutIf(bool condition, std::string_view text) {
    if (condition) {
      text_ += text;
    }
  }
  // Calls `put` for each item, with commas between them.
  template <typename Items, typename Put>
  void PutList(const Items& items, const Put& put) {
    bool first = true;
    for (const auto& item : items) {
      PutIf(!first, ", ");
      first = false;
      put(item);
    }
  }
  void PutExprs(const std::vector<ExprPtr>& exprs);
  void PutIdentifiers(const std::vector<Identifier>& identifiers);  // In parentheses.

  void PrintExprNode(const Expr& expr);
  void PrintLiteral(const LiteralExpr& literal);
  void PrintInterval(const IntervalExpr& interval);
  void PrintStar(const StarExpr& star);
  void PrintStruct(const StructExpr& structure);
  void PrintMap(const MapExpr& map);
  void PrintRow(const RowExpr& row);
  void PrintPostfixOperand(const Expr& operand);
  void PrintField(const FieldExpr& field);
  void PrintSubscript(const SubscriptExpr& subscript);
  void PrintSlice(const SliceExpr& slice);
  // print_operator.cc
  void PrintOperator(const Expr& expr);
  void PrintUnary(const UnaryExpr& unary);
  void PrintBinary(const BinaryExpr& binary);
  void PrintLogic(const LogicExpr& logic);
  void PrintIs(const IsExpr& is);
  void PrintBetween(const BetweenExpr& between);
  void PrintLike(const LikeExpr& like);
  void PrintQuantified(const QuantifiedExpr& quantified);
  void PrintCase(const CaseExpr& expr);
  void PrintCast(const CastExpr& cast);
  // print_call.cc
  void PrintCall(const CallExpr& call);
  void PrintCallTail(const CallExpr& call);
  void PrintLambda(const LambdaExpr& lambda);
  void PrintArguments(const std::vector<Argument>& arguments, ArgumentPlace place);
  void PrintArgument(const Argument& argument, ArgumentPlace place);
  void PrintOrderItems(const std::vector<OrderItem>& items);
  void PrintSortOrder(const SortOrder& order);
  void PrintWindowSpec(const WindowSpec& spec);
  void PrintFrame(const WindowFrame& frame);
  void PrintFrameBound(const FrameBound& bound);
  // print_query.cc
  void PrintWith(const Query& query);
  void PrintBody(const QueryBody& body);
  void PrintSetOperation(const SetOperationBody& operation);
  void PrintSetOperand(const QueryBody& operand, bool in_parentheses);
  void PrintSelect(const SelectBody& select);
  void PrintValues(const ValuesBody& values);
  void PrintLimits(const Query& query);
  // print_from.cc
  void PrintTable(const TableRef& table);
  void PrintTableNode(const TableRef& table);
  void PrintFunctionTable(const FunctionTable& function);
  void PrintJoin(const JoinTable& join);
  // print_statement.cc
  void PrintCreateTable(const CreateTableStatement& create);
  void PrintCreateView(const CreateViewStatement& create);
  void PrintDrop(const DropStatement& drop);
  void PrintInsert(const InsertStatement& insert);
  void PrintCopy(const CopyStatement& copy);
  void PrintSetting(const Expr& value);
  void PrintShow(const ShowStatement& show);
  void PrintExplain(const ExplainStatement& explain);

  Parentheses parentheses_;
  std::string text_;
};

}  // namespace keepone::ast
