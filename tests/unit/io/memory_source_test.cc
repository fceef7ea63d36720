// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "io/open.h"
#include "tests/unit/io/source_testing.h"

namespace keepone {

namespace {

std::shared_ptr<arrow::Table> SomeTable(int64_t rows) {
  return RandomTable(
      {arrow::field("i", arrow::int64()), arrow::field("s", arrow::utf8()),
       arrow::field("p", arrow::list(arrow::struct_({arrow::field("x", arrow::utf8())})))},
      rows, 21);
}

std::shared_ptr<const Source> SourceOf(const arrow::Table& table, int64_t batch_rows) {
  arrow::TableBatchReader reader(table);
  reader.set_chunksize(batch_rows);
  return MakeMemorySource("t", table.schema(), reader.ToRecordBatches().ValueOrDie());
}

TEST(MemorySource, ScanGivesAllRowsWithAddresses) {
  const auto table = SomeTable(500);
  const auto source = SourceOf(*table, 150);
  EXPECT_EQ(source->description(), "memory table t");
  EXPECT_EQ(source->statistics().row_count, 500);
  QueryContext context(SmallBatches());
  ScanRequest request;
  request.columns = {0, 1, 2};
  request.with_addresses = true;
  const auto scanned = ScanAll(*source, &context, request, 2).ValueOrDie();
  ExpectRows(*scanned, *table, Range(0, 500), "scan");
  const auto& addresses = static_cast<const arrow::Int64Array&>(*scanned->column(3)->chunk(0));
  EXPECT_EQ(addresses.Value(0), 0);
  EXPECT_EQ(addresses.Value(499), 499);
}

TEST(MemorySource, FetchGivesTheRowsInTheirOrder) {
  const auto table = SomeTable(500);
  const auto source = SourceOf(*table, 150);
  QueryContext context(SmallBatches());
  std::mt19937_64 random(3);
  for (const std::vector<int64_t>& rows : {std::vector<int64_t>{},
                                           {0},
                                           {499},
                                           {149, 150},
                                           RandomRows(500, 0.3, &random),
                                           Range(0, 500)}) {
    const auto fetched = FetchRows(*source, &context, rows).ValueOrDie();
    ExpectRows(*fetched, *table, rows, "fetch of " + std::to_string(rows.size()));
  }
}

TEST(MemorySource, EmptyTable) {
  const auto source = MakeMemorySource("t", arrow::schema({arrow::field("a", arrow::int64())}), {});
  QueryContext context(SmallBatches());
  ScanRequest request;
  request.columns = {0};
  EXPECT_EQ(ScanAll(*source, &context, request).ValueOrDie()->num_rows(), 0);
  EXPECT_EQ(source->statistics().row_count, 0);
}

}  // namespace

}  // namespace keepone
