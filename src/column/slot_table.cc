// SPDX-License-Identifier: Apache-2.0
#include "column/slot_table.h"

#include <cstring>

namespace keepone {

arrow::Status SlotTable::Grow(int64_t count) {
  int bits = 10;
  while ((int64_t{3} << bits) / 4 < count) {
    ++bits;
  }
  PoolBlock fresh;
  const int64_t bytes = static_cast<int64_t>(sizeof(Slot)) << bits;
  ARROW_RETURN_NOT_OK(fresh.Allocate(pool_, bytes));
  std::memset(fresh.data(), 0, static_cast<size_t>(bytes));
  const Slot* old = Slots();
  const uint64_t old_size = old == nullptr ? 0 : mask_ + 1;
  mask_ = (uint64_t{1} << bits) - 1;
  shift_ = 64 - bits;
  capacity_ = (int64_t{3} << bits) / 4;
  auto* slots = reinterpret_cast<Slot*>(fresh.data());
  // The old slots lie in the order of their homes, so both tables are walked from front to back.
  for (uint64_t i = 0; i < old_size; ++i) {
    if (old[i].index_plus_1 != 0) {
      uint64_t at = Home(old[i].tag);
      while (slots[at].index_plus_1 != 0) {
        at = (at + 1) & mask_;
      }
      slots[at] = old[i];
    }
  }
  block_ = std::move(fresh);
  return arrow::Status::OK();
}

void SlotTable::Clear() {
  block_.Free();
  capacity_ = 0;
  mask_ = 0;
  shift_ = 63;
}

}  // namespace keepone
