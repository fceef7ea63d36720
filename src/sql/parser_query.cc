// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/error.h"
#include "sql/clause_parser.h"
#include "sql/keywords.h"

namespace keepone::ast {

namespace {

// How many parentheses PeekQueryParenthesis looks into; more are too deep to be read anyway.
constexpr int kParenthesesMax = 1000;

// Whether a query has no clause but its body.
bool IsBodyOnly(const Query& query) {
  return query.with.empty() && query.order_by.empty() && !query.order_by_all.has_value() &&
         !query.limit_by.has_value() && query.limit == nullptr && query.offset == nullptr;
}

QueryBodyPtr MakeSelectAllFrom(TableRefPtr table, SourceSpan span) {
  auto select = MakeNode<SelectBody>(span);
  select->items.push_back({MakeNode<StarExpr>(span), std::nullopt});
  select->from.push_back(std::move(table));
  return select;
}

}  // namespace

bool ClauseParser::PeekQueryStart(size_t ahead) const {
  return PeekKeyword("SELECT", ahead) || PeekKeyword("FROM", ahead) ||
         (PeekKeyword("VALUES", ahead) && PeekSymbol("(", ahead + 1)) ||
         (PeekKeyword("TABLE", ahead) && PeekName(ahead + 1)) ||
         (PeekKeyword("WITH", ahead) &&
          (PeekName(ahead + 1) || PeekKeyword("RECURSIVE", ahead + 1)));
}

bool ClauseParser::PeekQueryParenthesis(size_t ahead) const {
  for (int i = 0; i < kParenthesesMax && PeekSymbol("(", ahead); ++i, ++ahead) {
    if (PeekQueryStart(ahead + 1)) {
      return true;
    }
    const std::optional<size_t> closing = PeekClosing(ahead + 1);
    if (!PeekSymbol("(", ahead + 1) || !closing.has_value()) {
      return false;
    }
    // ((..) UNION ..) is a query if the inner parenthesis is one; ((..) + 1) and ((..) AS t) are
    // not.
    const size_t next = *closing + 1;
    const bool continues = PeekSymbol(")", next) || PeekKeyword("UNION", next) ||
                           PeekKeyword("INTERSECT", next) || PeekKeyword("EXCEPT", next) ||
                           PeekKeyword("ORDER", next) || PeekKeyword("LIMIT", next) ||
                           PeekKeyword("OFFSET", next) || PeekKeyword("FETCH", next);
    if (!continues) {
      return false;
    }
  }
  return false;
}

arrow::Result<QueryPtr> ClauseParser::ParseParenthesizedQuery() {
  ARROW_RETURN_NOT_OK(ExpectSymbol("("));
  ARROW_ASSIGN_OR_RAISE(QueryPtr query, ParseQuery());
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return query;
}

arrow::Result<QueryPtr> ClauseParser::ParseQuery() {
  const Level level(this);
  ARROW_RETURN_NOT_OK(level.Check());
  auto query = std::make_unique<Query>();
  const SourceSpan begin = Peek().span;
  if (PeekKeyword("WITH")) {
    ARROW_RETURN_NOT_OK(ParseWith(query.get()));
  }
  ARROW_ASSIGN_OR_RAISE(query->body, ParseSetOperations());
  ARROW_RETURN_NOT_OK(ParseOrderByOrAll(query.get()));
  ARROW_RETURN_NOT_OK(ParseLimits(query.get()));
  query->span = SpanSince(begin);
  if (query->body->kind == QueryBodyKind::kNested && IsBodyOnly(*query)) {
    return std::move(query->body->As<NestedBody>().query);
  }
  return query;
}

arrow::Status ClauseParser::ParseWith(Query* query) {
  Take();
  query->recursive = PeekKeyword("RECURSIVE") && PeekName(1);
  if (query->recursive) {
    Take();
  }
  do {
    CommonTable table;
    ARROW_ASSIGN_OR_RAISE(table.name, ExpectName("a table name"));
    if (PeekSymbol("(")) {
      ARROW_ASSIGN_OR_RAISE(table.columns, ParseColumnNames());
    }
    ARROW_RETURN_NOT_OK(ExpectKeyword("AS"));
    if (PeekKeyword("NOT")) {
      Take();
      ARROW_RETURN_NOT_OK(ExpectKeyword("MATERIALIZED"));
      table.materialization = Materialization::kNotMaterialized;
    } else if (TakeKeyword("MATERIALIZED")) {
      table.materialization = Materialization::kMaterialized;
    }
    ARROW_ASSIGN_OR_RAISE(table.query, ParseParenthesizedQuery());
    query->with.push_back(std::move(table));
  } while (TakeSymbol(","));
  return arrow::Status::OK();
}

arrow::Result<QueryBodyPtr> ClauseParser::ParseSetOperations() {
  ARROW_ASSIGN_OR_RAISE(QueryBodyPtr left, ParseIntersections());
  while (true) {
    if (TakeKeyword("UNION")) {
      ARROW_ASSIGN_OR_RAISE(left, ParseSetOperation(SetOperator::kUnion, std::move(left)));
    } else if (TakeKeyword("EXCEPT")) {
      ARROW_ASSIGN_OR_RAISE(left, ParseSetOperation(SetOperator::kExcept, std::move(left)));
    } else {
      return left;
    }
    ARROW_RETURN_NOT_OK(Deepen());
  }
}

arrow::Result<QueryBodyPtr> ClauseParser::ParseIntersections() {
  ARROW_ASSIGN_OR_RAISE(QueryBodyPtr left, ParseQueryOperand());
  while (TakeKeyword("INTERSECT")) {
    ARROW_ASSIGN_OR_RAISE(left, ParseSetOperation(SetOperator::kIntersect, std::move(left)));
    ARROW_RETURN_NOT_OK(Deepen());
  }
  return left;
}

arrow::Result<QueryBodyPtr> ClauseParser::ParseSetOperation(SetOperator op, QueryBodyPtr left) {
  const Level level(this);
  ARROW_RETURN_NOT_OK(level.Check());
  auto operation = MakeNode<SetOperationBody>(left->span);
  operation->op = op;
  operation->all = TakeKeyword("ALL");
  if (!operation->all) {
    TakeKeyword("DISTINCT");
  }
  operation->by_name = TakeKeywords({"BY", "NAME"});
  operation->left = std::move(left);
  ARROW_ASSIGN_OR_RAISE(operation->right,
                        op == SetOperator::kIntersect ? ParseQueryOperand() : ParseIntersections());
  operation->span = SpanSince(operation->span);
  return operation;
}

arrow::Result<QueryBodyPtr> ClauseParser::ParseQueryOperand() {
  const SourceSpan begin = Peek().span;
  if (PeekSymbol("(")) {
    ARROW_ASSIGN_OR_RAISE(QueryPtr query, ParseParenthesizedQuery());
    if (IsBodyOnly(*query)) {
      return std::move(query->body);
    }
    auto nested = MakeNode<NestedBody>(SpanSince(begin));
    nested->query = std::move(query);
    return nested;
  }
  if (PeekKeyword("VALUES")) {
    return ParseValues();
  }
  if (PeekKeyword("TABLE")) {
    return ParseTableQuery();
  }
  if (PeekKeyword("SELECT") || PeekKeyword("FROM")) {
    return ParseSelect();
  }
  for (const std::string_view keyword : {"SELECT", "FROM", "VALUES", "WITH"}) {
    Expecting(keyword);
  }
  return Unexpected();
}

arrow::Result<QueryBodyPtr> ClauseParser::ParseTableQuery() {
  const SourceSpan begin = Take().span;
  auto table = MakeNode<NamedTable>(Peek().span);
  ARROW_ASSIGN_OR_RAISE(table->name, ParseNamePath("a table name"));
  table->span = SpanSince(table->span);
  return MakeSelectAllFrom(std::move(table), SpanSince(begin));
}

arrow::Result<QueryBodyPtr> ClauseParser::ParseValues() {
  auto values = MakeNode<ValuesBody>(Take().span);
  do {
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> row, ParseExprList());
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
    values->rows.push_back(std::move(row));
  } while (TakeSymbol(","));
  values->span = SpanSince(values->span);
  return values;
}

