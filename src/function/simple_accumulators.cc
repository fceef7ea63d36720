// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/chunked_array.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "function/accumulators.h"
#include "function/arrow_call.h"
#include "function/exact_sum.h"
#include "function/state_column.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;

template <typename Builder>
arrow::Result<std::shared_ptr<arrow::ChunkedArray>> FinishBuilder(Builder* builder) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> array, builder->Finish());
  return std::make_shared<arrow::ChunkedArray>(std::move(array));
}

class CountAccumulator final : public GroupAccumulator {
 public:
  CountAccumulator(QueryContext* context, CountedRows counted)
      : context_(context), counted_(counted) {}

  arrow::Status Resize(int64_t group_count) override {
    counts_.resize(static_cast<size_t>(group_count));
    return arrow::Status::OK();
  }

  arrow::Status Update(const arrow::ArrayVector& arguments,
                       std::span<const uint32_t> group_ids) override {
    const arrow::Array* argument = arguments.empty() ? nullptr : arguments[0].get();
    const bool any_null = argument != nullptr && argument->data()->MayHaveLogicalNulls();
    if (counted_ == CountedRows::kTrue) {
      const auto& truths = checked_cast<const arrow::BooleanArray&>(*argument);
      CountRows(group_ids, [&](int64_t row) {
        return truths.Value(row) && (!any_null || truths.IsValid(row));
      });
    } else if (counted_ == CountedRows::kNotNull && any_null) {
      CountRows(group_ids, [&](int64_t row) { return argument->IsValid(row); });
    } else {
      CountRows(group_ids, [](int64_t) { return true; });
    }
    return arrow::Status::OK();
  }

  arrow::DataTypeVector state_types() const override { return {arrow::int64()}; }

  arrow::Result<arrow::ArrayVector> ExportState(std::span<const uint32_t> groups) const override {
    ARROW_ASSIGN_OR_RAISE(auto counts,
                          ExportValues(arrow::int64(), groups, PoolOf(context_),
                                       [this](uint32_t group) { return counts_[group]; }));
    return arrow::ArrayVector{std::move(counts)};
  }

