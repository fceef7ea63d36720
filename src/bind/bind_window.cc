// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "base/error.h"
#include "bind/expr_binder.h"
#include "bind/scope.h"
#include "bind/window_function.h"

namespace keepone {
namespace {

// What a frame comes to, as far as windows are computed.
enum class FrameReach {
  kWholePartition,
  kToPeers,  // from the first row of the partition to the last peer of the current one
  kToRow,    // from the first row of the partition to the current one
  kOther,
};

FrameReach ReachOf(const ast::WindowFrame* frame, bool has_order) {
  if (frame == nullptr) {
    return has_order ? FrameReach::kToPeers : FrameReach::kWholePartition;
  }
  if (frame->exclusion != ast::FrameExclusion::kNoOthers ||
      frame->start.kind != ast::FrameBoundKind::kUnboundedPreceding) {
    return FrameReach::kOther;
  }
  if (frame->end.kind == ast::FrameBoundKind::kUnboundedFollowing) {
    return FrameReach::kWholePartition;
  }
  if (frame->end.kind != ast::FrameBoundKind::kCurrentRow) {
    return FrameReach::kOther;
  }
  if (frame->unit == ast::FrameUnit::kRows) {
    return FrameReach::kToRow;
  }
  return has_order ? FrameReach::kToPeers : FrameReach::kWholePartition;
}

bool IsFirstValue(const AggregateExpr& aggregate) {
  return aggregate.function->kind == AggregateKind::kWinner &&
         aggregate.function->winner.order == WinnerMeaning::Order::kCallOrder &&
         aggregate.nth == 1 && aggregate.required.empty() && aggregate.filter == nullptr;
}

// "max(ts)" of "max(ts) OVER (PARTITION BY k)".
std::string WithoutOver(const std::string& text) {
  int64_t depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (depth == 0 && text.compare(i, 6, " OVER ") == 0) {
      return text.substr(0, i);
    }
  }
  return text;
}

}  // namespace

arrow::Result<ExprBinder::ResolvedWindow> ExprBinder::ResolveNamedWindow(
    const ast::Identifier& name, const SelectCalls& calls, size_t named_before) {
  const std::vector<ast::NamedWindow>& named = *calls.named_windows;
  const std::vector<size_t> matches =
      MatchName(name, named_before, [&](size_t i) { return std::string_view(named[i].name.text); });
  if (matches.empty()) {
    return BindError(context_->Place(name.span), "window ", Quoted(name.text), " does not exist");
  }
  return ResolveWindowSpec(named[matches[0]].spec, calls, matches[0]);
}

arrow::Result<ExprBinder::ResolvedWindow> ExprBinder::ResolveWindowSpec(const ast::WindowSpec& spec,
                                                                        const SelectCalls& calls,
                                                                        size_t named_before) {
  ResolvedWindow own;
  own.partition_by = &spec.partition_by;
  own.order_by = &spec.order_by;
  own.frame = spec.frame.has_value() ? &*spec.frame : nullptr;
  if (!spec.base.has_value()) {
    return own;
  }
  ARROW_ASSIGN_OR_RAISE(const ResolvedWindow base,
                        ResolveNamedWindow(*spec.base, calls, named_before));
  const SourceSpan place = context_->Place(spec.base->span);
  if (!spec.partition_by.empty()) {
    return BindError(place, "cannot override PARTITION BY clause of window ",
                     Quoted(spec.base->text));
  }
  if (!spec.order_by.empty() && !base.order_by->empty()) {
    return BindError(place, "cannot override ORDER BY clause of window ", Quoted(spec.base->text));
  }
  if (base.frame != nullptr) {
    return BindError(place, "cannot copy window ", Quoted(spec.base->text),
                     " because it has a frame clause");
  }
  own.partition_by = base.partition_by;
  if (spec.order_by.empty()) {
    own.order_by = base.order_by;
  }
  return own;
}

