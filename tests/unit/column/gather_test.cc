// SPDX-License-Identifier: Apache-2.0
#include "column/gather.h"

#include <cstdlib>
#include <numeric>
#include <set>
#include <string>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/checked_cast.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/unit/column/random_arrays.h"

namespace keepone {
namespace {

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const char* json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

// Whether two values are the same, bits of floats up to NaN payloads.
bool SameValue(const arrow::Array& a, int64_t row_a, const arrow::Array& b, int64_t row_b) {
  const bool null_a = IsNullValue(a, row_a);
  const bool null_b = IsNullValue(b, row_b);
  return null_a || null_b ? null_a == null_b : CompareValues(a, row_a, b, row_b) == 0;
}

void CollectBuffers(const arrow::ArrayData& data, std::set<const arrow::Buffer*>* buffers) {
  for (const auto& buffer : data.buffers) {
    if (buffer != nullptr && buffer->size() > 0) {
      buffers->insert(buffer.get());
    }
  }
  for (const auto& child : data.child_data) {
    CollectBuffers(*child, buffers);
  }
  if (data.dictionary != nullptr) {
    CollectBuffers(*data.dictionary, buffers);
  }
}

void ExpectRows(const arrow::ChunkedArray& out, const arrow::ArrayVector& chunks,
                const std::vector<RowRef>& rows) {
  ASSERT_EQ(out.length(), static_cast<int64_t>(rows.size()));
  size_t at = 0;
  for (const auto& piece : out.chunks()) {
    const auto status = piece->Validate();
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_EQ(piece->offset(), 0);
    for (int64_t i = 0; i < piece->length(); ++i, ++at) {
      if (rows[at].chunk < 0) {
        ASSERT_TRUE(IsNullValue(*piece, i)) << "row " << at;
      } else {
        ASSERT_TRUE(
            SameValue(*piece, i, *chunks[static_cast<size_t>(rows[at].chunk)], rows[at].row))
            << "row " << at << " of " << piece->ToString();
      }
    }
  }
}

class GatherTest : public testing::TestWithParam<std::shared_ptr<arrow::DataType>> {
 protected:
  arrow::ArrayVector RandomChunks(int64_t rows) {
    return {RandomArray(GetParam(), rows, false, &random_),
            RandomArray(GetParam(), rows, true, &random_),
            RandomArray(GetParam(), rows, true, &random_)};
  }
  std::mt19937 random_{31};
};

TEST_P(GatherTest, GathersRandomRowsOfSeveralChunks) {
  for (const size_t count : {0u, 1u, 10u, 150u}) {
    const auto chunks = RandomChunks(50);
    std::vector<RowRef> rows;
    for (size_t i = 0; i < count; ++i) {
      rows.push_back(
          {static_cast<int32_t>(random_() % 4) - 1, static_cast<int64_t>(random_() % 50)});
    }
    const auto out = GatherRows(GetParam(), chunks, rows, arrow::default_memory_pool());
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    ExpectRows(**out, chunks, rows);
  }
}

TEST_P(GatherTest, GathersRanges) {
  const auto chunks = RandomChunks(60);
  const std::vector<ChunkRange> ranges = {{1, 3, 20}, {1, 23, 9}, {0, 0, 60}, {2, 59, 1},
                                          {-1, 0, 5}, {2, 10, 0}, {0, 7, 13}};
  std::vector<RowRef> rows;
  for (const auto& range : ranges) {
    for (int64_t i = 0; i < range.count; ++i) {
      rows.push_back({range.chunk, range.begin + i});
    }
  }
  const auto out = GatherRanges(GetParam(), chunks, ranges, arrow::default_memory_pool());
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  ExpectRows(**out, chunks, rows);
}

TEST_P(GatherTest, KeepsNoBufferOfItsInput) {
  const auto chunks = RandomChunks(40);
  std::set<const arrow::Buffer*> theirs;
  for (const auto& chunk : chunks) {
    CollectBuffers(*chunk->data(), &theirs);
  }
  const auto out = GatherRanges(GetParam(), chunks, std::vector<ChunkRange>{{0, 0, 40}, {1, 5, 6}},
                                arrow::default_memory_pool())
                       .ValueOrDie();
  std::set<const arrow::Buffer*> ours;
  CollectBuffers(*out->chunk(0)->data(), &ours);
  for (const auto* buffer : ours) {
    EXPECT_FALSE(theirs.contains(buffer));
  }
}

TEST_P(GatherTest, TakesFiltersAndConcatenatesBatches) {
  const auto schema =
      arrow::schema({arrow::field("a", GetParam()), arrow::field("b", arrow::int64())});
  const auto column = RandomArray(GetParam(), 100, true, &random_);
  const auto numbers = RandomArray(arrow::int64(), 100, false, &random_);
  const auto batch = arrow::RecordBatch::Make(schema, 100, {column, numbers})->Slice(10, 80);
  auto* pool = arrow::default_memory_pool();

  const std::vector<int32_t> indices = {5, 5, 0, 79, -1, 6, 7, 8};
  const auto taken = TakeRows(*batch, indices, pool).ValueOrDie();
  ASSERT_TRUE(taken->Validate().ok()) << taken->Validate().ToString();
  ASSERT_EQ(taken->num_rows(), 8);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0) {
      EXPECT_TRUE(IsNullValue(*taken->column(0), static_cast<int64_t>(i)));
      EXPECT_TRUE(taken->column(1)->IsNull(static_cast<int64_t>(i)));
    } else {
      EXPECT_TRUE(
          SameValue(*taken->column(0), static_cast<int64_t>(i), *batch->column(0), indices[i]));
    }
  }

