// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace keepone {

// Which rows a join of a left and a right input gives. Two rows match when the join's condition is
// TRUE for them.
enum class JoinKind {
  kInner,  // every pair that matches
  kLeft,   // these, and every left row without a match beside NULLs
  kRight,  // the pairs, and every right row without a match beside NULLs
  kFull,   // the pairs, and the rows of both sides without a match
  kSemi,   // the left rows that have a match, each once; no right columns
  kAnti,   // the left rows that have none; no right columns
};

// Whether a join gives the columns of its right input.
constexpr bool GivesRightColumns(JoinKind kind) {
  return kind != JoinKind::kSemi && kind != JoinKind::kAnti;
}

// Whether a column of the left (right) input may be NULL in the output where it is not in the
// input.
constexpr bool ExtendsLeft(JoinKind kind) {
  return kind == JoinKind::kRight || kind == JoinKind::kFull;
}
constexpr bool ExtendsRight(JoinKind kind) {
  return kind == JoinKind::kLeft || kind == JoinKind::kFull;
}

}  // namespace keepone
