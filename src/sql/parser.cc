// SPDX-License-Identifier: Apache-2.0
#include "sql/parser.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "sql/clause_parser.h"
#include "sql/keywords.h"
#include "sql/lexer.h"

namespace keepone {

namespace ast {

namespace {

// The tree is no deeper. The parser needs about 2 KB of stack a level, 10 KB under a sanitizer.
constexpr int64_t kDepthMax = 400;

}  // namespace

bool IsPlainName(const NamePath& path, std::string_view keyword) {
  return path.size() == 1 && !path[0].quoted && EqualsKeyword(path[0].text, keyword);
}

ClauseParser::Level::Level(ClauseParser* parser)
    : parser_(parser), deepest_outside_(parser->deepest_) {
  parser_->deepest_ = ++parser_->depth_;
}

ClauseParser::Level::~Level() {
  --parser_->depth_;
  parser_->deepest_ = std::max(parser_->deepest_, deepest_outside_);
}

arrow::Status ClauseParser::Deepen() {
  ++deepest_;
  return CheckDepth();
}

arrow::Status ClauseParser::CheckDepth() const {
  if (deepest_ > kDepthMax) {
    return SyntaxError(Peek().span, "the statement is nested more than ", kDepthMax,
                       " levels deep");
  }
  return arrow::Status::OK();
}

}  // namespace ast

arrow::Result<std::vector<ast::StatementPtr>> ParseStatements(std::string_view sql) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ast::Token> tokens, ast::Tokenize(sql));
  ast::ClauseParser parser(std::move(tokens));
  std::vector<ast::StatementPtr> statements;
  while (true) {
    while (parser.PeekSymbol(";")) {
      parser.Take();
    }
    if (parser.AtEnd()) {
      return statements;
    }
    ARROW_ASSIGN_OR_RAISE(ast::StatementPtr statement, parser.ParseStatement());
    statements.push_back(std::move(statement));
    if (!parser.AtEnd() && !parser.PeekSymbol(";")) {
      parser.Expecting("the end of the statement");
      return parser.Unexpected();
    }
  }
}

arrow::Result<ast::ExprPtr> ParseExpression(std::string_view sql) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ast::Token> tokens, ast::Tokenize(sql));
  ast::ClauseParser parser(std::move(tokens));
  ARROW_ASSIGN_OR_RAISE(ast::ExprPtr expr, parser.ParseExpr());
  if (!parser.AtEnd()) {
    parser.Expecting("the end of the expression");
    return parser.Unexpected();
  }
  return expr;
}

arrow::Result<ast::TypeName> ParseTypeName(std::string_view sql) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ast::Token> tokens, ast::Tokenize(sql));
  ast::ClauseParser parser(std::move(tokens));
  ARROW_ASSIGN_OR_RAISE(ast::TypeName type, parser.ParseType());
  if (!parser.AtEnd()) {
    parser.Expecting("the end of the type");
    return parser.Unexpected();
  }
  return type;
}

}  // namespace keepone
