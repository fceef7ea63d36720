// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/ast_node.h"

namespace keepone::ast {

// Special call forms are read as plain calls: EXTRACT(f FROM x) is date_part('f', x),
// SUBSTRING(x FROM a FOR b) substring(x, a, b), POSITION(a IN b) strpos(b, a), TRIM(LEADING c FROM
// x) ltrim(x, c), x AT TIME ZONE z timezone(z, x).
enum class ExprKind {
  kLiteral,
  kInterval,
  kTypedLiteral,
  kColumn,
  kStar,
  kParameter,
  kList,
  kStruct,
  kMap,
  kRow,
  kField,
  kSubscript,
  kSlice,
  kUnary,
  kBinary,
  kLogic,
  kIs,
  kBetween,
  kInList,
  kInQuery,
  kLike,
  kQuantified,
  kCase,
  kCast,
  kCall,
  kLambda,
  kExists,
  kScalarQuery,
};

struct Expr : Node<ExprKind> {
  using Node::Node;
};

template <ExprKind kind_value>
using ExprOf = NodeOf<Expr, ExprKind, kind_value>;

enum class LiteralKind {
  kNull,
  kBoolean,  // text is "true" or "false"
  kInteger,  // text is decimal digits, as many as were written
  kDecimal,  // text is digits with a point, as in 1.50, .5 or 5.
  kFloat,    // text is a number with an exponent, as in 1e10 or 1.5E-3
  kString,   // text is the value, escapes resolved; valid UTF-8
  kBlob,     // text is the bytes
};

// Numbers have no sign: -1 is a kUnary over 1.
struct LiteralExpr final : ExprOf<ExprKind::kLiteral> {
  using NodeOf::NodeOf;
  LiteralKind literal = LiteralKind::kNull;
  std::string text;
};

enum class IntervalUnit {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
};

// INTERVAL '1 day' (a string without unit), INTERVAL '1' DAY, INTERVAL 1 DAY, INTERVAL (x) DAY.
struct IntervalExpr final : ExprOf<ExprKind::kInterval> {
  using NodeOf::NodeOf;
  ExprPtr value;
  std::optional<IntervalUnit> unit;
};

// DATE '..', TIME '..', TIMESTAMP '..', TIMESTAMPTZ '..'.
struct TypedLiteralExpr final : ExprOf<ExprKind::kTypedLiteral> {
  using NodeOf::NodeOf;
  TypeName type;
  std::string text;
  SourceSpan text_span;
};

// a, t.a, s.t.a, a.b.c: which part is a table, which a column and which a field, the binder finds.
struct ColumnExpr final : ExprOf<ExprKind::kColumn> {
  using NodeOf::NodeOf;
  NamePath path;
};

struct StarReplacement {
  ExprPtr expr;
  Identifier column;
};

struct StarRename {
  Identifier from;
  Identifier to;
};

// * or t.*: only as a whole select item or a whole argument.
struct StarExpr final : ExprOf<ExprKind::kStar> {
  using NodeOf::NodeOf;
  std::vector<Identifier> qualifier;  // Empty for a bare *.
  std::vector<NamePath> exclude;
  std::vector<StarReplacement> replace;
  std::vector<StarRename> rename;
};

// ?, $1 or $name; `name` is empty, "1" or "name".
struct ParameterExpr final : ExprOf<ExprKind::kParameter> {
  using NodeOf::NodeOf;
  std::string name;
};

// [a, b] and ARRAY[a, b].
struct ListExpr final : ExprOf<ExprKind::kList> {
  using NodeOf::NodeOf;
  std::vector<ExprPtr> elements;
};

struct StructField {
  Identifier name;
  ExprPtr value;
};

// {'k': v, k: v}.
struct StructExpr final : ExprOf<ExprKind::kStruct> {
  using NodeOf::NodeOf;
  std::vector<StructField> fields;
};

struct MapEntry {
  ExprPtr key;
  ExprPtr value;
};

// MAP {k: v}.
struct MapExpr final : ExprOf<ExprKind::kMap> {
  using NodeOf::NodeOf;
  std::vector<MapEntry> entries;
};

// (a, b) and ROW(a, ...).
struct RowExpr final : ExprOf<ExprKind::kRow> {
  using NodeOf::NodeOf;
  std::vector<ExprPtr> elements;
};

// (operand).name; where operand is a plain name, see ColumnExpr.
struct FieldExpr final : ExprOf<ExprKind::kField> {
  using NodeOf::NodeOf;
  ExprPtr operand;
  Identifier name;
};

// operand[index].
struct SubscriptExpr final : ExprOf<ExprKind::kSubscript> {
  using NodeOf::NodeOf;
  ExprPtr operand;
  ExprPtr index;
};

// operand[lower:upper:step], each of the three possibly nullptr.
struct SliceExpr final : ExprOf<ExprKind::kSlice> {
  using NodeOf::NodeOf;
  ExprPtr operand;
  ExprPtr lower;
  ExprPtr upper;
  ExprPtr step;
};

enum class UnaryOp { kNegate, kPlus, kNot, kBitNot };

struct UnaryExpr final : ExprOf<ExprKind::kUnary> {
  using NodeOf::NodeOf;
  UnaryOp op = UnaryOp::kNegate;
  ExprPtr operand;
};

}  // namespace keepone::ast
