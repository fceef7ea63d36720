// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace keepone {

// One part of an ordering of batches, by position of the column.
struct OrderColumn {
  int column = 0;
  bool descending = false;
  bool nulls_first = false;
};

}  // namespace keepone
