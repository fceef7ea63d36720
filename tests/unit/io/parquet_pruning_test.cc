// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include "io/open.h"
#include "tests/unit/io/source_testing.h"

namespace keepone {

namespace {

using Op = ColumnBound::Op;

constexpr Op kComparisons[] = {Op::kEqual, Op::kLess, Op::kLessEqual, Op::kGreater,
                               Op::kGreaterEqual};

// Small pages and row groups with an index, so that there is much to leave out.
std::shared_ptr<parquet::WriterProperties> SmallPages() {
  parquet::WriterProperties::Builder builder;
  builder.data_pagesize(100)->write_batch_size(10)->disable_dictionary()->enable_write_page_index();
  return builder.build();
}

class ParquetPruning : public testing::Test {
 protected:
  void Write(const std::shared_ptr<arrow::Array>& array) {
    array_ = array;
    const auto table = arrow::Table::Make(arrow::schema({arrow::field("v", array->type())}),
                                          arrow::ArrayVector{array});
    const std::string path = directory_.File("t.parquet");
    ASSERT_TRUE(WriteParquet(path, *table, SmallPages(), 200).ok());
    source_ = OpenParquet({path}, arrow::default_memory_pool()).ValueOrDie();
  }

  // The addresses that a scan under the bound gives.
  std::vector<int64_t> Scan(Op op, const std::shared_ptr<arrow::Scalar>& value) {
    QueryContext context(SmallBatches());
    ScanRequest request;
    request.columns = {0};
    request.with_addresses = true;
    request.bounds = {{0, op, value}};
    counters_ = std::make_shared<SourceCounters>();
    const auto stream = source_->Scan(&context, request, counters_).ValueOrDie();
    const auto table = ReadStream(stream.get(), 2).ValueOrDie();
    std::vector<int64_t> rows;
    if (table->num_rows() > 0) {
      const auto& addresses = static_cast<const arrow::Int64Array&>(*table->column(1)->chunk(0));
      rows.assign(addresses.raw_values(), addresses.raw_values() + addresses.length());
      EXPECT_NO_FATAL_FAILURE(ExpectRows(
          *table->SelectColumns({0}).ValueOrDie(),
          *arrow::Table::Make(arrow::schema({table->field(0)}), arrow::ArrayVector{array_}), rows,
          "scan"));
    }
    return rows;
  }

  ScratchDirectory directory_;
  std::shared_ptr<arrow::Array> array_;
  std::shared_ptr<const Source> source_;
  std::shared_ptr<SourceCounters> counters_;
};

template <typename T>
bool Meets(Op op, const T& row, const T& value) {
  switch (op) {
    case Op::kEqual:
      return row == value;
    case Op::kLess:
      return row < value;
    case Op::kLessEqual:
      return row <= value;
    case Op::kGreater:
      return row > value;
    default:
      return row >= value;
  }
}

// As the engine orders floats: NaN equals itself and is above every number.
bool MeetsFloat(Op op, double row, double value) {
  if (std::isnan(row) || std::isnan(value)) {
    return Meets(op, std::isnan(row) ? 1 : 0, std::isnan(value) ? 1 : 0);
  }
  return Meets(op, row, value);
}

bool Contains(const std::vector<int64_t>& rows, int64_t row) {
  return std::binary_search(rows.begin(), rows.end(), row);
}

TEST_F(ParquetPruning, NoWantedIntegerIsLeftOut) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE((i % 7 == 3 ? builder.AppendNull() : builder.Append(i / 3 - 100)).ok());
  }
  Write(builder.Finish().ValueOrDie());
  const auto& values = static_cast<const arrow::Int64Array&>(*array_);
  for (const int64_t value : {-500, -100, -99, 0, 120, 232, 233, 5000}) {
    for (const Op op : kComparisons) {
      const auto rows = Scan(op, arrow::MakeScalar(value));
      for (int64_t row = 0; row < 1000; ++row) {
        if (values.IsValid(row) && Meets(op, values.Value(row), value)) {
          ASSERT_TRUE(Contains(rows, row)) << row << " of bound " << value;
        }
      }
    }
  }
  EXPECT_LE(Scan(Op::kEqual, arrow::MakeScalar(int64_t{120})).size(), 40u);
  EXPECT_EQ(counters_->row_groups_skipped.load(), 4);
  EXPECT_GT(counters_->pages_skipped.load(), 5);
  EXPECT_EQ(Scan(Op::kLess, arrow::MakeScalar(int64_t{-100})).size(), 0u);
  EXPECT_EQ(Scan(Op::kGreater, arrow::MakeScalar(int64_t{5000})).size(), 0u);
}

