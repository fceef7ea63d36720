// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/chunked_array.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>

#include "base/error.h"
#include "function/accumulators.h"
#include "function/arrow_call.h"
#include "function/cast.h"
#include "function/exact_sum.h"
#include "function/state_column.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;
__extension__ using Int128 = __int128;

arrow::Status SumOutOfRange(const arrow::DataType& type) {
  return WithHint(DataError("overflow: the sum leaves the range of ", SqlTypeName(type)),
                  "sum a wider type: sum(CAST(x AS DECIMAL(38,0))) or sum(CAST(x AS DOUBLE))");
}

// How one type of argument is summed: State holds a sum; Add, ToDouble and Append.
struct IntegerSums {
  using ArrayType = arrow::Int64Array;
  using State = Int128;
  static void Add(int64_t value, State* state) { *state += value; }
  static double ToDouble(const State& state, int32_t) { return static_cast<double>(state); }
  static bool HoldsMemory(const State&) { return false; }
  static arrow::Status Append(const State& state, const TypePtr& type,
                              arrow::ArrayBuilder* builder) {
    if (state > std::numeric_limits<int64_t>::max() ||
        state < std::numeric_limits<int64_t>::min()) {
      return SumOutOfRange(*type);
    }
    return checked_cast<arrow::Int64Builder&>(*builder).Append(static_cast<int64_t>(state));
  }
};

struct DoubleSums {
  using ArrayType = arrow::DoubleArray;
  using State = ExactSum;
  static void Add(double value, State* state) { state->Add(value); }
  static double ToDouble(const State& state, int32_t) { return state.Round(); }
  static bool HoldsMemory(const State& state) { return state.HoldsMemory(); }
  static arrow::Status Append(const State& state, const TypePtr&, arrow::ArrayBuilder* builder) {
    return checked_cast<arrow::DoubleBuilder&>(*builder).Append(state.Round());
  }
};

arrow::Status AppendDecimal(const arrow::Decimal256& value, const TypePtr& type,
                            arrow::ArrayBuilder* builder) {
  const auto& decimal = checked_cast<const arrow::DecimalType&>(*type);
  if (!value.FitsInPrecision(decimal.precision())) {
    return SumOutOfRange(*type);
  }
  if (type->id() == arrow::Type::DECIMAL256) {
    return checked_cast<arrow::Decimal256Builder&>(*builder).Append(value);
  }
  const auto words = value.little_endian_array();
  return checked_cast<arrow::Decimal128Builder&>(*builder).Append(
      arrow::Decimal128(static_cast<int64_t>(words[1]), words[0]));
}

template <typename Array, typename Decimal>
struct DecimalSums {
  using ArrayType = Array;
  using State = arrow::Decimal256;
  static void Add(const Decimal& value, State* state) { *state += arrow::Decimal256(value); }
  static double ToDouble(const State& state, int32_t scale) { return state.ToDouble(scale); }
  static bool HoldsMemory(const State&) { return false; }
  static arrow::Status Append(const State& state, const TypePtr& type,
                              arrow::ArrayBuilder* builder) {
    return AppendDecimal(state, type, builder);
  }
};

template <typename Sums>
class SumAccumulator final : public GroupAccumulator {
 public:
  SumAccumulator(QueryContext* context, SumForm form, int32_t scale, TypePtr result)
      : context_(context), form_(form), scale_(scale), result_(std::move(result)) {}

  arrow::Status Resize(int64_t group_count) override {
    groups_.resize(static_cast<size_t>(group_count));
    return arrow::Status::OK();
  }

  arrow::Status Update(const arrow::ArrayVector& arguments,
                       std::span<const uint32_t> group_ids) override {
    const auto& values = checked_cast<const typename Sums::ArrayType&>(*arguments[0]);
    const bool has_nulls = values.null_count() > 0;
    for (size_t row = 0; row < group_ids.size(); ++row) {
      const auto position = static_cast<int64_t>(row);
      if (has_nulls && values.IsNull(position)) {
        continue;
      }
      Group& group = groups_[group_ids[row]];
      ++group.count;
      const bool held = Sums::HoldsMemory(group.sum);
      if constexpr (!std::is_base_of_v<arrow::FixedSizeBinaryArray, typename Sums::ArrayType>) {
        Sums::Add(values.raw_values()[position], &group.sum);
      } else {
        using Decimal = typename arrow::TypeTraits<typename Sums::ArrayType::TypeClass>::CType;
        Sums::Add(Decimal(values.GetValue(position)), &group.sum);
      }
      holders_ += !held && Sums::HoldsMemory(group.sum) ? 1 : 0;
    }
    return arrow::Status::OK();
  }

  arrow::DataTypeVector state_types() const override {
    arrow::DataTypeVector types = {arrow::int64()};
    if constexpr (kExact) {
      const arrow::DataTypeVector sums = SumStateTypes();
      types.insert(types.end(), sums.begin(), sums.end());
    } else {
      types.push_back(SumBytes());
    }
    return types;
  }

