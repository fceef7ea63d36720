// SPDX-License-Identifier: Apache-2.0
#include "column/winner_table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <type_traits>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>

#include "base/check.h"
#include "column/bytes_order.h"
#include "column/group_index.h"
#include "column/key_block.h"
#include "column/winner_addresses.h"
#include "column/winner_blocks.h"
#include "column/winner_order.h"
#include "column/winner_rows.h"

namespace keepone {

namespace {

using Rows = std::array<uint16_t, kBlockRows>;

constexpr Rows kAllRows = [] {
  Rows rows{};
  std::iota(rows.begin(), rows.end(), uint16_t{0});
  return rows;
}();

// `single` tables keep one row per group, in the state of the group itself.
template <KeyForm form, typename Order, bool single>
class WinnerTableImpl final : public WinnerTable {
 public:
  WinnerTableImpl(WinnerSpec spec, std::unique_ptr<WinnerBlocks> blocks, MemoryBudget* budget)
      : spec_(std::move(spec)),
        budget_(budget),
        blocks_(std::move(blocks)),
        groups_(blocks_->groups),
        orders_(blocks_->orders),
        ties_(blocks_->ties),
        state_(MakeState()) {}

  arrow::Status Consume(const arrow::ArrayVector& group_columns,
                        const arrow::ArrayVector& order_columns,
                        std::span<const int64_t> addresses) override {
    ARROW_RETURN_NOT_OK(blocks_->Bind(group_columns, order_columns, addresses));
    return ConsumeBound();
  }

  arrow::Status ConsumeRange(const arrow::ArrayVector& group_columns,
                             const arrow::ArrayVector& order_columns, int64_t first_address,
                             int64_t rows) override {
    ARROW_RETURN_NOT_OK(blocks_->BindRange(group_columns, order_columns, first_address, rows));
    return ConsumeBound();
  }

  void PrefetchSlots(const WinnerBlocks& block, std::span<const uint16_t> rows) const override {
    state_->index.PrefetchSlots(block.groups, rows);
  }
  void PrefetchGroups(const WinnerBlocks& block, std::span<const uint16_t> rows) const override {
    state_->index.PrefetchRecords(block.groups, rows);
  }
  arrow::Status ConsumeBlock(const WinnerBlocks& block, std::span<const uint16_t> rows) override {
    return Apply(block, rows);
  }

  arrow::Status ReadBack(const BlockVisitor& visit) override {
    const State& state = *state_;
    for (uint32_t group = 0; group < state.index.count(); ++group) {
      ARROW_RETURN_NOT_OK(ForEachItem(state, group, [&](const uint8_t* item) {
        LoadItem(state, group, item);
        return loaded_rows_ == kBlockRows ? VisitLoaded(visit) : arrow::Status::OK();
      }));
    }
    return VisitLoaded(visit);
  }

  void Clear() override { state_ = MakeState(); }

  arrow::Status MergeFrom(const WinnerTable& other_table, uint32_t partition,
                          uint32_t partition_count) override {
    const State& other = *static_cast<const WinnerTableImpl&>(other_table).state_;
    KEEPONE_CHECK(spec_.group_count_max < 0 || partition_count == 1);
    for (uint32_t group = 0; group < other.index.count(); ++group) {
      if (partition_count == 1 || other.index.Partition(group, partition_count) == partition) {
        ARROW_RETURN_NOT_OK(MergeGroup(other, group));
      }
    }
    return ApplyLoaded();
  }

  uint32_t group_count() const override { return state_->index.count(); }
  int64_t bytes_used() const override {
    return state_->index.bytes_used() + state_->order.bytes_used() + state_->rows.bytes_used();
  }

 private:
  // Everything that is held of the rows.
  struct State {
    State(const WinnerSpec& spec, int32_t group_width, int32_t order_width, MemoryBudget* budget)
        : order(budget, order_width),
          rows(budget, spec.rule, spec.n, &order),
          index(budget, group_width, single ? order.item_bytes() : rows.state_bytes()) {}

    Order order;
    WinnerRows<Order> rows;
    GroupIndex<form> index;
  };

  std::unique_ptr<State> MakeState() const {
    return std::make_unique<State>(spec_, blocks_->group_width(), blocks_->order_width(), budget_);
  }

