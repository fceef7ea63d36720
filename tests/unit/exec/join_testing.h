// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arrow/api.h>

#include "base/query_context.h"
#include "column/join_kind.h"
#include "eval/expression.h"
#include "exec/hash_join.h"

namespace keepone {

inline const std::vector<JoinKind> kJoinKinds = {JoinKind::kInner, JoinKind::kLeft,
                                                 JoinKind::kRight, JoinKind::kFull,
                                                 JoinKind::kSemi,  JoinKind::kAnti};
std::string NameOf(JoinKind kind);

// A join of two batches, and the condition of its residual over a left and a right row.
struct JoinCase {
  std::shared_ptr<arrow::RecordBatch> left;
  std::shared_ptr<arrow::RecordBatch> right;
  JoinKind kind = JoinKind::kInner;
  std::vector<int> left_keys;
  std::vector<int> right_keys;
  std::vector<bool> null_equals_null;
  // INT64 columns: left value + right value must not be divisible by three. < 0: no residual. The
  // sum with a NULL is NULL.
  int residual_left = -1;
  int residual_right = -1;

  std::shared_ptr<arrow::Schema> schema() const;
  JoinSpec spec() const;
};

// The join, by looking at every pair of rows.
std::shared_ptr<arrow::RecordBatch> JoinNaively(const JoinCase& join);

// Joins the inputs, cut by `seed`, and compares with `expected` value by value, bit by bit. Checks
// that every batch is valid and bounded.
void CheckJoin(QueryContext* context, const JoinCase& join, uint32_t seed,
               const std::shared_ptr<arrow::RecordBatch>& expected);

// Columns: key of type `type`, an INT64 that numbers the rows, a small INT64 with NULLs, and a
// payload of type `payload`. Sliced.
std::shared_ptr<arrow::RecordBatch> RandomJoinInput(const std::shared_ptr<arrow::DataType>& type,
                                                    const std::shared_ptr<arrow::DataType>& payload,
                                                    int64_t rows, std::mt19937* random);

// All rows of a stream; checks that every batch is valid and bounded.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadJoined(QueryContext* context,
                                                              std::unique_ptr<BatchStream> stream);

}  // namespace keepone
