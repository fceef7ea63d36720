// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sql/ast.h"
#include "sql/precedence.h"
#include "sql/token_stream.h"

namespace keepone::ast {

// Whether a function call has the name alone, whatever its case.
bool IsPlainName(const NamePath& path, std::string_view keyword);

// The recursive descent over the tokens of one text: a method per construct, which reads it from
// its first token on and fails with a syntax error. The methods of one clause stand in one
// parser_<clause>.cc.
class ClauseParser : public TokenStream {
 public:
  using TokenStream::TokenStream;

  // parser_statement.cc
  arrow::Result<StatementPtr> ParseStatement();
  // parser_expr.cc, parser_type.cc
  arrow::Result<ExprPtr> ParseExpr(Precedence at_least = Precedence::kAny);
  arrow::Result<TypeName> ParseType();

 private:
  // Guards one level of recursion: every recursive method holds one.
  class Level {
   public:
    explicit Level(ClauseParser* parser);
    ~Level();
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    arrow::Status Check() const { return parser_->CheckDepth(); }

   private:
    ClauseParser* parser_;
    int64_t deepest_outside_;
  };
  // Tells that what has been read on this level moves one level down, below a new parent.
  arrow::Status Deepen();
  arrow::Status CheckDepth() const;

  // parser_statement.cc, parser_command.cc
  arrow::Result<StatementPtr> ParseCreate();
  arrow::Result<StatementPtr> ParseCreateTable(SourceSpan begin, bool or_replace, bool temporary);
  arrow::Result<StatementPtr> ParseCreateView(SourceSpan begin, bool or_replace, bool temporary);
  arrow::Result<ColumnDefinition> ParseColumnDefinition();
  arrow::Result<StatementPtr> ParseDrop();
  arrow::Result<StatementPtr> ParseInsert();
  arrow::Result<StatementPtr> ParseCopy();
  arrow::Result<CopyOption> ParseCopyOption();
  arrow::Result<ExprPtr> ParseSettingValue();
  arrow::Result<ExprPtr> ParseSettingScalar();
  arrow::Result<StatementPtr> ParseDescribe();
  arrow::Result<StatementPtr> ParseShow();
  arrow::Result<StatementPtr> ParseSet();
  arrow::Result<StatementPtr> ParseReset();
  arrow::Result<StatementPtr> ParseExplain();
  arrow::Status ParseExplainOptions(ExplainStatement* explain);
  arrow::Result<bool> ParseIfExists(bool negated);

  // parser_query.cc
  bool PeekQueryStart(size_t ahead = 0) const;
  // Whether the parenthesis at `ahead` holds a query, and not an expression or a table with more
  // around an inner query.
  bool PeekQueryParenthesis(size_t ahead = 0) const;
  arrow::Result<QueryPtr> ParseQuery();
  // REQUIRES: a parenthesis stands here.
  arrow::Result<QueryPtr> ParseParenthesizedQuery();
  arrow::Status ParseWith(Query* query);
  arrow::Result<QueryBodyPtr> ParseSetOperations();
  arrow::Result<QueryBodyPtr> ParseIntersections();
  arrow::Result<QueryBodyPtr> ParseSetOperation(SetOperator op, QueryBodyPtr left);
  arrow::Result<QueryBodyPtr> ParseQueryOperand();
  arrow::Result<QueryBodyPtr> ParseSelect();
  arrow::Status ParseDistinct(SelectBody* select);
  arrow::Result<SelectItem> ParseSelectItem();
  arrow::Status ParseGroupBy(SelectBody* select);
  arrow::Status ParseWindows(SelectBody* select);
  arrow::Result<QueryBodyPtr> ParseValues();
  arrow::Result<QueryBodyPtr> ParseTableQuery();
  arrow::Status ParseOrderByOrAll(Query* query);
  arrow::Status ParseLimits(Query* query);
  arrow::Status ParseLimit(Query* query, bool* seen_limit);
  arrow::Status ParseFetch(Query* query);

  // parser_from.cc
  arrow::Result<std::vector<TableRefPtr>> ParseFrom();
  arrow::Result<TableRefPtr> ParseJoinedTables();
  arrow::Result<TableRefPtr> ParseTable();
  arrow::Result<TableRefPtr> ParseTableWithoutAlias();
  arrow::Result<TableRefPtr> ParseParenthesizedTable();
  arrow::Result<TableRefPtr> ParseFiles();
  arrow::Result<TableRefPtr> ParseNamedTable(bool lateral);
  arrow::Result<TableRefPtr> ParseSubqueryTable(SourceSpan begin, bool lateral);
  arrow::Status ParseTableAlias(TableRef* table);
  // The kind of the join whose keywords stand here, which are taken; nothing when there is none.
  arrow::Result<std::optional<JoinKind>> ParseJoinKind(bool* natural);
  arrow::Status ParseJoinCondition(JoinTable* join);