  arrow::Status ConsumeBound() {
    while (true) {
      ARROW_ASSIGN_OR_RAISE(int64_t count, blocks_->NextGroups());
      if (count == 0) {
        return arrow::Status::OK();
      }
      // Rows that are beyond the first groups need no order keys.
      if (!Select(count).empty()) {
        ARROW_ASSIGN_OR_RAISE(count, blocks_->ReadRest());
        ARROW_RETURN_NOT_OK(Apply(*blocks_, Select(count)));
      }
    }
  }

  // The rows of the first `count` in groups_ that may belong to the first groups.
  std::span<const uint16_t> Select(int64_t count) {
    const auto rows = static_cast<size_t>(count);
    if (!has_cutoff_) {
      return {kAllRows.data(), rows};
    }
    size_t selected = 0;
    for (size_t i = 0; i < rows; ++i) {
      selection_[selected] = static_cast<uint16_t>(i);
      selected += BeyondCutoff(i) ? size_t{0} : size_t{1};
    }
    return {selection_.data(), selected};
  }

  bool BeyondCutoff(size_t row) const {
    if constexpr (form == KeyForm::kNone) {
      return false;
    } else if constexpr (form == KeyForm::kUInt64) {
      const bool null = groups_.has_nulls && groups_.nulls[row] != 0;
      if (null != cutoff_null_) {
        return null != spec_.group_keys[0].nulls_first;
      }
      return groups_.values[row] > cutoff_value_;
    } else {
      return CompareBytes(groups_.data[row], groups_.lengths[row], cutoff_bytes_.data(),
                          static_cast<uint32_t>(cutoff_bytes_.size())) > 0;
    }
  }

  arrow::Status Apply(const WinnerBlocks& block, std::span<const uint16_t> rows) {
    State& state = *state_;
    const auto take = [&](uint16_t row, uint32_t, uint8_t* item, bool is_new) -> arrow::Status {
      const uint64_t tie = block.ties[row];
      if constexpr (single) {
        if (is_new) {
          return state.order.Store(block.orders, row, tie, item);
        }
        if (state.order.Less(block.orders, row, tie, item)) {
          return state.order.Replace(block.orders, row, tie, item);
        }
        return arrow::Status::OK();
      } else {
        return is_new ? state.rows.Start(block.orders, row, tie, item)
                      : state.rows.Add(block.orders, row, tie, item);
      }
    };
    ARROW_RETURN_NOT_OK(state.index.Upsert(block.groups, rows, take));
    if (state.order.wants_compaction()) [[unlikely]] {
      ARROW_RETURN_NOT_OK(CompactOrder());
    }
    const int64_t limit = spec_.group_count_max;
    if (limit >= 0 && int64_t{state.index.count()} - limit > std::max<int64_t>(limit, 1024)) {
      return DropLaterGroups();
    }
    return arrow::Status::OK();
  }

  // Merging turns items back into rows and takes these in as Consume does.
  arrow::Status MergeGroup(const State& other, uint32_t group) {
    return ForEachItem(other, group, [&](const uint8_t* item) {
      LoadItem(other, group, item);
      return loaded_rows_ == kBlockRows ? ApplyLoaded() : arrow::Status::OK();
    });
  }

  template <typename Visit>
  static arrow::Status ForEachItem(const State& state, uint32_t group, Visit&& visit) {
    uint8_t* group_state = state.index.state(group);
    if constexpr (single) {
      return visit(group_state);
    } else {
      for (uint32_t i = 0; i < WinnerRows<Order>::Count(group_state); ++i) {
        ARROW_RETURN_NOT_OK(visit(state.rows.Item(group_state, i)));
      }
      return arrow::Status::OK();
    }
  }

  // Turns an item back into a row of the block at hand.
  void LoadItem(const State& state, uint32_t group, const uint8_t* item) {
    if (loaded_rows_ == 0) {
      groups_.has_nulls = false;
    }
    state.index.LoadKey(group, loaded_rows_, &groups_);
    state.order.Load(item, static_cast<uint16_t>(loaded_rows_), &orders_,
                     &ties_[static_cast<size_t>(loaded_rows_)]);
    ++loaded_rows_;
  }