  const auto mask_array = RandomArray(arrow::boolean(), 80, true, &random_);
  const auto& mask = arrow::internal::checked_cast<const arrow::BooleanArray&>(*mask_array);
  const auto filtered = FilterRows(*batch, mask, pool).ValueOrDie();
  ASSERT_TRUE(filtered->Validate().ok());
  int64_t at = 0;
  for (int64_t i = 0; i < 80; ++i) {
    if (mask.IsValid(i) && mask.Value(i)) {
      ASSERT_TRUE(SameValue(*filtered->column(0), at, *batch->column(0), i));
      ASSERT_TRUE(SameValue(*filtered->column(1), at++, *batch->column(1), i));
    }
  }
  ASSERT_EQ(filtered->num_rows(), at);

  const auto joined = ConcatenateBatches(schema, {taken, batch, filtered}, pool).ValueOrDie();
  int64_t rows = 0;
  for (const auto& piece : joined) {
    ASSERT_TRUE(piece->Validate().ok());
    rows += piece->num_rows();
  }
  EXPECT_EQ(rows, 88 + at);
}

INSTANTIATE_TEST_SUITE_P(AllTypes, GatherTest, testing::ValuesIn(AllTypes()),
                         [](const auto& parameter) {
                           return "Type" + std::to_string(parameter.index);
                         });

TEST(GatherShapesTest, DictionariesAreCutAndJoined) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto make = [&](const char* indices, const char* values) {
    return arrow::DictionaryArray::FromArrays(type, FromJson(arrow::int8(), indices),
                                              FromJson(arrow::utf8(), values))
        .ValueOrDie();
  };
  const arrow::ArrayVector chunks = {make("[0, 1, 2, null]", R"(["x", "y", "z"])"),
                                     make("[0, 1, 2]", R"(["w", "z", "y"])")};
  const std::vector<RowRef> rows = {{0, 2}, {1, 1}, {0, 3}, {1, 0}, {0, 2}};
  const auto out = GatherRows(type, chunks, rows, arrow::default_memory_pool()).ValueOrDie();
  const auto& array = arrow::internal::checked_cast<const arrow::DictionaryArray&>(*out->chunk(0));
  EXPECT_TRUE(array.dictionary()->Equals(FromJson(arrow::utf8(), R"(["z", "w"])")));
  EXPECT_TRUE(array.indices()->Equals(FromJson(arrow::int8(), "[0, 0, null, 1, 0]")));
}

// 200 values in two dictionaries of 100 do not fit one int8 dictionary.
TEST(GatherShapesTest, AShortDictionaryIndexGivesSeveralPieces) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::int32());
  arrow::ArrayVector chunks;
  for (int32_t chunk = 0; chunk < 2; ++chunk) {
    arrow::Int8Builder indices;
    arrow::Int32Builder values;
    for (int32_t i = 0; i < 100; ++i) {
      ASSERT_TRUE(indices.Append(static_cast<int8_t>(i)).ok());
      ASSERT_TRUE(values.Append(chunk * 100 + i).ok());
    }
    chunks.push_back(arrow::DictionaryArray::FromArrays(type, indices.Finish().ValueOrDie(),
                                                        values.Finish().ValueOrDie())
                         .ValueOrDie());
  }
  const std::vector<ChunkRange> ranges = {{0, 0, 100}, {1, 0, 100}};
  const auto out = GatherRanges(type, chunks, ranges, arrow::default_memory_pool()).ValueOrDie();
  ASSERT_EQ(out->num_chunks(), 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(out->chunk(i)->Equals(chunks[static_cast<size_t>(i)]));
  }
}