arrow::Result<QueryBodyPtr> ClauseParser::ParseSelect() {
  auto select = MakeNode<SelectBody>(Peek().span);
  const bool from_first = TakeKeyword("FROM");
  if (from_first) {
    ARROW_ASSIGN_OR_RAISE(select->from, ParseFrom());
  }
  if (TakeKeyword("SELECT")) {
    ARROW_RETURN_NOT_OK(ParseDistinct(select.get()));
    do {
      ARROW_ASSIGN_OR_RAISE(SelectItem item, ParseSelectItem());
      select->items.push_back(std::move(item));
    } while (TakeSymbol(","));
  } else {
    select->items.push_back({MakeNode<StarExpr>(select->span), std::nullopt});
  }
  if (!from_first && TakeKeyword("FROM")) {
    ARROW_ASSIGN_OR_RAISE(select->from, ParseFrom());
  }
  if (TakeKeyword("WHERE")) {
    ARROW_ASSIGN_OR_RAISE(select->where, ParseExpr());
  }
  if (TakeKeyword("GROUP")) {
    ARROW_RETURN_NOT_OK(ParseGroupBy(select.get()));
  }
  if (TakeKeyword("HAVING")) {
    ARROW_ASSIGN_OR_RAISE(select->having, ParseExpr());
  }
  ARROW_RETURN_NOT_OK(ParseWindows(select.get()));
  if (TakeKeyword("QUALIFY")) {
    ARROW_ASSIGN_OR_RAISE(select->qualify, ParseExpr());
    ARROW_RETURN_NOT_OK(ParseWindows(select.get()));
  }
  select->span = SpanSince(select->span);
  return select;
}

