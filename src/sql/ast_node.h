// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "keepone/error.h"

// The syntax tree. Its types have a namespace of their own: the plan has expressions, joins and
// orders too, and the binder sees both.
namespace keepone::ast {

struct Expr;
struct Query;
struct Statement;
using ExprPtr = std::unique_ptr<Expr>;
using QueryPtr = std::unique_ptr<Query>;
using StatementPtr = std::unique_ptr<Statement>;

// A name as it was written, without its quotes. Matching without regard to case is the binder's.
struct Identifier {
  std::string text;
  bool quoted = false;
  SourceSpan span;
};

// Names joined by dots, never empty: of a table, of a function, or of a column with what stands
// before and after it.
using NamePath = std::vector<Identifier>;

// A type as it was written; the binder looks the name up.
enum class TypeNameKind {
  kNamed,      // name(modifiers)
  kList,       // children[0][] and LIST(children[0])
  kFixedList,  // children[0][fixed_size]
  kStruct,     // STRUCT(field_names[i] children[i], ...)
  kMap,        // MAP(children[0], children[1])
};

struct TypeName {
  TypeNameKind kind = TypeNameKind::kNamed;
  // kNamed: as written, the words of a longer name joined by one blank, as in `DOUBLE PRECISION`
  // and `TIMESTAMP WITH TIME ZONE`.
  Identifier name;
  std::vector<int64_t> modifiers;
  std::vector<TypeName> children;
  std::vector<Identifier> field_names;
  int64_t fixed_size = 0;
  SourceSpan span;
};

// What nodes with a kind have in common. `kind` says which struct a node is:
//
//   switch (expr.kind) {
//     case ExprKind::kUnary: return BindUnary(expr.As<UnaryExpr>());
template <typename Kind>
struct Node {
  Node(Kind node_kind, SourceSpan node_span) : kind(node_kind), span(node_span) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // REQUIRES: T is the struct of `kind`.
  template <typename T>
  const T& As() const {
    KEEPONE_DCHECK(T::kKind == kind);
    return static_cast<const T&>(*this);
  }
  template <typename T>
  T& As() {
    KEEPONE_DCHECK(T::kKind == kind);
    return static_cast<T&>(*this);
  }
  // Nullptr when the node is another struct.
  template <typename T>
  const T* If() const {
    return T::kKind == kind ? static_cast<const T*>(this) : nullptr;
  }

  const Kind kind;
  // From the first to the last token; of an expression with the parentheses around it.
  SourceSpan span;
};

// The node struct `T` whose kind is always `kind_value`; fields are filled in afterwards.
template <typename Base, typename Kind, Kind kind_value>
struct NodeOf : Base {
  static constexpr Kind kKind = kind_value;
  explicit NodeOf(SourceSpan node_span) : Base(kind_value, node_span) {}
};

}  // namespace keepone::ast
