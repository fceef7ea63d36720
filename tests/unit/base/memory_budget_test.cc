// SPDX-License-Identifier: Apache-2.0
#include "base/memory_budget.h"

#include <arrow/buffer.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/query_context.h"

namespace keepone {
namespace {

TEST(MemoryBudget, RefusesWhatExceedsTheLimitAndRecovers) {
  MemoryBudget budget(arrow::default_memory_pool(), 1000);
  uint8_t* first = nullptr;
  ASSERT_TRUE(budget.Allocate(600, 64, &first).ok());
  uint8_t* second = nullptr;
  const arrow::Status refused = budget.Allocate(600, 64, &second);
  EXPECT_EQ(GetErrorKind(refused), ErrorKind::kResource);
  EXPECT_EQ(budget.bytes_allocated(), 600);
  ASSERT_TRUE(budget.Reallocate(600, 1000, 64, &first).ok());
  EXPECT_FALSE(budget.Reallocate(1000, 1001, 64, &first).ok());
  budget.Free(first, 1000, 64);
  EXPECT_EQ(budget.bytes_allocated(), 0);
  EXPECT_EQ(budget.max_memory(), 1000);
}

TEST(MemoryBudget, AReservationCountsAndGivesBack) {
  MemoryBudget budget(arrow::default_memory_pool(), 100);
  {
    MemoryReservation reservation(&budget);
    ASSERT_TRUE(reservation.Resize(80).ok());
    EXPECT_FALSE(reservation.Resize(120).ok());
    EXPECT_EQ(reservation.bytes(), 80);
    ASSERT_TRUE(reservation.Resize(20).ok());
    EXPECT_EQ(budget.bytes_allocated(), 20);
  }
  EXPECT_EQ(budget.bytes_allocated(), 0);
}

TEST(MemoryBudget, BuffersOutliveTheQueryThatMadeThem) {
  std::shared_ptr<arrow::Buffer> buffer;
  {
    QueryContext context(QueryContext::Options{});
    buffer = *arrow::AllocateBuffer(100, context.pool());
  }
  EXPECT_EQ(buffer->size(), 100);
}

}  // namespace
}  // namespace keepone