arrow::Status ExprBinder::BindWindowKeys(const ResolvedWindow& resolved, const ExprScope& inside,
                                         WindowExpr* window) {
  for (const ast::ExprPtr& expr : *resolved.partition_by) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr key, Bind(*expr, inside));
    if (!IsLiteral(*key)) {
      window->partition.push_back(std::move(key));
    }
  }
  // All rows are peers under a constant, as they are without an order.
  for (const ast::OrderItem& item : *resolved.order_by) {
    ARROW_ASSIGN_OR_RAISE(SortExpr key, BindSortExpr(item, inside));
    if (!IsLiteral(*key.expr)) {
      window->order.push_back(std::move(key));
    }
  }
  return arrow::Status::OK();
}

arrow::Result<ExprPtr> ExprBinder::BindWindow(const ast::CallExpr& call, const ExprScope& scope) {
  const SourceSpan place = context_->Place(call.span);
  const std::string& name = call.name[0].text;
  if (scope.in_window) {
    return BindError(place, "window function calls cannot be nested");
  }
  if (scope.in_aggregate) {
    return BindError(place, "aggregate function calls cannot contain window function calls");
  }
  if (!scope.windows || scope.calls == nullptr) {
    return BindError(place, "window functions are not allowed in ", scope.clause);
  }
  const SelectCalls& calls = *scope.calls;
  const size_t named = calls.named_windows->size();
  ResolvedWindow resolved;
  if (call.window_name.has_value()) {
    ARROW_ASSIGN_OR_RAISE(resolved, ResolveNamedWindow(*call.window_name, calls, named));
  } else {
    ARROW_ASSIGN_OR_RAISE(resolved, ResolveWindowSpec(*call.window, calls, named));
  }
  ExprScope inside = scope;
  inside.in_window = true;
  inside.outputs = nullptr;
  WindowExpr window;
  ARROW_RETURN_NOT_OK(BindWindowKeys(resolved, inside, &window));
  if (IsWindowFunction(name)) {
    ARROW_RETURN_NOT_OK(BindWindowFunction(call, inside, &window));
  } else {
    ARROW_RETURN_NOT_OK(BindWindowAggregate(call, inside, resolved.frame, &window));
  }
  // Now that it is known what COLUMNS(..) stands for.
  window.name = WithoutOver(Spelling(call, scope));
  window.spelling = window.name;
  window.aggregate.spelling = window.name;
  return AddWindow(scope.calls, std::move(window), context_->ids, place);
}

arrow::Status ExprBinder::BindWindowAggregate(const ast::CallExpr& call, const ExprScope& scope,
                                              const ast::WindowFrame* frame, WindowExpr* window) {
  const std::string& name = call.name[0].text;
  const SourceSpan place = context_->Place(call.span);
  if (!IsAggregateFunction(name)) {
    return BindError(place, "OVER specified, but ", name,
                     " is not a window function nor an aggregate function");
  }
  window->kind = WindowCall::Kind::kAggregate;
  ARROW_ASSIGN_OR_RAISE(window->aggregate, ResolveAggregate(call, scope, &window->order));
  window->type = window->aggregate.function->result_type;
  const FrameReach reach = ReachOf(frame, !window->order.empty());
  const bool starts_with_partition = reach == FrameReach::kWholePartition ||
                                     reach == FrameReach::kToPeers || reach == FrameReach::kToRow;
  const bool own_order = !call.order_by.empty() || !call.within_group.empty();
  if (reach == FrameReach::kWholePartition ||
      (starts_with_partition && IsFirstValue(window->aggregate) && !own_order)) {
    // The first row of the partition is the first of each such frame.
    window->order.clear();
    return arrow::Status::OK();
  }
  const SourceSpan frame_place = frame != nullptr ? context_->Place(frame->span) : place;
  if (!starts_with_partition) {
    return WithHint(UnsupportedError(frame_place, "this window frame"),
                    "frames go from UNBOUNDED PRECEDING to CURRENT ROW or UNBOUNDED FOLLOWING");
  }
  if (window->aggregate.function->kind == AggregateKind::kCollect) {
    return WithHint(
        UnsupportedError(frame_place, name, " over a frame that ends at the current row"),
        "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING covers the whole partition");
  }
  window->to_row = reach == FrameReach::kToRow;
  return arrow::Status::OK();
}

}  // namespace keepone