arrow::Status ClauseParser::ParseDistinct(SelectBody* select) {
  if (PeekKeyword("ALL")) {
    Take();
    return arrow::Status::OK();
  }
  if (!PeekKeyword("DISTINCT")) {
    return arrow::Status::OK();
  }
  Take();
  select->distinct = DistinctKind::kDistinct;
  if (TakeKeyword("ON")) {
    select->distinct = DistinctKind::kDistinctOn;
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    ARROW_ASSIGN_OR_RAISE(select->distinct_on, ParseExprList());
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  }
  return arrow::Status::OK();
}

arrow::Result<SelectItem> ClauseParser::ParseSelectItem() {
  SelectItem item;
  if (PeekStar()) {
    ARROW_ASSIGN_OR_RAISE(item.expr, ParseStar());
    return item;
  }
  ARROW_ASSIGN_OR_RAISE(item.expr, ParseExpr());
  const bool has_as = TakeKeyword("AS");
  if (Peek().kind == TokenKind::kString) {
    Identifier alias{"", true, {}};
    ARROW_ASSIGN_OR_RAISE(alias.text, ExpectString("an alias", &alias.span));
    if (alias.text.empty()) {
      return SyntaxError(alias.span, "an alias must not be empty");
    }
    item.alias = std::move(alias);
  } else if (has_as) {
    // AS takes reserved words, too; but FROM is more likely to come after a forgotten alias.
    if (PeekKeyword("FROM")) {
      Expecting("an alias");
      return Unexpected();
    }
    ARROW_ASSIGN_OR_RAISE(item.alias, ExpectAnyName("an alias"));
  } else if (Peek().kind == TokenKind::kQuotedIdentifier) {
    item.alias = MakeIdentifier(Take());
  } else if (Peek().kind == TokenKind::kWord && !IsReservedAsBareAlias(Peek().text)) {
    item.alias = MakeIdentifier(Take());
    NoteBareAlias();
  }
  return item;
}

arrow::Status ClauseParser::ParseGroupBy(SelectBody* select) {
  ARROW_RETURN_NOT_OK(ExpectKeyword("BY"));
  if (PeekKeyword("ALL")) {
    Take();
    select->group_by_all = true;
    return arrow::Status::OK();
  }
  do {
    const SourceSpan span = Peek().span;
    if (PeekKeyword("GROUPING") && PeekKeyword("SETS", 1)) {
      return UnsupportedError(span, "GROUPING SETS is not supported");
    }
    for (const std::string_view name : {"ROLLUP", "CUBE"}) {
      if (PeekKeyword(name) && PeekSymbol("(", 1)) {
        return UnsupportedError(span, "GROUP BY ", name, " is not supported");
      }
    }
    if (PeekSymbol("(") && PeekSymbol(")", 1)) {
      return WithHint(UnsupportedError(span, "GROUP BY () is not supported"),
                      "without GROUP BY, aggregates take all rows as one group");
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr key, ParseExpr());
    select->group_by.push_back(std::move(key));
  } while (TakeSymbol(","));
  return arrow::Status::OK();
}