TEST_F(ParquetPruning, NullsAreFoundByTheirCounts) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE((i >= 400 && i < 600 ? builder.AppendNull() : builder.Append(i)).ok());
  }
  Write(builder.Finish().ValueOrDie());
  EXPECT_EQ(Scan(Op::kIsNull, nullptr), Range(400, 600));
  EXPECT_EQ(Scan(Op::kIsNotNull, nullptr).size(), 800u);
  EXPECT_EQ(Scan(Op::kGreaterEqual, arrow::MakeScalar(int64_t{0})).size(), 800u);
}

TEST_F(ParquetPruning, NoWantedFloatIsLeftOut) {
  arrow::DoubleBuilder builder;
  for (int64_t i = 0; i < 1000; ++i) {
    const double specials[] = {std::nan(""), -0.0, 0.0, INFINITY, -INFINITY};
    // Pages of zeros of either sign and of NaN alone are among them.
    const double value = i < 300   ? (i % 2 == 0 ? -0.0 : 0.0)
                         : i < 500 ? std::nan("")
                         : i < 700 ? static_cast<double>(i)
                                   : specials[i % 5];
    ASSERT_TRUE(builder.Append(value).ok());
  }
  Write(builder.Finish().ValueOrDie());
  const auto& values = static_cast<const arrow::DoubleArray&>(*array_);
  for (const double value :
       std::vector<double>{0.0, -0.0, std::nan(""), INFINITY, -INFINITY, 550.0, 1e9}) {
    for (const Op op : kComparisons) {
      const auto rows = Scan(op, arrow::MakeScalar(value));
      for (int64_t row = 0; row < 1000; ++row) {
        if (MeetsFloat(op, values.Value(row), value)) {
          ASSERT_TRUE(Contains(rows, row)) << row << " of bound " << value;
        }
      }
    }
  }
  EXPECT_LE(Scan(Op::kEqual, arrow::MakeScalar(550.0)).size(), 700u);
}

TEST_F(ParquetPruning, NoWantedStringIsLeftOut) {
  arrow::StringBuilder builder;
  const auto text = [](int64_t i) {
    // Longer than writers keep in an index, and bytes above 0x7F.
    return std::string(static_cast<size_t>(i % 90), static_cast<char>(i < 500 ? 'a' : '\xC3')) +
           std::to_string(i);
  };
  for (int64_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(builder.Append(text(i)).ok());
  }
  Write(builder.Finish().ValueOrDie());
  const auto& values = static_cast<const arrow::StringArray&>(*array_);
  for (const std::string& value :
       {std::string(), text(3), text(470), text(880), std::string("\xFF")}) {
    for (const Op op : kComparisons) {
      const auto rows = Scan(op, arrow::MakeScalar(value));
      for (int64_t row = 0; row < 1000; ++row) {
        if (Meets(op, std::string(values.GetView(row)), value)) {
          ASSERT_TRUE(Contains(rows, row)) << row;
        }
      }
    }
  }
  EXPECT_EQ(Scan(Op::kGreater, arrow::MakeScalar(std::string("\xFF"))).size(), 0u);
}

TEST_F(ParquetPruning, OtherTypes) {
  const std::vector<std::pair<std::shared_ptr<arrow::DataType>, std::string>> cases = {
      {arrow::uint32(), "4000000000"},
      {arrow::uint64(), "18446744073709551610"},
      {arrow::int8(), "-5"},
      {arrow::date32(), "20000"},
      {arrow::timestamp(arrow::TimeUnit::MICRO), "1700000000000000"},
      {arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), "1700000000000000000"},
      {arrow::decimal128(9, 2), "\"123.45\""},
      {arrow::decimal128(18, 2), "\"-123.45\""},
      {arrow::decimal128(38, 2), "\"-123.45\""},
      {arrow::decimal256(60, 3), "\"7.125\""},
      {arrow::boolean(), "true"}};
  for (const auto& [type, text] : cases) {
    // One row of the value far away from NULLs and from its own kind of default.
    std::string json = "[";
    for (int i = 0; i < 600; ++i) {
      json += std::string(i == 0 ? "" : ",") + (i == 410 ? text : "null");
    }
    Write(arrow::json::ArrayFromJSONString(type, json + "]").ValueOrDie());
    const auto value = array_->GetScalar(410).ValueOrDie();
    for (const Op op : {Op::kEqual, Op::kLessEqual, Op::kGreaterEqual}) {
      const auto rows = Scan(op, value);
      EXPECT_TRUE(Contains(rows, 410)) << type->ToString();
      EXPECT_LE(rows.size(), 200u) << type->ToString();
    }
    EXPECT_EQ(Scan(Op::kLess, value).size(), 0u) << type->ToString();
    EXPECT_EQ(Scan(Op::kGreater, value).size(), 0u) << type->ToString();
  }
}

}  // namespace

}  // namespace keepone
