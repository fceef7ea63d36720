// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "column/key_encoder.h"

namespace keepone {

// Which of a group's rows, ranked by the order keys, stay.
enum class KeepRule {
  kRowNumber,  // the first n rows
  kRank,       // the rows with fewer than n better rows; ties stay together
  kDenseRank,  // the rows with the n best order keys
};

// What a winner table keeps.
struct WinnerSpec {
  // Their direction and place of NULLs matter only for `group_count_max`. None: one group.
  std::vector<KeyField> group_keys;
  std::vector<KeyField> order_keys;  // none: rows come in the order of their addresses
  bool last_wins = false;            // of equal order keys the larger address comes first
  KeepRule rule = KeepRule::kRowNumber;
  int64_t n = 1;                 // at least 1
  int64_t group_count_max = -1;  // keep only the first groups in group key order; < 0: all
};

}  // namespace keepone