  arrow::Result<arrow::ArrayVector> ExportState(std::span<const uint32_t> groups) const override {
    arrow::MemoryPool* pool = PoolOf(context_);
    ARROW_ASSIGN_OR_RAISE(auto counts,
                          ExportValues(arrow::int64(), groups, pool,
                                       [this](uint32_t group) { return groups_[group].count; }));
    arrow::ArrayVector columns = {std::move(counts)};
    const auto sum_of = [this](uint32_t group) -> const State& { return groups_[group].sum; };
    if constexpr (kExact) {
      ARROW_RETURN_NOT_OK(ExportSums(groups, pool, sum_of, &columns));
    } else {
      ARROW_ASSIGN_OR_RAISE(auto sums, ExportValues(SumBytes(), groups, pool, sum_of));
      columns.push_back(std::move(sums));
    }
    return columns;
  }

  arrow::Status MergeState(const arrow::ArrayVector& state,
                           std::span<const uint32_t> group_ids) override {
    const std::span<const int64_t> counts = StateValues<int64_t>(*state[0]);
    if constexpr (kExact) {
      const SumStateReader sums(state, 1);
      return MergeSums(counts, group_ids,
                       [&](size_t row, State* sum) { sums.AddTo(static_cast<int64_t>(row), sum); });
    } else {
      const auto& sums = checked_cast<const arrow::FixedSizeBinaryArray&>(*state[1]);
      return MergeSums(counts, group_ids, [&](size_t row, State* sum) {
        State other{};
        std::memcpy(&other, sums.GetValue(static_cast<int64_t>(row)), sizeof(State));
        *sum += other;
      });
    }
  }

  arrow::Result<std::shared_ptr<arrow::ChunkedArray>> Finish() override {
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(result_, PoolOf(context_)));
    ARROW_RETURN_NOT_OK(builder->Reserve(static_cast<int64_t>(groups_.size())));
    for (const Group& group : groups_) {
      if (group.count == 0) {
        ARROW_RETURN_NOT_OK(builder->AppendNull());
      } else if (form_ == SumForm::kAverage) {
        const double sum = Sums::ToDouble(group.sum, scale_);
        ARROW_RETURN_NOT_OK(checked_cast<arrow::DoubleBuilder&>(*builder).Append(
            sum / static_cast<double>(group.count)));
      } else {
        ARROW_RETURN_NOT_OK(Sums::Append(group.sum, result_, builder.get()));
      }
    }
    groups_ = decltype(groups_)();
    holders_ = 0;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> array, builder->Finish());
    return std::make_shared<arrow::ChunkedArray>(std::move(array));
  }

  int64_t bytes_used() const override {
    return static_cast<int64_t>(groups_.capacity() * sizeof(Group)) +
           holders_ * ExactSum::kBytesOutside;
  }

 private:
  using State = typename Sums::State;
  static constexpr bool kExact = std::is_same_v<State, ExactSum>;

  struct Group {
    State sum{};
    int64_t count = 0;
  };

  static TypePtr SumBytes() {
    return arrow::fixed_size_binary(static_cast<int32_t>(sizeof(State)));
  }

  template <typename AddSum>
  arrow::Status MergeSums(std::span<const int64_t> counts, std::span<const uint32_t> group_ids,
                          const AddSum& add_sum) {
    for (size_t row = 0; row < group_ids.size(); ++row) {
      Group& group = groups_[group_ids[row]];
      const bool held = Sums::HoldsMemory(group.sum);
      group.count += counts[row];
      add_sum(row, &group.sum);
      holders_ += !held && Sums::HoldsMemory(group.sum) ? 1 : 0;
    }
    return arrow::Status::OK();
  }

  QueryContext* context_;
  SumForm form_;
  int32_t scale_;
  TypePtr result_;
  std::vector<Group> groups_;
  int64_t holders_ = 0;  // sums with memory of their own
};

}  // namespace

AccumulatorResult MakeSumAccumulator(QueryContext* context, SumForm form, const TypePtr& argument,
                                     const TypePtr& result) {
  switch (argument->id()) {
    case arrow::Type::INT64:
      return std::make_unique<SumAccumulator<IntegerSums>>(context, form, 0, result);
    case arrow::Type::DOUBLE:
      return std::make_unique<SumAccumulator<DoubleSums>>(context, form, 0, result);
    case arrow::Type::DECIMAL128: {
      using Sums = DecimalSums<arrow::Decimal128Array, arrow::Decimal128>;
      return std::make_unique<SumAccumulator<Sums>>(context, form, DecimalShapeOf(*argument).scale,
                                                    result);
    }
    case arrow::Type::DECIMAL256: {
      using Sums = DecimalSums<arrow::Decimal256Array, arrow::Decimal256>;
      return std::make_unique<SumAccumulator<Sums>>(context, form, DecimalShapeOf(*argument).scale,
                                                    result);
    }
    default:
      return InternalError("sum of ", argument->ToString());
  }
}

}  // namespace keepone
