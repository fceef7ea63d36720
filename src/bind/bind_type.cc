// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include <arrow/type.h>

#include "base/error.h"
#include "bind/binder.h"
#include "bind/scope.h"
#include "function/cast.h"
#include "sql/parser.h"

namespace keepone {
namespace {

constexpr int64_t kFixedListSizeMax = 1 << 20;

arrow::Result<TypePtr> ResolveStruct(const ast::TypeName& name) {
  arrow::FieldVector fields;
  for (size_t i = 0; i < name.children.size(); ++i) {
    const ast::Identifier& field = name.field_names[i];
    for (const auto& earlier : fields) {
      if (EqualNames(earlier->name(), field.text)) {
        return BindError(field.span, "field name ", Quoted(field.text), " used more than once");
      }
    }
    ARROW_ASSIGN_OR_RAISE(TypePtr type, ResolveType(name.children[i]));
    fields.push_back(arrow::field(field.text, std::move(type)));
  }
  return arrow::struct_(std::move(fields));
}

}  // namespace

arrow::Result<TypePtr> ResolveType(const ast::TypeName& name) {
  switch (name.kind) {
    case ast::TypeNameKind::kNamed: {
      auto type = TypeFromSqlName(name.name.text, name.modifiers);
      if (!type.ok()) {
        return WithSpan(type.status(), ErrorKind::kBind, name.span);
      }
      return *std::move(type);
    }
    case ast::TypeNameKind::kList: {
      ARROW_ASSIGN_OR_RAISE(TypePtr child, ResolveType(name.children[0]));
      return arrow::list(std::move(child));
    }
    case ast::TypeNameKind::kFixedList: {
      if (name.fixed_size < 1 || name.fixed_size > kFixedListSizeMax) {
        return BindError(name.span, "the size of an array type must be from 1 to ",
                         kFixedListSizeMax);
      }
      ARROW_ASSIGN_OR_RAISE(TypePtr child, ResolveType(name.children[0]));
      return arrow::fixed_size_list(std::move(child), static_cast<int32_t>(name.fixed_size));
    }
    case ast::TypeNameKind::kStruct:
      return ResolveStruct(name);
    case ast::TypeNameKind::kMap:
      break;
  }
  ARROW_ASSIGN_OR_RAISE(TypePtr key, ResolveType(name.children[0]));
  ARROW_ASSIGN_OR_RAISE(TypePtr value, ResolveType(name.children[1]));
  return arrow::map(std::move(key), std::move(value));
}

arrow::Result<TypePtr> ResolveTypeText(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const ast::TypeName name, ParseTypeName(text));
  return ResolveType(name);
}

}  // namespace keepone
