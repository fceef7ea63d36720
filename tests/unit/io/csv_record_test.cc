// SPDX-License-Identifier: Apache-2.0
#include "io/csv/csv_record.h"

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "io/csv/csv_format.h"

namespace keepone {
namespace {

using Rows = std::vector<std::string>;

// A text with bytes behind it that would be mistaken for CSV if anybody looked at them.
class PaddedText {
 public:
  explicit PaddedText(const std::string& text) : size_(text.size()), text_(text) {
    for (size_t i = 0; i < kTextPaddingBytes; ++i) {
      text_ += "\"\n,"[i % 3];
    }
  }
  std::string_view text() const { return std::string_view(text_).substr(0, size_); }

 private:
  size_t size_;
  std::string text_;
};

std::string RandomCsv(std::mt19937_64* random, size_t bytes_max) {
  // Some texts hold few special bytes, others hardly anything else.
  static const std::vector<std::string> kParts = {
      "a",        "bcd",
      ",",        "\n",
      "\"",       "\"\"",
      "\r\n",     "\r",
      "#",        "\\",
      "\\\"",     ",\"x\",",
      "\"q\"\n",  "0123456789 and a longer text that fills a block of its own, or nearly so",
      "\xC3\xA9", "\"a,b\"\"c\nd\"",
      "",         "\n\n",
      "NA"};
  const size_t bytes = (*random)() % (bytes_max + 1);
  const size_t kinds = 2 + (*random)() % (kParts.size() - 1);
  const size_t first = (*random)() % kParts.size();
  std::string text;
  while (text.size() < bytes) {
    text += kParts[(first + (*random)() % kinds) % kParts.size()];
  }
  return text;
}

CsvDialect RandomDialect(std::mt19937_64* random) {
  CsvDialect dialect;
  switch ((*random)() % 4) {
    case 0:
      dialect.quote = std::nullopt;
      dialect.escape = std::nullopt;
      break;
    case 1:
      dialect.escape = '\\';
      break;
    default:
      break;
  }
  if ((*random)() % 3 == 0) {
    dialect.comment = '#';
  }
  dialect.has_one_column = (*random)() % 4 == 0;
  dialect.pads_with_null = (*random)() % 3 == 0;
  return dialect;
}

// The ends of records by the states of bytes alone.
std::vector<size_t> EndsByStates(const CsvDialect& dialect, std::string_view text) {
  std::vector<size_t> ends;
  CsvState state = CsvState::kRecordBegin;
  for (size_t i = 0; i < text.size(); ++i) {
    bool is_end = false;
    state = NextCsvState(dialect, state, text[i], &is_end);
    if (is_end) {
      ends.push_back(i + 1);
    }
  }
  return ends;
}

TEST(CsvRecord, EndsAreThoseOfTheStates) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 1000; ++round) {
    const CsvDialect dialect = RandomDialect(&random);
    const PaddedText padded(RandomCsv(&random, 400));
    const std::string_view text = padded.text();
    const std::vector<size_t> ends = EndsByStates(dialect, text);
    // All at once, and in pieces.
    for (const size_t step : {size_t{1000}, size_t{64}, size_t{1}, 1 + random() % 150}) {
      const auto scanner = MakeCsvRecordEnds(&dialect);
      std::optional<size_t> last;
      for (size_t at = 0; at < text.size(); at += step) {
        const auto end = scanner->Scan(text.substr(at, step));
        last = end.has_value() ? at + *end : last;
      }
      ASSERT_EQ(last, ends.empty() ? std::nullopt : std::optional<size_t>(ends.back()))
          << round << " " << step << " " << text;
    }
    // Record by record.
    size_t position = 0;
    while (true) {
      const auto found = FindCsvRecord(dialect, text, position, /*is_last=*/false);
      ASSERT_TRUE(found.ok());
      if (!found->has_value()) {
        break;
      }
      position = (*found)->next;
      ASSERT_TRUE(std::find(ends.begin(), ends.end(), position) != ends.end());
    }
  }
}

// All rows with where they begin, and errors.
Rows Parse(const TextFormat& format, std::string_view text, int64_t rows_max) {
  std::vector<int> fields;
  for (int i = 0; i < format.schema()->num_fields(); ++i) {
    fields.push_back(i);
  }
  auto parser = format.MakeParser(fields, {}, arrow::default_memory_pool()).ValueOrDie();
  Rows rows;
  const auto take = [&](const std::vector<size_t>& begins) {
    const auto batch = parser->Finish().ValueOrDie();
    EXPECT_TRUE(batch->ValidateFull().ok());
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      std::string shown = std::to_string(begins[static_cast<size_t>(row)]);
      for (const auto& column : batch->columns()) {
        shown += "|" + column->GetScalar(row).ValueOrDie()->ToString();
      }
      rows.push_back(shown);
    }
  };
  size_t position = 0;
  while (true) {
    std::vector<size_t> begins;
    if (rows_max > 0) {
      EXPECT_TRUE(parser->AppendSome(text, rows_max, &position, &begins).ok());
      EXPECT_LE(begins.size(), static_cast<size_t>(rows_max));
      take(begins);
      if (!begins.empty()) {
        continue;
      }
    }
    const auto found = format.FindRecord(text, position, /*is_last=*/true);
    if (!found.ok()) {
      rows.push_back(found.status().message());
      return rows;
    }
    if (!found->has_value()) {
      return rows;
    }
    size_t error_offset = 0;
    const auto status = parser->Append(
        text.substr((*found)->begin, (*found)->end - (*found)->begin), &error_offset);
    if (status.ok()) {
      take({(*found)->begin});
    } else {
      rows.push_back(std::to_string((*found)->begin + error_offset) + ": " + status.message());
    }
    position = (*found)->next;
  }
}

TEST(CsvRecord, ManyAtOnceAreTheSameAsOneByOne) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 400; ++round) {
    CsvDialect dialect = RandomDialect(&random);
    const auto column_count = static_cast<int>(dialect.has_one_column ? 1 : 1 + random() % 4);
    arrow::FieldVector fields;
    std::vector<int> places;
    for (int i = 0; i < column_count; ++i) {
      const bool is_number = random() % 5 == 0;
      fields.push_back(arrow::field(std::to_string(i), is_number ? arrow::int64() : arrow::utf8()));
      places.push_back(random() % 10 == 0 ? -1 : i);
    }
    if (random() % 2 == 0) {
      dialect.null_texts = {"", "NA"};
    }
    const auto format =
        MakeCsvFormat(dialect, arrow::schema(fields), places, static_cast<size_t>(column_count));
    const std::string random_text = RandomCsv(&random, random() % 40 == 0 ? 20000 : 600);
    const PaddedText padded(random_text);
    const Rows expected = Parse(*format, padded.text(), 0);
    for (const int64_t rows_max : {int64_t{1}, int64_t{3}, int64_t{1000}}) {
      const Rows rows = Parse(*format, padded.text(), rows_max);
      for (size_t i = 0; i < std::min(rows.size(), expected.size()); ++i) {
        ASSERT_EQ(rows[i], expected[i]) << round << " " << rows_max << " " << i << "\n"
                                        << random_text;
      }
      ASSERT_EQ(rows.size(), expected.size()) << round << "\n" << random_text;
    }
  }
}

}  // namespace
}  // namespace keepone
