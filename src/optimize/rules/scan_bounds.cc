// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/scan_bounds.h"

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/query_context.h"
#include "function/cast.h"
#include "optimize/rewrite.h"
#include "plan/leaf_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

using Op = ColumnBound::Op;

struct BoundComparison {
  std::string_view function;
  Op op;
  Op reversed;
};

constexpr std::array<BoundComparison, 5> kBoundComparisons = {{
    {"equal", Op::kEqual, Op::kEqual},
    {"less", Op::kLess, Op::kGreater},
    {"less_equal", Op::kLessEqual, Op::kGreaterEqual},
    {"greater", Op::kGreater, Op::kLess},
    {"greater_equal", Op::kGreaterEqual, Op::kLessEqual},
}};

// The time unit of a type without a time zone; days count as seconds, which hold them.
std::optional<arrow::TimeUnit::type> UnitOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::DATE32:
      return arrow::TimeUnit::SECOND;
    case arrow::Type::DATE64:
      return arrow::TimeUnit::MILLI;
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      return timestamp.timezone().empty() ? std::optional(timestamp.unit()) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

// Whether every value of `from` is another one of `to`, in the same order.
bool KeepsOrder(const arrow::DataType& from, const arrow::DataType& to) {
  if (arrow::is_integer(from.id())) {
    return arrow::is_integer(to.id());
  }
  if (from.id() == arrow::Type::FLOAT) {
    return to.id() == arrow::Type::DOUBLE;
  }
  // A coarser unit makes one value of several.
  const auto from_unit = UnitOf(from);
  const auto to_unit = UnitOf(to);
  return to.id() == arrow::Type::TIMESTAMP && from_unit.has_value() && to_unit.has_value() &&
         *from_unit <= *to_unit;
}

class BoundFinder {
 public:
  explicit BoundFinder(const ScanNode::Spec& spec)
      : spec_(spec), context_(QueryContext::Options{}) {}

  void Add(const Expr& conjunct) {
    if (conjunct.kind != ExprKind::kCall) {
      return;
    }
    const std::vector<ExprPtr>& children = conjunct.children;
    if (children.size() == 1 && (IsCall(conjunct, "is_null") || IsCall(conjunct, "is_not_null"))) {
      const ScanNode::Field* field = FindField(*children[0]);
      if (field != nullptr && children[0]->kind == ExprKind::kColumn) {
        bounds_.push_back(
            {field->index, IsCall(conjunct, "is_null") ? Op::kIsNull : Op::kIsNotNull, nullptr});
      }
      return;
    }
    if (children.size() != 2) {
      return;
    }
    for (const BoundComparison& comparison : kBoundComparisons) {
      if (IsCall(conjunct, comparison.function)) {
        AddComparison(*children[0], comparison.op, *children[1]);
        AddComparison(*children[1], comparison.reversed, *children[0]);
      }
    }
  }

  std::vector<ColumnBound> Take() { return std::move(bounds_); }

 private:
  // The field that the expression is, or is a widening of.
  const ScanNode::Field* FindField(const Expr& expr) const {
    if (expr.kind == ExprKind::kCast && !expr.try_cast &&
        expr.children[0]->kind == ExprKind::kColumn &&
        KeepsOrder(*expr.children[0]->type, *expr.type)) {
      return FindField(*expr.children[0]);
    }
    for (const ScanNode::Field& field : spec_.fields) {
      if (IsColumn(expr, field.id)) {
        return &field;
      }
    }
    return nullptr;
  }

  void AddComparison(const Expr& left, Op op, const Expr& right) {
    const ScanNode::Field* field = FindField(left);
    if (field == nullptr || !IsLiteral(right) || !right.literal->is_valid) {
      return;
    }
    std::shared_ptr<arrow::Scalar> value = Convert(right.literal, field->type);
    if (value != nullptr) {
      bounds_.push_back({field->index, op, std::move(value)});
    }
  }

  // The literal in the field's type, or nullptr when it has no equal there.
  std::shared_ptr<arrow::Scalar> Convert(const std::shared_ptr<arrow::Scalar>& value,
                                         const TypePtr& type) {
    if (value->type->Equals(*type)) {
      return value;
    }
    const auto there = CastDatum(&context_, value, type, /*try_cast=*/false);
    if (!there.ok() || !there->is_scalar() || !there->scalar()->is_valid) {
      return nullptr;
    }
    const auto back = CastDatum(&context_, *there, value->type, /*try_cast=*/false);
    if (!back.ok() || !back->is_scalar() || !back->scalar()->Equals(*value)) {
      return nullptr;
    }
    return there->scalar();
  }

  const ScanNode::Spec& spec_;
  QueryContext context_;
  std::vector<ColumnBound> bounds_;
};

}  // namespace

arrow::Result<NodePtr> ScanBounds(const NodePtr& plan, const OptimizerContext& /*context*/) {
  return RewriteUp(plan, [](const NodePtr& node) -> arrow::Result<NodePtr> {
    const auto* filter = AsIf<FilterNode>(*node);
    const auto* scan = filter == nullptr ? nullptr : AsIf<ScanNode>(*filter->input());
    if (scan == nullptr || !scan->spec().bounds.empty()) {
      return node;
    }
    BoundFinder finder(scan->spec());
    for (const ExprPtr& conjunct : SplitConjuncts(filter->predicate())) {
      finder.Add(*conjunct);
    }
    ScanNode::Spec spec = scan->spec();
    spec.bounds = finder.Take();
    if (spec.bounds.empty()) {
      return node;
    }
    return FilterNode::Make(ScanNode::Make(std::move(spec)), filter->predicate());
  });
}

}  // namespace keepone