  int64_t TakeLoaded() {
    blocks_->Hash(loaded_rows_);
    return std::exchange(loaded_rows_, 0);
  }
  arrow::Status ApplyLoaded() { return Apply(*blocks_, Select(TakeLoaded())); }
  arrow::Status VisitLoaded(const BlockVisitor& visit) {
    return loaded_rows_ == 0 ? arrow::Status::OK() : visit(*blocks_, TakeLoaded());
  }

  // Keeps the group_count_max first groups, and from now on drops rows of later ones at once.
  arrow::Status DropLaterGroups() {
    const auto limit = static_cast<size_t>(spec_.group_count_max);
    std::vector<uint32_t> groups(state_->index.count());
    if (limit >= groups.size()) {
      return arrow::Status::OK();
    }
    const std::unique_ptr<State> old = std::exchange(state_, MakeState());
    const bool nulls_first = !spec_.group_keys.empty() && spec_.group_keys[0].nulls_first;
    const auto less = [&](uint32_t a, uint32_t b) {
      return old->index.Compare(a, b, nulls_first) < 0;
    };
    std::iota(groups.begin(), groups.end(), 0u);
    std::nth_element(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(limit),
                     groups.end(), less);
    groups.resize(limit);
    for (const uint32_t group : groups) {
      ARROW_RETURN_NOT_OK(MergeGroup(*old, group));
    }
    ARROW_RETURN_NOT_OK(ApplyLoaded());
    if (limit > 0) {
      SetCutoff(*old, *std::max_element(groups.begin(), groups.end(), less));
    }
    return arrow::Status::OK();
  }

  void SetCutoff(const State& state, uint32_t group) {
    groups_.has_nulls = false;
    state.index.LoadKey(group, 0, &groups_);
    has_cutoff_ = true;
    if constexpr (form == KeyForm::kUInt64) {
      cutoff_null_ = groups_.nulls[0] != 0;
      cutoff_value_ = groups_.values[0];
    } else if constexpr (form != KeyForm::kNone) {
      cutoff_bytes_.assign(groups_.data[0], groups_.data[0] + groups_.lengths[0]);
    }
  }

  arrow::Status CompactOrder() {
    if constexpr (std::is_same_v<Order, BytesOrder>) {
      State& state = *state_;
      state.order.BeginCompaction();
      for (uint32_t group = 0; group < state.index.count(); ++group) {
        uint8_t* group_state = state.index.state(group);
        if constexpr (single) {
          ARROW_RETURN_NOT_OK(state.order.Move(group_state));
        } else {
          for (uint32_t i = 0; i < WinnerRows<Order>::Count(group_state); ++i) {
            ARROW_RETURN_NOT_OK(state.order.Move(state.rows.Item(group_state, i)));
          }
        }
      }
      state.order.EndCompaction();
    }
    return arrow::Status::OK();
  }

  arrow::Result<int64_t> Seal() override {
    if (spec_.group_count_max >= 0) {
      ARROW_RETURN_NOT_OK(DropLaterGroups());
    }
    const uint32_t count = state_->index.count();
    if constexpr (single) {
      return int64_t{count};
    } else {
      int64_t rows = 0;
      for (uint32_t group = 0; group < count; ++group) {
        uint8_t* group_state = state_->index.state(group);
        state_->rows.Cut(group_state);
        rows += WinnerRows<Order>::Count(group_state);
      }
      return rows;
    }
  }

  bool has_numbers() const override { return spec_.n > 1; }

  void Drain(int64_t* addresses, int64_t* numbers) override {
    const State& state = *state_;
    const auto address = [&](const uint8_t* item) {
      return static_cast<int64_t>(AddressOfTie(state.order.Tie(item), spec_.last_wins));
    };
    for (uint32_t group = 0; group < state.index.count(); ++group) {
      uint8_t* group_state = state.index.state(group);
      if constexpr (single) {
        *addresses++ = address(group_state);
      } else {
        int64_t number = 0;
        for (uint32_t i = 0; i < WinnerRows<Order>::Count(group_state); ++i) {
          *addresses++ = address(state.rows.Item(group_state, i));
          number = state.rows.NextNumber(group_state, i, number);
          if (numbers != nullptr) {
            *numbers++ = number;
          }
        }
      }
    }
    state_ = MakeState();
  }

