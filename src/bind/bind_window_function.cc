// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "bind/expr_binder.h"
#include "bind/row_count.h"
#include "bind/window_function.h"

namespace keepone {
namespace {

struct NamedKind {
  std::string_view name;
  WindowCall::Kind kind;
};

constexpr std::array<NamedKind, 8> kKinds = {{
    {"row_number", WindowCall::Kind::kRowNumber},
    {"rank", WindowCall::Kind::kRank},
    {"dense_rank", WindowCall::Kind::kDenseRank},
    {"percent_rank", WindowCall::Kind::kPercentRank},
    {"cume_dist", WindowCall::Kind::kCumeDist},
    {"ntile", WindowCall::Kind::kNtile},
    {"lag", WindowCall::Kind::kShift},
    {"lead", WindowCall::Kind::kShift},
}};

const NamedKind* FindKind(std::string_view name) {
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(), [&](const NamedKind& each) {
    return EqualNames(name, each.name);
  });
  return found == kKinds.end() ? nullptr : found;
}

}  // namespace

bool IsWindowFunction(std::string_view name) {
  return FindKind(name) != nullptr;
}

arrow::Status ExprBinder::BindWindowFunction(const ast::CallExpr& call, const ExprScope& scope,
                                             WindowExpr* window) {
  const SourceSpan place = context_->Place(call.span);
  const std::string& name = call.name[0].text;
  window->kind = FindKind(name)->kind;
  const bool takes_arguments =
      window->kind == WindowCall::Kind::kShift || window->kind == WindowCall::Kind::kNtile;
  if (!call.order_by.empty()) {
    return WithHint(BindError(context_->Place(call.order_by[0].span), "ORDER BY inside of ", name,
                              "() is not the order of its window"),
                    "write " + name + (takes_arguments ? "(..)" : "()") +
                        " OVER (PARTITION BY .. ORDER BY ..)");
  }
  if (call.distinct || call.filter != nullptr || call.having.has_value() || call.limit != nullptr ||
      !call.within_group.empty()) {
    return BindError(place, name, " takes no DISTINCT, FILTER, HAVING, LIMIT or WITHIN GROUP");
  }
  if (window->kind == WindowCall::Kind::kShift) {
    return BindShift(call, scope, window);
  }
  if (call.nulls != ast::NullTreatment::kDefault) {
    return BindError(place, name, " reads no values, so it takes no IGNORE or RESPECT NULLS");
  }
  const bool has_share =
      window->kind == WindowCall::Kind::kPercentRank || window->kind == WindowCall::Kind::kCumeDist;
  window->type = has_share ? arrow::float64() : arrow::int64();
  if (window->kind != WindowCall::Kind::kNtile) {
    return call.arguments.empty()
               ? arrow::Status::OK()
               : BindError(place, name, " takes nothing between its parentheses");
  }
  if (call.arguments.size() != 1) {
    return BindError(place, name, " takes one argument, the number of buckets");
  }
  const ast::Expr& buckets = *call.arguments[0].value;
  ARROW_ASSIGN_OR_RAISE(const std::optional<int64_t> count,
                        BindRowCount(context_, buckets, "the number of buckets"));
  if (count.value_or(0) < 1) {
    return BindError(context_->Place(buckets.span), "the number of buckets must be at least 1");
  }
  window->offset = *count;
  return arrow::Status::OK();
}

arrow::Status ExprBinder::BindShift(const ast::CallExpr& call, const ExprScope& scope,
                                    WindowExpr* window) {
  const std::string& name = call.name[0].text;
  if (call.arguments.empty() || call.arguments.size() > 3) {
    return WithHint(BindError(context_->Place(call.span), name, " takes one to three arguments"),
                    "it is " + name + "(value [, offset [, default]])");
  }
  ARROW_ASSIGN_OR_RAISE(window->arguments, BindAggregateArguments(call, scope));
  window->offset = 1;
  if (window->arguments.size() > 1) {
    const SourceSpan place = context_->Place(call.arguments[1].value->span);
    ARROW_ASSIGN_OR_RAISE(const ExprPtr offset, FoldConstant(context_, window->arguments[1]));
    if (!IsLiteral(*offset) || !offset->literal->is_valid ||
        !arrow::is_integer(offset->type->id())) {
      return BindError(place, "the offset of ", name, " must be a constant whole number");
    }
    const auto rows = ConvertTo(context_, offset, arrow::int64());
    if (!rows.ok()) {
      return BindError(place, "the offset of ", name, " is too large");
    }
    window->offset =
        arrow::internal::checked_cast<const arrow::Int64Scalar&>(*(*rows)->literal).value;
    window->arguments.erase(window->arguments.begin() + 1);
  }
  if (EqualNames(name, "lag")) {
    // Nothing stands so far away: what overflows would be the same.
    window->offset = window->offset == std::numeric_limits<int64_t>::min()
                         ? std::numeric_limits<int64_t>::max()
                         : -window->offset;
  }
  ARROW_RETURN_NOT_OK(Unify(context_, &window->arguments, name));
  window->type = window->arguments[0]->type;
  window->ignores_nulls = call.nulls == ast::NullTreatment::kIgnore;
  return arrow::Status::OK();
}

}  // namespace keepone
