// SPDX-License-Identifier: Apache-2.0
#include "column/winner_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>

#include "base/check.h"
#include "column/bytes_order.h"
#include "column/group_index.h"
#include "column/key_block.h"
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
  WinnerTableImpl(WinnerSpec spec, std::unique_ptr<KeyReader> groups,
                  std::unique_ptr<KeyReader> orders, MemoryBudget* budget)
      : spec_(std::move(spec)),
        budget_(budget),
        group_reader_(std::move(groups)),
        order_reader_(std::move(orders)),
        state_(MakeState()),
        groups_(std::make_unique<KeyBlock>()),
        orders_(std::make_unique<KeyBlock>()) {}

  arrow::Status Consume(const arrow::ArrayVector& group_columns,
                        const arrow::ArrayVector& order_columns,
                        std::span<const int64_t> addresses) override {
    const uint64_t flip = spec_.last_wins ? ~kRankBit : 0;
    return ConsumeBlocks(group_columns, order_columns, static_cast<int64_t>(addresses.size()),
                         [&](int64_t offset, int64_t rows) {
                           const int64_t* from = addresses.data() + offset;
                           for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
                             ties_[i] = static_cast<uint64_t>(from[i]) ^ flip;
                           }
                         });
  }

  arrow::Status ConsumeRange(const arrow::ArrayVector& group_columns,
                             const arrow::ArrayVector& order_columns, int64_t first_address,
                             int64_t rows) override {
    const uint64_t flip = spec_.last_wins ? ~kRankBit : 0;
    return ConsumeBlocks(group_columns, order_columns, rows,
                         [&](int64_t offset, int64_t block_rows) {
                           const auto first = static_cast<uint64_t>(first_address + offset);
                           for (size_t i = 0; i < static_cast<size_t>(block_rows); ++i) {
                             ties_[i] = (first + i) ^ flip;
                           }
                         });
  }

  arrow::Status MergeFrom(const WinnerTable& other_table, uint32_t partition,
                          uint32_t partition_count) override {
    const State& other = *static_cast<const WinnerTableImpl&>(other_table).state_;
    KEEPONE_CHECK(spec_.group_count_max < 0 || partition_count == 1);
    for (uint32_t group = 0; group < other.index.count(); ++group) {
      if (partition_count == 1 || other.index.Partition(group, partition_count) == partition) {
        ARROW_RETURN_NOT_OK(MergeGroup(other, group));
      }
    }
    return FlushMerge();
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
    return std::make_unique<State>(spec_, group_reader_->width(), order_reader_->width(), budget_);
  }

  template <typename FillTies>
  arrow::Status ConsumeBlocks(const arrow::ArrayVector& group_columns,
                              const arrow::ArrayVector& order_columns, int64_t rows,
                              FillTies&& fill_ties) {
    for (const auto* columns : {&group_columns, &order_columns}) {
      for (const auto& column : *columns) {
        KEEPONE_CHECK(column->length() == rows);
      }
    }
    ARROW_RETURN_NOT_OK(group_reader_->Bind(group_columns));
    ARROW_RETURN_NOT_OK(order_reader_->Bind(order_columns));
    for (int64_t offset = 0; offset < rows;) {
      ARROW_ASSIGN_OR_RAISE(int64_t count,
                            group_reader_->Read(offset, rows - offset, groups_.get()));
      std::span<const uint16_t> selected = Select(count);
      if (!selected.empty()) {
        ARROW_ASSIGN_OR_RAISE(const int64_t order_count,
                              order_reader_->Read(offset, count, orders_.get()));
        if (order_count < count) {
          count = order_count;
          selected = Select(count);
        }
        HashBlock(form, group_reader_->width(), count, groups_.get());
        fill_ties(offset, count);
        RankNulls(count);
        ARROW_RETURN_NOT_OK(Apply(selected));
      }
      offset += count;
    }
    return arrow::Status::OK();
  }

  // A NULL order key is told from the value 0 by the top bit of the tie word, which comes first.
  void RankNulls(int64_t rows) {
    if constexpr (std::is_same_v<Order, UInt64Order>) {
      const bool first = spec_.order_keys[0].nulls_first;
      if (!orders_->has_nulls) {
        if (first) {
          for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
            ties_[i] |= kRankBit;
          }
        }
        return;
      }
      for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
        ties_[i] |= (orders_->nulls[i] != 0) != first ? kRankBit : 0;
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
      const bool null = groups_->has_nulls && groups_->nulls[row] != 0;
      if (null != cutoff_null_) {
        return null != spec_.group_keys[0].nulls_first;
      }
      return groups_->values[row] > cutoff_value_;
    } else {
      return CompareBytes(groups_->data[row], groups_->lengths[row], cutoff_bytes_.data(),
                          static_cast<uint32_t>(cutoff_bytes_.size())) > 0;
    }
  }

  arrow::Status Apply(std::span<const uint16_t> rows) {
    State& state = *state_;
    ARROW_RETURN_NOT_OK(
        state.index.Upsert(*groups_, rows, [&](uint16_t row, uint32_t, uint8_t* item, bool is_new) {
          if constexpr (single) {
            if (is_new) {
              return state.order.Store(*orders_, row, ties_[row], item);
            }
            if (state.order.Less(*orders_, row, ties_[row], item)) {
              return state.order.Replace(*orders_, row, ties_[row], item);
            }
            return arrow::Status::OK();
          } else {
            return is_new ? state.rows.Start(*orders_, row, ties_[row], item)
                          : state.rows.Add(*orders_, row, ties_[row], item);
          }
        }));
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
    uint8_t* state = other.index.state(group);
    if constexpr (single) {
      return MergeItem(other, group, state);
    } else {
      for (uint32_t i = 0; i < WinnerRows<Order>::Count(state); ++i) {
        ARROW_RETURN_NOT_OK(MergeItem(other, group, other.rows.Item(state, i)));
      }
      return arrow::Status::OK();
    }
  }

  arrow::Status MergeItem(const State& other, uint32_t group, const uint8_t* item) {
    if (merge_rows_ == 0) {
      groups_->has_nulls = false;
    }
    other.index.LoadKey(group, merge_rows_, groups_.get());
    other.order.Load(item, static_cast<uint16_t>(merge_rows_), orders_.get(),
                     &ties_[static_cast<size_t>(merge_rows_)]);
    return ++merge_rows_ == kBlockRows ? FlushMerge() : arrow::Status::OK();
  }

  arrow::Status FlushMerge() {
    HashBlock(form, group_reader_->width(), merge_rows_, groups_.get());
    const std::span<const uint16_t> rows = Select(merge_rows_);
    merge_rows_ = 0;
    return Apply(rows);
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
    ARROW_RETURN_NOT_OK(FlushMerge());
    if (limit > 0) {
      SetCutoff(*old, *std::max_element(groups.begin(), groups.end(), less));
    }
    return arrow::Status::OK();
  }

  void SetCutoff(const State& state, uint32_t group) {
    groups_->has_nulls = false;
    state.index.LoadKey(group, 0, groups_.get());
    has_cutoff_ = true;
    if constexpr (form == KeyForm::kUInt64) {
      cutoff_null_ = groups_->nulls[0] != 0;
      cutoff_value_ = groups_->values[0];
    } else if constexpr (form != KeyForm::kNone) {
      cutoff_bytes_.assign(groups_->data[0], groups_->data[0] + groups_->lengths[0]);
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
  std::unique_ptr<KeyReader> group_reader_;
  std::unique_ptr<KeyReader> order_reader_;
  std::unique_ptr<State> state_;
  // The block at hand.
  std::unique_ptr<KeyBlock> groups_;
  std::unique_ptr<KeyBlock> orders_;
  std::array<uint64_t, kBlockRows> ties_;
  Rows selection_;
  int64_t merge_rows_ = 0;
  // The last of the first groups, once there are more than wanted.
  bool has_cutoff_ = false;
  bool cutoff_null_ = false;
  uint64_t cutoff_value_ = 0;
  std::vector<uint8_t> cutoff_bytes_;
};

template <KeyForm form, typename Order>
std::unique_ptr<WinnerTable> MakeTable(WinnerSpec spec, std::unique_ptr<KeyReader> groups,
                                       std::unique_ptr<KeyReader> orders, MemoryBudget* budget) {
  if (spec.n == 1 && spec.rule == KeepRule::kRowNumber) {
    return std::make_unique<WinnerTableImpl<form, Order, true>>(std::move(spec), std::move(groups),
                                                                std::move(orders), budget);
  }
  return std::make_unique<WinnerTableImpl<form, Order, false>>(std::move(spec), std::move(groups),
                                                               std::move(orders), budget);
}

template <KeyForm form>
std::unique_ptr<WinnerTable> MakeTable(WinnerSpec spec, std::unique_ptr<KeyReader> groups,
                                       std::unique_ptr<KeyReader> orders, MemoryBudget* budget) {
  switch (orders->form()) {
    case KeyForm::kUInt64:
      return MakeTable<form, UInt64Order>(std::move(spec), std::move(groups), std::move(orders),
                                          budget);
    case KeyForm::kNone:
    case KeyForm::kFixed:
      return MakeTable<form, FixedOrder>(std::move(spec), std::move(groups), std::move(orders),
                                         budget);
    default:
      return MakeTable<form, BytesOrder>(std::move(spec), std::move(groups), std::move(orders),
                                         budget);
  }
}

// A set of addresses as a bitmap: as addresses are unique, it sorts them in one pass.
class AddressBitmap {
 public:
  // Whether the bitmap takes no more memory than the addresses.
  static bool Pays(int64_t last, int64_t count) { return last / 64 < count; }

  arrow::Status Build(const int64_t* addresses, int64_t count, int64_t last, MemoryBudget* budget) {
    words_ = last / 64 + 1;
    ARROW_RETURN_NOT_OK(bits_block_.Allocate(budget, words_ * 8));
    bits_ = reinterpret_cast<uint64_t*>(bits_block_.data());
    std::memset(bits_, 0, static_cast<size_t>(words_) * 8);
    for (int64_t i = 0; i < count; ++i) {
      bits_[addresses[i] / 64] |= uint64_t{1} << (addresses[i] % 64);
    }
    return arrow::Status::OK();
  }

  // Writes the addresses in order and gives their number.
  int64_t Write(int64_t* addresses) const {
    const int64_t* begin = addresses;
    for (int64_t word = 0; word < words_; ++word) {
      for (uint64_t rest = bits_[word]; rest != 0; rest &= rest - 1) {
        *addresses++ = word * 64 + std::countr_zero(rest);
      }
    }
    return addresses - begin;
  }

  // Makes Position() ready.
  arrow::Status Count(MemoryBudget* budget) {
    ARROW_RETURN_NOT_OK(before_block_.Allocate(budget, words_ * 8));
    before_ = reinterpret_cast<int64_t*>(before_block_.data());
    int64_t count = 0;
    for (int64_t word = 0; word < words_; ++word) {
      before_[word] = count;
      count += std::popcount(bits_[word]);
    }
    return arrow::Status::OK();
  }

  // How many addresses are smaller.
  int64_t Position(int64_t address) const {
    const uint64_t smaller = (uint64_t{1} << (address % 64)) - 1;
    return before_[address / 64] + std::popcount(bits_[address / 64] & smaller);
  }

 private:
  PoolBlock bits_block_;
  PoolBlock before_block_;
  uint64_t* bits_ = nullptr;
  int64_t* before_ = nullptr;
  int64_t words_ = 0;
};

arrow::Status SortAddresses(int64_t* addresses, int64_t count, MemoryBudget* budget) {
  if (std::is_sorted(addresses, addresses + count)) {
    return arrow::Status::OK();
  }
  const int64_t last = *std::max_element(addresses, addresses + count);
  if (!AddressBitmap::Pays(last, count)) {
    std::sort(addresses, addresses + count);
    return arrow::Status::OK();
  }
  AddressBitmap bitmap;
  ARROW_RETURN_NOT_OK(bitmap.Build(addresses, count, last, budget));
  KEEPONE_CHECK(bitmap.Write(addresses) == count, "row addresses are not unique");
  return arrow::Status::OK();
}

struct NumberedAddress {
  int64_t address;
  int64_t number;
};

arrow::Status SortNumberedAddresses(int64_t* addresses, int64_t* numbers, int64_t count,
                                    MemoryBudget* budget) {
  if (count == 0) {
    return arrow::Status::OK();
  }
  const int64_t last = *std::max_element(addresses, addresses + count);
  PoolBlock block;
  if (AddressBitmap::Pays(last, count)) {
    AddressBitmap bitmap;
    ARROW_RETURN_NOT_OK(bitmap.Build(addresses, count, last, budget));
    ARROW_RETURN_NOT_OK(bitmap.Count(budget));
    ARROW_RETURN_NOT_OK(block.Allocate(budget, count * 8));
    std::memcpy(block.data(), numbers, static_cast<size_t>(count) * 8);
    const auto* unsorted = reinterpret_cast<const int64_t*>(block.data());
    for (int64_t i = 0; i < count; ++i) {
      numbers[bitmap.Position(addresses[i])] = unsorted[i];
    }
    KEEPONE_CHECK(bitmap.Write(addresses) == count, "row addresses are not unique");
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(block.Allocate(budget, count * int64_t{sizeof(NumberedAddress)}));
  auto* pairs = reinterpret_cast<NumberedAddress*>(block.data());
  for (int64_t i = 0; i < count; ++i) {
    pairs[i] = {addresses[i], numbers[i]};
  }
  std::sort(pairs, pairs + count, [](const NumberedAddress& a, const NumberedAddress& b) {
    return a.address < b.address;
  });
  for (int64_t i = 0; i < count; ++i) {
    addresses[i] = pairs[i].address;
    numbers[i] = pairs[i].number;
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::unique_ptr<WinnerTable>> WinnerTable::Make(WinnerSpec spec,
                                                              MemoryBudget* budget) {
  KEEPONE_CHECK(spec.n >= 1);
  ARROW_ASSIGN_OR_RAISE(auto groups, KeyReader::Make(spec.group_keys, budget));
  ARROW_ASSIGN_OR_RAISE(auto orders, KeyReader::Make(spec.order_keys, budget));
  switch (groups->form()) {
    case KeyForm::kNone:
      return MakeTable<KeyForm::kNone>(std::move(spec), std::move(groups), std::move(orders),
                                       budget);
    case KeyForm::kUInt64:
      return MakeTable<KeyForm::kUInt64>(std::move(spec), std::move(groups), std::move(orders),
                                         budget);
    case KeyForm::kFixed:
      return MakeTable<KeyForm::kFixed>(std::move(spec), std::move(groups), std::move(orders),
                                        budget);
    default:
      return MakeTable<KeyForm::kBytes>(std::move(spec), std::move(groups), std::move(orders),
                                        budget);
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