arrow::Status ClauseParser::ParseWindows(SelectBody* select) {
  if (!select->windows.empty() || !TakeKeyword("WINDOW")) {
    return arrow::Status::OK();
  }
  do {
    NamedWindow window;
    ARROW_ASSIGN_OR_RAISE(window.name, ExpectName("a window name"));
    ARROW_RETURN_NOT_OK(ExpectKeyword("AS"));
    ARROW_ASSIGN_OR_RAISE(window.spec, ParseWindowSpec());
    select->windows.push_back(std::move(window));
  } while (TakeSymbol(","));
  return arrow::Status::OK();
}

arrow::Status ClauseParser::ParseOrderByOrAll(Query* query) {
  if (!TakeKeyword("ORDER")) {
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(ExpectKeyword("BY"));
  if (PeekKeyword("ALL")) {
    Take();
    ARROW_ASSIGN_OR_RAISE(query->order_by_all, ParseSortOrder());
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(query->order_by, ParseOrderItems());
  return arrow::Status::OK();
}

arrow::Status ClauseParser::ParseLimits(Query* query) {
  bool seen_limit = false;
  while (true) {
    const SourceSpan span = Peek().span;
    if (TakeKeyword("LIMIT")) {
      if (seen_limit) {
        return SyntaxError(span, "a second LIMIT");
      }
      ARROW_RETURN_NOT_OK(ParseLimit(query, &seen_limit));
    } else if (TakeKeyword("FETCH")) {
      if (seen_limit) {
        return SyntaxError(span, "FETCH stands beside a LIMIT; only one of them may be given");
      }
      seen_limit = true;
      ARROW_RETURN_NOT_OK(ParseFetch(query));
    } else if (TakeKeyword("OFFSET")) {
      if (query->offset != nullptr) {
        return SyntaxError(span, "a second OFFSET");
      }
      ARROW_ASSIGN_OR_RAISE(query->offset, ParseExpr());
      if (PeekKeyword("ROW") || PeekKeyword("ROWS")) {
        Take();
      }
    } else {
      return arrow::Status::OK();
    }
  }
}

arrow::Status ClauseParser::ParseLimit(Query* query, bool* seen_limit) {
  LimitBy limit_by;
  const SourceSpan begin = Peek().span;
  if (PeekKeyword("ALL")) {
    Take();
    *seen_limit = true;
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(limit_by.limit, ParseExpr());
  if (PeekSymbol(",")) {
    return WithHint(Unexpected(), "write LIMIT count OFFSET start");
  }
  const SourceSpan offset_span = Peek().span;
  const bool has_offset = TakeKeyword("OFFSET");
  if (has_offset) {
    ARROW_ASSIGN_OR_RAISE(limit_by.offset, ParseExpr());
  }
  const SourceSpan by_span = Peek().span;
  if (TakeKeyword("BY")) {
    if (query->limit_by.has_value() || query->offset != nullptr) {
      return SyntaxError(by_span, "LIMIT BY stands once, before any other LIMIT or OFFSET");
    }
    ARROW_ASSIGN_OR_RAISE(limit_by.keys, ParseExprList());
    limit_by.span = SpanSince(begin);
    query->limit_by = std::move(limit_by);
    return arrow::Status::OK();
  }
  *seen_limit = true;
  query->limit = std::move(limit_by.limit);
  if (has_offset) {
    if (query->offset != nullptr) {
      return SyntaxError(offset_span, "a second OFFSET");
    }
    query->offset = std::move(limit_by.offset);
    if (PeekKeyword("ROW") || PeekKeyword("ROWS")) {
      Take();
    }
  }
  return arrow::Status::OK();
}

arrow::Status ClauseParser::ParseFetch(Query* query) {
  if (!TakeKeyword("FIRST")) {
    ARROW_RETURN_NOT_OK(ExpectKeyword("NEXT"));
  }
  if (PeekKeyword("ROW") || PeekKeyword("ROWS")) {
    auto one = MakeNode<LiteralExpr>(Peek().span);
    one->literal = LiteralKind::kInteger;
    one->text = "1";
    query->limit = std::move(one);
  } else {
    ARROW_ASSIGN_OR_RAISE(query->limit, ParseExpr());
  }
  if (!TakeKeyword("ROWS")) {
    ARROW_RETURN_NOT_OK(ExpectKeyword("ROW"));
  }
  if (TakeKeywords({"WITH", "TIES"})) {
    query->with_ties = true;
    return arrow::Status::OK();
  }
  return ExpectKeyword("ONLY");
}

}  // namespace keepone::ast
