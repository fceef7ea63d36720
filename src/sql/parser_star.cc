// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "sql/clause_parser.h"

namespace keepone::ast {

bool ClauseParser::PeekStar() const {
  size_t ahead = 0;
  if (PeekName(ahead)) {
    while (PeekSymbol(".", ahead + 1)) {
      const TokenKind next = Peek(ahead + 2).kind;
      if (next != TokenKind::kWord && next != TokenKind::kQuotedIdentifier) {
        return PeekSymbol("*", ahead + 2);
      }
      ahead += 2;
    }
    return false;
  }
  return PeekSymbol("*", ahead);
}

arrow::Result<ExprPtr> ClauseParser::ParseStar() {
  auto star = MakeNode<StarExpr>(Peek().span);
  while (!PeekSymbol("*")) {
    star->qualifier.push_back(MakeIdentifier(Take()));
    ARROW_RETURN_NOT_OK(ExpectSymbol("."));
  }
  Take();
  // EXCEPT with names in parentheses means EXCLUDE; with a query it is the set operation.
  if (PeekKeyword("EXCLUDE") ||
      (PeekKeyword("EXCEPT") && PeekSymbol("(", 1) && PeekName(2) && !PeekQueryParenthesis(1))) {
    Take();
    ARROW_RETURN_NOT_OK(ParseStarExclude(star.get()));
  }
  if (PeekKeyword("REPLACE")) {
    Take();
    ARROW_RETURN_NOT_OK(ParseStarReplace(star.get()));
  }
  if (PeekKeyword("RENAME")) {
    Take();
    ARROW_RETURN_NOT_OK(ParseStarRename(star.get()));
  }
  star->span = SpanSince(star->span);
  return star;
}

arrow::Status ClauseParser::ParseStarExclude(StarExpr* star) {
  const bool in_parentheses = TakeSymbol("(");
  do {
    ARROW_ASSIGN_OR_RAISE(NamePath column, ParseNamePath("a column name"));
    star->exclude.push_back(std::move(column));
  } while (in_parentheses && TakeSymbol(","));
  return in_parentheses ? ExpectSymbol(")") : arrow::Status::OK();
}

arrow::Status ClauseParser::ParseStarReplace(StarExpr* star) {
  const bool in_parentheses = TakeSymbol("(");
  do {
    StarReplacement replacement;
    ARROW_ASSIGN_OR_RAISE(replacement.expr, ParseExpr());
    ARROW_RETURN_NOT_OK(ExpectKeyword("AS"));
    ARROW_ASSIGN_OR_RAISE(replacement.column, ExpectAnyName("a column name"));
    star->replace.push_back(std::move(replacement));
  } while (in_parentheses && TakeSymbol(","));
  return in_parentheses ? ExpectSymbol(")") : arrow::Status::OK();
}

arrow::Status ClauseParser::ParseStarRename(StarExpr* star) {
  const bool in_parentheses = TakeSymbol("(");
  do {
    StarRename rename;
    ARROW_ASSIGN_OR_RAISE(rename.from, ExpectAnyName("a column name"));
    ARROW_RETURN_NOT_OK(ExpectKeyword("AS"));
    ARROW_ASSIGN_OR_RAISE(rename.to, ExpectAnyName("a column name"));
    star->rename.push_back(std::move(rename));
  } while (in_parentheses && TakeSymbol(","));
  return in_parentheses ? ExpectSymbol(")") : arrow::Status::OK();
}

}  // namespace keepone::ast