  arrow::Status MergeState(const arrow::ArrayVector& state,
                           std::span<const uint32_t> group_ids) override {
    const std::span<const int64_t> counts = StateValues<int64_t>(*state[0]);
    for (size_t row = 0; row < group_ids.size(); ++row) {
      counts_[group_ids[row]] += counts[row];
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::ChunkedArray>> Finish() override {
    arrow::Int64Builder builder(PoolOf(context_));
    ARROW_RETURN_NOT_OK(builder.AppendValues(counts_));
    counts_ = decltype(counts_)();
    return FinishBuilder(&builder);
  }

  int64_t bytes_used() const override {
    return static_cast<int64_t>(counts_.capacity() * sizeof(int64_t));
  }

 private:
  template <typename Counts>
  void CountRows(std::span<const uint32_t> group_ids, const Counts& counts) {
    for (size_t row = 0; row < group_ids.size(); ++row) {
      counts_[group_ids[row]] += counts(static_cast<int64_t>(row)) ? 1 : 0;
    }
  }

  QueryContext* context_;
  CountedRows counted_;
  std::vector<int64_t> counts_;
};

class TruthAccumulator final : public GroupAccumulator {
 public:
  TruthAccumulator(QueryContext* context, TruthForm form) : context_(context), form_(form) {}

  arrow::Status Resize(int64_t group_count) override {
    seen_.resize(static_cast<size_t>(group_count));
    return arrow::Status::OK();
  }

  arrow::Status Update(const arrow::ArrayVector& arguments,
                       std::span<const uint32_t> group_ids) override {
    const auto& truths = checked_cast<const arrow::BooleanArray&>(*arguments[0]);
    for (size_t row = 0; row < group_ids.size(); ++row) {
      const auto position = static_cast<int64_t>(row);
      if (truths.IsValid(position)) {
        seen_[group_ids[row]] |= truths.Value(position) ? kTrue : kFalse;
      }
    }
    return arrow::Status::OK();
  }

  arrow::DataTypeVector state_types() const override { return {arrow::uint8()}; }

  arrow::Result<arrow::ArrayVector> ExportState(std::span<const uint32_t> groups) const override {
    ARROW_ASSIGN_OR_RAISE(auto seen, ExportValues(arrow::uint8(), groups, PoolOf(context_),
                                                  [this](uint32_t group) { return seen_[group]; }));
    return arrow::ArrayVector{std::move(seen)};
  }

  arrow::Status MergeState(const arrow::ArrayVector& state,
                           std::span<const uint32_t> group_ids) override {
    const std::span<const uint8_t> seen = StateValues<uint8_t>(*state[0]);
    for (size_t row = 0; row < group_ids.size(); ++row) {
      seen_[group_ids[row]] |= seen[row];
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::ChunkedArray>> Finish() override {
    arrow::BooleanBuilder builder(PoolOf(context_));
    ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(seen_.size())));
    for (const uint8_t seen : seen_) {
      if (seen == 0) {
        builder.UnsafeAppendNull();
      } else {
        builder.UnsafeAppend(form_ == TruthForm::kAnd ? (seen & kFalse) == 0 : (seen & kTrue) != 0);
      }
    }
    seen_ = decltype(seen_)();
    return FinishBuilder(&builder);
  }

  int64_t bytes_used() const override { return static_cast<int64_t>(seen_.capacity()); }

 private:
  static constexpr uint8_t kTrue = 1;
  static constexpr uint8_t kFalse = 2;
  QueryContext* context_;
  TruthForm form_;
  std::vector<uint8_t> seen_;
};

class MomentAccumulator final : public GroupAccumulator {
 public:
  MomentAccumulator(QueryContext* context, MomentForm form) : context_(context), form_(form) {}

  arrow::Status Resize(int64_t group_count) override {
    groups_.resize(static_cast<size_t>(group_count));
    return arrow::Status::OK();
  }

  arrow::Status Update(const arrow::ArrayVector& arguments,
                       std::span<const uint32_t> group_ids) override {
    const auto& values = checked_cast<const arrow::DoubleArray&>(*arguments[0]);
    for (size_t row = 0; row < group_ids.size(); ++row) {
      const auto position = static_cast<int64_t>(row);
      if (values.IsValid(position)) {
        Group& group = groups_[group_ids[row]];
        const double value = values.Value(position);
        const int64_t held = Holders(group);
        ++group.count;
        group.sum.Add(value);
        group.squares.AddProduct(value, value);
        holders_ += Holders(group) - held;
      }
    }
    return arrow::Status::OK();
  }

  arrow::DataTypeVector state_types() const override {
    arrow::DataTypeVector types = {arrow::int64()};
    for (int sum = 0; sum < 2; ++sum) {
      for (TypePtr& type : SumStateTypes()) {
        types.push_back(std::move(type));
      }
    }
    return types;
  }

  arrow::Result<arrow::ArrayVector> ExportState(std::span<const uint32_t> groups) const override {
    arrow::MemoryPool* pool = PoolOf(context_);
    ARROW_ASSIGN_OR_RAISE(auto counts,
                          ExportValues(arrow::int64(), groups, pool,
                                       [this](uint32_t group) { return groups_[group].count; }));
    arrow::ArrayVector columns = {std::move(counts)};
    const auto sum = [this](uint32_t group) -> const ExactSum& { return groups_[group].sum; };
    const auto squares = [this](uint32_t group) -> const ExactSum& {
      return groups_[group].squares;
    };
    ARROW_RETURN_NOT_OK(ExportSums(groups, pool, sum, &columns));
    ARROW_RETURN_NOT_OK(ExportSums(groups, pool, squares, &columns));
    return columns;
  }

  arrow::Status MergeState(const arrow::ArrayVector& state,
                           std::span<const uint32_t> group_ids) override {
    const std::span<const int64_t> counts = StateValues<int64_t>(*state[0]);
    const SumStateReader sums(state, 1);
    const SumStateReader squares(state, 3);
    for (size_t row = 0; row < group_ids.size(); ++row) {
      Group& group = groups_[group_ids[row]];
      const int64_t held = Holders(group);
      group.count += counts[row];
      sums.AddTo(static_cast<int64_t>(row), &group.sum);
      squares.AddTo(static_cast<int64_t>(row), &group.squares);
      holders_ += Holders(group) - held;
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::ChunkedArray>> Finish() override {
    arrow::DoubleBuilder builder(PoolOf(context_));
    ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(groups_.size())));
    for (const Group& group : groups_) {
      if (group.count < (form_.sample ? 2 : 1)) {
        builder.UnsafeAppendNull();
      } else {
        const double variance = Variance(group);
        builder.UnsafeAppend(form_.square_root ? std::sqrt(variance) : variance);
      }
    }
    groups_ = decltype(groups_)();
    holders_ = 0;
    return FinishBuilder(&builder);
  }

  int64_t bytes_used() const override {
    return static_cast<int64_t>(groups_.capacity() * sizeof(Group)) +
           holders_ * ExactSum::kBytesOutside;
  }

 private:
  struct Group {
    int64_t count = 0;
    ExactSum sum;
    ExactSum squares;
  };

  static int64_t Holders(const Group& group) {
    return (group.sum.HoldsMemory() ? 1 : 0) + (group.squares.HoldsMemory() ? 1 : 0);
  }

  // (n * sum(x^2) - sum(x)^2) / (n * n or n * (n - 1)): the difference of two nearly equal numbers,
  // taken before anything is rounded.
  double Variance(const Group& group) const {
    const auto count = static_cast<double>(group.count);
    const double divisor = form_.sample ? count * (count - 1) : count * count;
    if (group.sum.IsSpecial() || group.squares.IsSpecial()) {
      const double sum = group.sum.Round();
      return (count * group.squares.Round() - sum * sum) / divisor;
    }
    ExactSum numerator;
    for (const double part : group.squares.Parts()) {
      numerator.AddProduct(count, part);
    }
    const std::vector<double> sums = group.sum.Parts();
    for (const double a : sums) {
      for (const double b : sums) {
        numerator.AddProduct(-a, b);
      }
    }
    return std::max(numerator.Round(), 0.0) / divisor;
  }

  QueryContext* context_;
  MomentForm form_;
  std::vector<Group> groups_;
  int64_t holders_ = 0;  // sums with memory of their own
};

}  // namespace

AccumulatorResult MakeCountAccumulator(QueryContext* context, CountedRows counted) {
  return std::make_unique<CountAccumulator>(context, counted);
}

AccumulatorResult MakeTruthAccumulator(QueryContext* context, TruthForm form) {
  return std::make_unique<TruthAccumulator>(context, form);
}

AccumulatorResult MakeMomentAccumulator(QueryContext* context, MomentForm form) {
  return std::make_unique<MomentAccumulator>(context, form);
}

}  // namespace keepone
