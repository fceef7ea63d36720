// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <utility>

#include "base/error.h"
#include "sql/clause_parser.h"

namespace keepone::ast {

arrow::Result<TypeName> ClauseParser::ParseType() {
  const Level level(this);
  ARROW_RETURN_NOT_OK(level.Check());
  const SourceSpan begin = Peek().span;
  ARROW_ASSIGN_OR_RAISE(TypeName type, ParseTypeWithoutSuffix());
  type.span = SpanSince(begin);
  while (PeekSymbol("[") || (PeekKeyword("ARRAY") && !PeekSymbol("(", 1))) {
    TypeName list;
    list.kind = TypeNameKind::kList;
    if (Take().text == "[" && !TakeSymbol("]")) {
      list.kind = TypeNameKind::kFixedList;
      ARROW_ASSIGN_OR_RAISE(list.fixed_size, ParseTypeNumber());
      ARROW_RETURN_NOT_OK(ExpectSymbol("]"));
    }
    list.children.push_back(std::move(type));
    type = std::move(list);
    type.span = SpanSince(begin);
    ARROW_RETURN_NOT_OK(Deepen());
  }
  return type;
}

arrow::Result<TypeName> ClauseParser::ParseTypeWithoutSuffix() {
  TypeName type;
  if (PeekSymbol("(", 1) && (PeekKeyword("STRUCT") || PeekKeyword("ROW"))) {
    return ParseStructType();
  }
  const bool is_map = PeekKeyword("MAP");
  if (PeekSymbol("(", 1) && (is_map || PeekKeyword("LIST"))) {
    type.kind = is_map ? TypeNameKind::kMap : TypeNameKind::kList;
    Take();
    Take();
    ARROW_ASSIGN_OR_RAISE(TypeName first, ParseType());
    type.children.push_back(std::move(first));
    if (is_map) {
      ARROW_RETURN_NOT_OK(ExpectSymbol(","));
      ARROW_ASSIGN_OR_RAISE(TypeName second, ParseType());
      type.children.push_back(std::move(second));
    }
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
    return type;
  }
  const bool is_time = PeekKeyword("TIME") || PeekKeyword("TIMESTAMP");
  ARROW_ASSIGN_OR_RAISE(type.name, ExpectName("a type name"));
  const std::string first_word = type.name.text;
  const auto take_word = [&] {
    type.name.text += " " + Take().text;
    type.name.span = SpanSince(type.name.span);
  };
  if ((PeekKeyword("PRECISION") && IsPlainName({type.name}, "DOUBLE")) ||
      (PeekKeyword("VARYING") &&
       (IsPlainName({type.name}, "CHARACTER") || IsPlainName({type.name}, "CHAR")))) {
    take_word();
  }
  ARROW_RETURN_NOT_OK(ParseTypeModifiers(&type));
  if (is_time && PeekTimeZone()) {
    take_word();
    take_word();
    take_word();
  }
  return type;
}

bool ClauseParser::PeekTimeZone(size_t ahead) const {
  return (PeekKeyword("WITH", ahead) || PeekKeyword("WITHOUT", ahead)) &&
         PeekKeyword("TIME", ahead + 1) && PeekKeyword("ZONE", ahead + 2);
}

arrow::Result<TypeName> ClauseParser::ParseStructType() {
  TypeName type;
  type.kind = TypeNameKind::kStruct;
  Take();
  Take();
  do {
    ARROW_ASSIGN_OR_RAISE(Identifier name, ExpectAnyName("a field name"));
    ARROW_ASSIGN_OR_RAISE(TypeName field, ParseType());
    type.field_names.push_back(std::move(name));
    type.children.push_back(std::move(field));
  } while (TakeSymbol(","));
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return type;
}

arrow::Status ClauseParser::ParseTypeModifiers(TypeName* type) {
  if (!TakeSymbol("(")) {
    return arrow::Status::OK();
  }
  do {
    ARROW_ASSIGN_OR_RAISE(const int64_t modifier, ParseTypeNumber());
    type->modifiers.push_back(modifier);
  } while (TakeSymbol(","));
  return ExpectSymbol(")");
}

arrow::Result<int64_t> ClauseParser::ParseTypeNumber() {
  if (Peek().kind != TokenKind::kInteger) {
    Expecting("a whole number");
    return Unexpected();
  }
  const Token& token = Take();
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (error != std::errc()) {
    return SyntaxError(token.span, "the number in this type is too large");
  }
  return value;
}

}  // namespace keepone::ast