  WinnerSpec spec_;
  MemoryBudget* budget_;
  std::unique_ptr<WinnerBlocks> blocks_;
  KeyBlock& groups_;  // of the block at hand, as the next two
  KeyBlock& orders_;
  std::array<uint64_t, kBlockRows>& ties_;
  std::unique_ptr<State> state_;
  Rows selection_;
  int64_t loaded_rows_ = 0;
  // The last of the first groups, once there are more than wanted.
  bool has_cutoff_ = false;
  bool cutoff_null_ = false;
  uint64_t cutoff_value_ = 0;
  std::vector<uint8_t> cutoff_bytes_;
};

template <KeyForm form, typename Order>
std::unique_ptr<WinnerTable> MakeTable(WinnerSpec spec, std::unique_ptr<WinnerBlocks> blocks,
                                       MemoryBudget* budget) {
  if (spec.n == 1 && spec.rule == KeepRule::kRowNumber) {
    return std::make_unique<WinnerTableImpl<form, Order, true>>(std::move(spec), std::move(blocks),
                                                                budget);
  }
  return std::make_unique<WinnerTableImpl<form, Order, false>>(std::move(spec), std::move(blocks),
                                                               budget);
}

template <KeyForm form>
std::unique_ptr<WinnerTable> MakeTable(WinnerSpec spec, std::unique_ptr<WinnerBlocks> blocks,
                                       MemoryBudget* budget) {
  switch (blocks->order_form()) {
    case KeyForm::kUInt64:
      return MakeTable<form, UInt64Order>(std::move(spec), std::move(blocks), budget);
    case KeyForm::kNone:
    case KeyForm::kFixed:
      return MakeTable<form, FixedOrder>(std::move(spec), std::move(blocks), budget);
    default:
      return MakeTable<form, BytesOrder>(std::move(spec), std::move(blocks), budget);
  }
}

}  // namespace

arrow::Result<std::unique_ptr<WinnerTable>> WinnerTable::Make(WinnerSpec spec,
                                                              MemoryBudget* budget) {
  KEEPONE_CHECK(spec.n >= 1);
  ARROW_ASSIGN_OR_RAISE(auto blocks, WinnerBlocks::Make(spec, budget));
  switch (blocks->group_form()) {
    case KeyForm::kNone:
      return MakeTable<KeyForm::kNone>(std::move(spec), std::move(blocks), budget);
    case KeyForm::kUInt64:
      return MakeTable<KeyForm::kUInt64>(std::move(spec), std::move(blocks), budget);
    case KeyForm::kFixed:
      return MakeTable<KeyForm::kFixed>(std::move(spec), std::move(blocks), budget);
    default:
      return MakeTable<KeyForm::kBytes>(std::move(spec), std::move(blocks), budget);
  }
}

arrow::Result<Winners> WinnerTable::Finish(std::span<const std::unique_ptr<WinnerTable>> tables,
                                           MemoryBudget* budget) {
  int64_t count = 0;
  bool has_numbers = false;
  std::vector<int64_t> begins;
  for (const auto& table : tables) {
    begins.push_back(count);
    ARROW_ASSIGN_OR_RAISE(const int64_t rows, table->Seal());
    count += rows;
    has_numbers |= table->has_numbers();
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> address_buffer,
                        arrow::AllocateBuffer(count * 8, budget));
  auto* addresses = reinterpret_cast<int64_t*>(address_buffer->mutable_data());
  std::shared_ptr<arrow::Buffer> number_buffer;
  int64_t* numbers = nullptr;
  if (has_numbers) {
    ARROW_ASSIGN_OR_RAISE(number_buffer, arrow::AllocateBuffer(count * 8, budget));
    numbers = reinterpret_cast<int64_t*>(number_buffer->mutable_data());
  }
  for (size_t i = 0; i < tables.size(); ++i) {
    tables[i]->Drain(addresses + begins[i], has_numbers ? numbers + begins[i] : nullptr);
  }
  Winners winners;
  if (has_numbers) {
    ARROW_RETURN_NOT_OK(SortNumberedAddresses(addresses, numbers, count, budget));
    winners.numbers = std::make_shared<arrow::Int64Array>(count, std::move(number_buffer));
  } else {
    ARROW_RETURN_NOT_OK(SortAddresses(addresses, count, budget));
  }
  winners.addresses = std::make_shared<arrow::Int64Array>(count, std::move(address_buffer));
  return winners;
}

}  // namespace keepone
