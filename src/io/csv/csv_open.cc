// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <utility>

#include <arrow/type.h>

#include "base/error.h"
#include "io/csv/csv_format.h"
#include "io/csv/csv_record.h"
#include "io/csv/csv_value.h"
#include "io/file_list.h"
#include "io/open.h"
#include "io/text/text_source.h"

namespace keepone {

namespace {

constexpr size_t kSampleBytes = 1 << 20;
constexpr int64_t kSampleRows = 20480;
constexpr size_t kDialectRecordsMax = 100;
constexpr std::array<char, 4> kDelimiters = {',', '\t', ';', '|'};

struct CsvReadOptions {
  CsvDialect dialect;
  std::optional<char> delimiter;
  std::optional<bool> header;
  std::optional<arrow::FieldVector> columns;
  bool all_text = false;
  int64_t sample_rows = kSampleRows;
};

arrow::Result<std::optional<char>> TakeCharacter(ReaderOptions* options, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(auto text, options->TakeText(name));
  if (!text.has_value() || text->empty()) {
    return std::nullopt;
  }
  if (*text == "\\t") {
    return '\t';
  }
  if (text->size() != 1 || *text == "\n" || *text == "\r") {
    return MakeError(ErrorKind::kBind, std::nullopt,
                     JoinMessage(name, " must be one character of ASCII, not '", *text, "'"));
  }
  return text->front();
}

arrow::Result<CsvReadOptions> TakeOptions(ReaderOptions* options) {
  CsvReadOptions taken;
  for (const char* const name : {"delim", "sep", "delimiter"}) {
    ARROW_ASSIGN_OR_RAISE(const auto delimiter, TakeCharacter(options, name));
    if (delimiter.has_value()) {
      taken.delimiter = delimiter;
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto quote, options->TakeText("quote"));
  if (quote.has_value() && quote->size() > 1) {
    return MakeError(ErrorKind::kBind, std::nullopt,
                     JoinMessage("quote must be one character or empty, not '", *quote, "'"));
  }
  if (quote.has_value()) {
    taken.dialect.quote = quote->empty() ? std::nullopt : std::optional<char>(quote->front());
    taken.dialect.escape = taken.dialect.quote;
  }
  ARROW_ASSIGN_OR_RAISE(const auto escape, TakeCharacter(options, "escape"));
  if (escape.has_value()) {
    taken.dialect.escape = escape;
  }
  ARROW_ASSIGN_OR_RAISE(taken.header, options->TakeBool("header"));
  ARROW_ASSIGN_OR_RAISE(auto null_text, options->TakeText("nullstr"));
  taken.dialect.null_texts = {std::move(null_text).value_or("")};
  ARROW_ASSIGN_OR_RAISE(const auto all_text, options->TakeBool("all_varchar"));
  taken.all_text = all_text.value_or(false);
  for (const char* const name : {"sample_rows", "sample_size"}) {
    ARROW_ASSIGN_OR_RAISE(const auto rows, options->TakeInteger(name));
    taken.sample_rows = rows.value_or(taken.sample_rows);
  }
  if (taken.sample_rows < -1 || taken.sample_rows == 0) {
    return MakeError(ErrorKind::kBind, std::nullopt,
                     "sample_rows must be above 0, or -1 for all rows");
  }
  taken.columns = options->TakeColumns();
  taken.dialect.has_given_types = taken.columns.has_value();
  ARROW_RETURN_NOT_OK(options->CheckAllTaken("read_csv"));
  return taken;
}

// The types that all values of a column seen so far have.
struct SeenValues {
  bool any = false;
  bool is_bool = true;
  bool is_integer = true;
  bool is_double = true;
  bool is_date = true;
  bool is_timestamp = true;

  void Add(std::string_view text) {
    any = true;
    int64_t bits = 0;
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    const bool is_number = !digits.empty() && std::isdigit(static_cast<unsigned char>(digits[0]));
    const auto fits = [&](const std::shared_ptr<arrow::DataType>& number) {
      return is_number && ParseCsvValue(CsvDialect(), *number, text, &bits) &&
             !LosesText(*number, text);
    };
    is_bool = is_bool && ParseCsvValue(CsvDialect(), *arrow::boolean(), text, &bits);
    is_integer = is_integer && fits(arrow::int64());
    is_double = is_double && fits(arrow::float64());
    is_date = is_date && ParseCsvValue(CsvDialect(), *arrow::date32(), text, &bits);
    is_timestamp =
        is_timestamp &&
        ParseCsvValue(CsvDialect(), *arrow::timestamp(arrow::TimeUnit::MICRO), text, &bits);
  }

  // Of the values of two files.
  void Merge(const SeenValues& other) {
    any = any || other.any;
    is_bool = is_bool && other.is_bool;
    is_integer = is_integer && other.is_integer;
    is_double = is_double && other.is_double;
    is_date = is_date && other.is_date;
    is_timestamp = is_timestamp && other.is_timestamp;
  }

  std::shared_ptr<arrow::DataType> type() const {
    if (!any) {
      return arrow::utf8();
    }
    return is_bool        ? arrow::boolean()
           : is_integer   ? arrow::int64()
           : is_double    ? arrow::float64()
           : is_date      ? arrow::date32()
           : is_timestamp ? arrow::timestamp(arrow::TimeUnit::MICRO)
                          : arrow::utf8();
  }
};

// What the beginning of a file tells of it.
struct CsvSketch {
  std::string path;
  CsvDialect dialect;
  std::vector<std::string> names;
  std::vector<SeenValues> columns;
};

using Row = std::vector<std::pair<std::string, bool>>;  // text, and whether it is quoted

// The first records of a text, at most `rows_max`.
arrow::Result<std::vector<Row>> ReadRows(const CsvDialect& dialect, const TextSample& sample,
                                         size_t rows_max, const std::string& path) {
  const auto text = std::string_view(sample.text).substr(0, sample.bytes);
  std::vector<Row> rows;
  std::vector<CsvField> fields;
  std::string scratch;
  CsvDialect no_header = dialect;
  no_header.has_header = false;
  ARROW_ASSIGN_OR_RAISE(const auto first, FindCsvBegin(no_header, text, sample.is_whole));
  size_t position = first.value_or(text.size());
  while (rows.size() < rows_max) {
    size_t error_offset = 0;
    auto found = FindCsvRecord(dialect, text, position, sample.is_whole);
    arrow::Status status = found.status();
    if (status.ok()) {
      if (!found->has_value()) {
        break;
      }
      position = (*found)->begin;
      status = SplitCsvRecord(dialect, text.substr(position, (*found)->end - position), &fields,
                              &scratch, &error_offset);
    }
    if (!status.ok()) {
      const auto line =
          1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n');
      return DataError(path, ", line ", line, ", column ", error_offset + 1, ": ",
                       status.message());
    }
    Row& row = rows.emplace_back();
    for (const CsvField& field : fields) {
      row.emplace_back(field.text, field.is_quoted);
    }
    position = (*found)->next;
  }
  return rows;
}

// The one that cuts the records into the most fields, as many in each.
char DetectDelimiter(const CsvDialect& given, const TextSample& sample, const std::string& path) {
  char best = ',';
  size_t best_fields = 1;
  for (const char delimiter : kDelimiters) {
    CsvDialect dialect = given;
    dialect.delimiter = delimiter;
    const auto rows = ReadRows(dialect, sample, kDialectRecordsMax, path);
    if (!rows.ok() || rows->empty()) {
      continue;
    }
    const size_t fields = rows->front().size();
    const bool even = std::all_of(rows->begin(), rows->end(),
                                  [&](const Row& row) { return row.size() == fields; });
    if (even && fields > best_fields) {
      best = delimiter;
      best_fields = fields;
    }
  }
  return best;
}

// Empty names are numbered, and those that were there before.
std::vector<std::string> MakeNames(const Row& first, bool has_header) {
  std::vector<std::string> names;
  for (size_t i = 0; i < first.size(); ++i) {
    const std::string stem =
        has_header && !first[i].first.empty() ? first[i].first : JoinMessage("column", i);
    std::string name = stem;
    for (int n = 1; std::find(names.begin(), names.end(), name) != names.end(); ++n) {
      name = JoinMessage(stem, "_", n);
    }
    names.push_back(std::move(name));
  }
  return names;
}

arrow::Result<CsvSketch> Sketch(const std::string& path, const CsvReadOptions& options) {
  CsvSketch sketch;
  sketch.path = path;
  sketch.dialect = options.dialect;
  size_t bytes = options.sample_rows < 0 ? std::numeric_limits<size_t>::max() : kSampleBytes;
  const size_t rows_max =
      options.sample_rows < 0 ? bytes : static_cast<size_t>(options.sample_rows) + 1;
  std::vector<Row> rows;
  TextSample sample;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(sample, ReadTextSample(path, bytes));
    sketch.dialect.delimiter = options.delimiter.has_value()
                                   ? *options.delimiter
                                   : DetectDelimiter(options.dialect, sample, path);
    ARROW_ASSIGN_OR_RAISE(rows, ReadRows(sketch.dialect, sample, rows_max, path));
    if (rows.size() >= 2 || sample.is_whole) {
      break;
    }
    bytes *= 8;  // a record may be larger than the sample
  }
  if (rows.empty()) {
    if (!options.columns.has_value()) {
      return DataError(path, ": is empty; give its columns by columns => {..}");
    }
    sketch.columns.resize(options.columns->size());
  } else {
    bool has_value = false;
    for (const auto& [text, is_quoted] : rows.front()) {
      SeenValues value;
      value.Add(text);
      has_value = has_value || (!is_quoted && value.type()->id() != arrow::Type::STRING);
    }
    sketch.dialect.has_header = options.header.value_or(!has_value);
    sketch.columns.resize(rows.front().size());
    sketch.names = MakeNames(rows.front(), sketch.dialect.has_header);
  }
  sketch.dialect.has_one_column = sketch.columns.size() == 1;
  for (size_t i = sketch.dialect.has_header ? 1 : 0; i < rows.size(); ++i) {
    for (size_t k = 0; k < std::min(rows[i].size(), sketch.columns.size()); ++k) {
      const auto& [text, is_quoted] = rows[i][k];
      if (is_quoted || text != options.dialect.null_texts[0]) {
        sketch.columns[k].Add(text);
      }
    }
  }
  return sketch;
}

}  // namespace

arrow::Result<std::shared_ptr<const Source>> OpenCsv(const std::vector<std::string>& paths,
                                                     ReaderOptions given) {
  ARROW_ASSIGN_OR_RAISE(const CsvReadOptions options, TakeOptions(&given));
  ARROW_ASSIGN_OR_RAISE(const auto files, ListFiles(paths, kCsvExtensions));
  if (files.empty()) {
    return DataError("no files to read");
  }
  std::vector<CsvSketch> sketches;
  std::vector<std::string> names;
  std::map<std::string, SeenValues> seen;
  for (const std::string& path : files) {
    ARROW_ASSIGN_OR_RAISE(CsvSketch sketch, Sketch(path, options));
    for (size_t i = 0; i < sketch.names.size(); ++i) {
      const auto [found, is_new] = seen.emplace(sketch.names[i], sketch.columns[i]);
      if (is_new) {
        names.push_back(sketch.names[i]);
      } else {
        found->second.Merge(sketch.columns[i]);
      }
    }
    sketches.push_back(std::move(sketch));
  }
  arrow::FieldVector fields;
  if (options.columns.has_value()) {
    fields = *options.columns;
  } else {
    for (const std::string& name : names) {
      fields.push_back(arrow::field(name, options.all_text ? arrow::utf8() : seen[name].type()));
    }
  }
  const auto schema = arrow::schema(fields);
  std::vector<TextSourceFile> sources;
  for (CsvSketch& sketch : sketches) {
    std::vector<int> places;
    if (options.columns.has_value()) {
      if (sketch.columns.size() != fields.size()) {
        return DataError(sketch.path, ": its records have ", sketch.columns.size(),
                         " fields, but columns names ", fields.size());
      }
      for (size_t i = 0; i < fields.size(); ++i) {
        places.push_back(static_cast<int>(i));
      }
    } else {
      for (const std::string& name : names) {
        const auto found = std::find(sketch.names.begin(), sketch.names.end(), name);
        places.push_back(
            found == sketch.names.end() ? -1 : static_cast<int>(found - sketch.names.begin()));
      }
    }
    sources.push_back({sketch.path, MakeCsvFormat(sketch.dialect, schema, std::move(places),
                                                  sketch.columns.size())});
  }
  return MakeTextSource(std::move(sources), DescribeFiles(paths, files.size()),
                        TextSourceOptions());
}

}  // namespace keepone
