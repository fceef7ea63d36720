// SPDX-License-Identifier: Apache-2.0
#include "column/winner_addresses.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "column/pool_storage.h"

namespace keepone {

namespace {

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

}  // namespace

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

namespace {

struct NumberedAddress {
  int64_t address;
  int64_t number;
};

}  // namespace

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

}  // namespace keepone
