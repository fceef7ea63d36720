// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace keepone {

// Names a column of a plan, whatever its position. Unique within one statement.
struct ColumnId {
  int32_t value = -1;

  friend bool operator==(ColumnId, ColumnId) = default;
  friend auto operator<=>(ColumnId, ColumnId) = default;
};

// Gives fresh ids; one per statement.
class ColumnIdGenerator {
 public:
  ColumnId Next() { return ColumnId{next_++}; }

 private:
  int32_t next_ = 0;
};

}  // namespace keepone

template <>
struct std::hash<keepone::ColumnId> {
  size_t operator()(keepone::ColumnId id) const noexcept { return std::hash<int32_t>{}(id.value); }
};