  // parser_expr.cc
  arrow::Result<ExprPtr> ParsePrefix();
  arrow::Result<ExprPtr> ParseUnary(UnaryOp op, Precedence operand_at_least);
  // Puts an operator that stands after `*left`, with its other operands, around it. False when
  // there is none that binds at least as tightly as `at_least`.
  arrow::Result<bool> ParseInfix(ExprPtr* left, Precedence at_least);
  arrow::Result<bool> ParseSymbolOperator(ExprPtr* left, Precedence at_least);
  arrow::Result<bool> ParseKeywordOperator(ExprPtr* left, Precedence at_least);
  arrow::Status ParseLogic(LogicOp op, ExprPtr* left);
  arrow::Status ParseIs(ExprPtr* left);
  arrow::Status ParseBetween(ExprPtr* left, bool negated);
  arrow::Status ParseIn(ExprPtr* left, bool negated);
  arrow::Status ParseLike(LikeOp op, ExprPtr* left, bool negated);
  arrow::Status ParseQuantified(BinaryOp op, ExprPtr* left);
  arrow::Status ParseTimeZone(ExprPtr* left);
  arrow::Result<ExprPtr> ParsePostfix(ExprPtr operand);
  arrow::Result<ExprPtr> ParseSubscript(ExprPtr operand);
  arrow::Result<std::vector<ExprPtr>> ParseExprList();

  // parser_primary.cc
  arrow::Result<ExprPtr> ParsePrimary();
  arrow::Result<ExprPtr> ParseWordPrimary();
  // Forms that begin with a keyword that is not reserved; nullptr when a name stands here.
  arrow::Result<ExprPtr> ParseKeywordPrimary();
  ExprPtr TakeLiteral(LiteralKind kind);
  bool PeekTypedLiteral() const;
  arrow::Result<ExprPtr> ParseTypedLiteral();
  bool PeekInterval() const;
  arrow::Result<ExprPtr> ParseInterval();
  arrow::Result<ExprPtr> ParseParenthesized();
  arrow::Result<ExprPtr> ParseList();
  arrow::Result<ExprPtr> ParseStruct();
  arrow::Result<ExprPtr> ParseMap();
  arrow::Result<ExprPtr> ParseRow();
  arrow::Result<ExprPtr> ParseCase();
  arrow::Result<ExprPtr> ParseCast(bool try_cast);
  arrow::Result<ExprPtr> ParseNameOrCall();
  arrow::Result<NamePath> ParseNamePath(std::string_view what);

  // parser_star.cc
  bool PeekStar() const;
  arrow::Result<ExprPtr> ParseStar();
  arrow::Status ParseStarExclude(StarExpr* star);
  arrow::Status ParseStarReplace(StarExpr* star);
  arrow::Status ParseStarRename(StarExpr* star);

  // parser_call.cc
  arrow::Result<ExprPtr> ParseCall(NamePath name);
  arrow::Status ParseCallArguments(CallExpr* call);
  arrow::Status ParseCallTail(CallExpr* call);
  // `equals_names`: whether name = value names an argument, too.
  arrow::Result<std::vector<Argument>> ParseArguments(bool equals_names);
  arrow::Result<Argument> ParseArgument(bool equals_names);
  bool PeekLambda() const;
  arrow::Result<ExprPtr> ParseLambda();
  bool TakeNullTreatment(NullTreatment* nulls);
  arrow::Result<ExprPtr> ParseExtract();
  arrow::Result<ExprPtr> ParsePosition();
  arrow::Result<ExprPtr> ParseTrim();
  // substring(x FROM a FOR b) once x has been read.
  arrow::Status ParseSubstringTail(CallExpr* call);

  // parser_window.cc
  arrow::Result<std::vector<OrderItem>> ParseOrderItems();
  arrow::Result<SortOrder> ParseSortOrder();
  // REQUIRES: a parenthesis stands here.
  arrow::Result<WindowSpec> ParseWindowSpec();
  arrow::Result<std::optional<WindowFrame>> ParseFrame();
  arrow::Result<FrameBound> ParseFrameBound();
  arrow::Result<FrameExclusion> ParseFrameExclusion();

  // parser_type.cc
  arrow::Result<TypeName> ParseTypeWithoutSuffix();
  arrow::Result<TypeName> ParseStructType();
  arrow::Status ParseTypeModifiers(TypeName* type);
  arrow::Result<int64_t> ParseTypeNumber();
  // Whether [WITH | WITHOUT] TIME ZONE follows.
  bool PeekTimeZone(size_t ahead = 0) const;

  // parser_statement.cc
  arrow::Result<std::vector<Identifier>> ParseColumnNames();

  int64_t depth_ = 0;
  // The depth of the deepest node read so far on this level, counted from the root.
  int64_t deepest_ = 0;
};

template <typename T>
std::unique_ptr<T> MakeNode(SourceSpan span) {
  return std::make_unique<T>(span);
}
}  // namespace keepone::ast