TEST(GatherShapesTest, ShortRunEndsGiveSeveralPieces) {
  const auto type = arrow::run_end_encoded(arrow::int16(), arrow::int32());
  const auto chunk =
      arrow::RunEndEncodedArray::Make(type, 30000, FromJson(arrow::int16(), "[10000, 30000]"),
                                      FromJson(arrow::int32(), "[1, 2]"))
          .ValueOrDie();
  const std::vector<ChunkRange> ranges = {{0, 0, 30000}, {0, 0, 30000}};
  const auto out = GatherRanges(type, {chunk}, ranges, arrow::default_memory_pool()).ValueOrDie();
  ASSERT_EQ(out->num_chunks(), 2);
  EXPECT_EQ(out->length(), 60000);
  EXPECT_TRUE(out->chunk(1)->Validate().ok());

  const auto schema = arrow::schema({arrow::field("r", type)});
  const auto batch = arrow::RecordBatch::Make(schema, 30000, arrow::ArrayVector{chunk});
  const auto joined =
      ConcatenateBatches(schema, {batch, batch}, arrow::default_memory_pool()).ValueOrDie();
  EXPECT_EQ(joined.size(), 2u);
  std::vector<int64_t> indices(40000, 3);
  const auto status = TakeRows(*batch, indices, arrow::default_memory_pool()).status();
  EXPECT_EQ(GetErrorKind(status), ErrorKind::kResource) << status.ToString();
}

TEST(GatherShapesTest, RunsThatMeetAreJoined) {
  const auto type = arrow::run_end_encoded(arrow::int32(), arrow::utf8());
  const auto chunk = arrow::RunEndEncodedArray::Make(type, 10, FromJson(arrow::int32(), "[4, 10]"),
                                                     FromJson(arrow::utf8(), R"(["a", "b"])"))
                         .ValueOrDie();
  const std::vector<RowRef> rows = {{0, 1}, {0, 3}, {0, 0}, {0, 9}, {0, 5}};
  const auto out = GatherRows(type, {chunk}, rows, arrow::default_memory_pool()).ValueOrDie();
  const auto& array =
      arrow::internal::checked_cast<const arrow::RunEndEncodedArray&>(*out->chunk(0));
  EXPECT_TRUE(array.run_ends()->Equals(FromJson(arrow::int32(), "[3, 5]")));
  EXPECT_TRUE(array.values()->Equals(FromJson(arrow::utf8(), R"(["a", "b"])")));
}

// Set KEEPONE_LARGE_TESTS to run: takes some 10 GB of memory.
TEST(GatherLargeTest, MoreThanTwoGibibytes) {
  if (std::getenv("KEEPONE_LARGE_TESTS") == nullptr) {
    GTEST_SKIP() << "set KEEPONE_LARGE_TESTS to run the tests that need 10 GB of memory";
  }
  const int64_t length = 64 << 20;
  arrow::StringBuilder builder;
  ASSERT_TRUE(builder.Append(std::string(static_cast<size_t>(length), 'x')).ok());
  const auto text = builder.Finish().ValueOrDie();
  const auto list_type = arrow::list(arrow::struct_({arrow::field("s", arrow::utf8())}));
  const auto nested =
      arrow::ListArray::FromArrays(
          *FromJson(arrow::int32(), "[0, 1]"),
          *arrow::StructArray::Make({text}, {arrow::field("s", arrow::utf8())}).ValueOrDie())
          .ValueOrDie();
  const std::vector<RowRef> rows(40, RowRef{0, 0});
  for (const auto& [type, chunk] :
       {std::pair<std::shared_ptr<arrow::DataType>, std::shared_ptr<arrow::Array>>{arrow::utf8(),
                                                                                   text},
        {list_type, nested}}) {
    const auto out = GatherRows(type, {chunk}, rows, arrow::default_memory_pool()).ValueOrDie();
    EXPECT_GE(out->num_chunks(), 2);
    EXPECT_EQ(out->length(), 40);
    for (const auto& piece : out->chunks()) {
      EXPECT_TRUE(piece->Validate().ok());
    }
  }
}

}  // namespace
}  // namespace keepone
