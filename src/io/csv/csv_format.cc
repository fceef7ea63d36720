// SPDX-License-Identifier: Apache-2.0
#include "io/csv/csv_format.h"

#include <bit>
#include <cctype>
#include <limits>
#include <utility>

#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/utf8.h>
#include <arrow/util/value_parsing.h>

#include "base/error.h"
#include "base/letter_case.h"
#include "column/sql_type_name.h"

namespace keepone {

namespace {

constexpr size_t kShownBytesMax = 60;

// `quoted` for messages, cut where it is long.
std::string Shown(std::string_view text) {
  return text.size() <= kShownBytesMax ? JoinMessage("'", text, "'")
                                       : JoinMessage("'", text.substr(0, kShownBytesMax), "..'");
}

class CsvParser final : public RecordParser {
 public:
  CsvParser(const CsvDialect& dialect, const arrow::Schema& schema, const std::vector<int>& places,
            size_t column_count, const std::vector<int>& fields)
      : dialect_(dialect), column_count_(column_count) {
    arrow::FieldVector wanted;
    for (const int field : fields) {
      wanted.push_back(schema.field(field));
      columns_.push_back({schema.field(field), places[static_cast<size_t>(field)]});
    }
    schema_ = arrow::schema(std::move(wanted));
  }

  arrow::Status Open(arrow::MemoryPool* pool) {
    arrow::util::InitializeUTF8();
    for (Column& column : columns_) {
      ARROW_ASSIGN_OR_RAISE(column.builder, arrow::MakeBuilder(column.field->type(), pool));
    }
    return arrow::Status::OK();
  }

  arrow::Status Append(std::string_view record, size_t* error_offset) override {
    *error_offset = 0;
    ARROW_RETURN_NOT_OK(SplitCsvRecord(dialect_, record, &fields_, &scratch_, error_offset));
    if (fields_.size() != column_count_) {
      return DataError("the record has ", fields_.size(), " fields instead of ", column_count_);
    }
    // All values are read before any is appended.
    for (Column& column : columns_) {
      ARROW_RETURN_NOT_OK(Parse(&column, error_offset));
    }
    for (Column& column : columns_) {
      ARROW_RETURN_NOT_OK(AppendParsed(&column));
    }
    ++rows_;
    return arrow::Status::OK();
  }

  int64_t rows() const override { return rows_; }
  int64_t bytes() const override { return bytes_; }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish() override {
    arrow::ArrayVector arrays;
    for (Column& column : columns_) {
      ARROW_ASSIGN_OR_RAISE(auto array, column.builder->Finish());
      arrays.push_back(std::move(array));
    }
    const int64_t rows = std::exchange(rows_, 0);
    bytes_ = 0;
    return arrow::RecordBatch::Make(schema_, rows, std::move(arrays));
  }

 private:
  struct Column {
    std::shared_ptr<arrow::Field> field;
    int place = 0;
    std::unique_ptr<arrow::ArrayBuilder> builder = nullptr;
    bool is_null = false;
    int64_t bits = 0;
    std::shared_ptr<arrow::Scalar> scalar = nullptr;
  };

  static bool IsFast(arrow::Type::type id) {
    return id == arrow::Type::BOOL || id == arrow::Type::INT64 || id == arrow::Type::DOUBLE ||
           id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP;
  }

  arrow::Status Parse(Column* column, size_t* error_offset) {
    if (column->place < 0) {
      column->is_null = true;
      return arrow::Status::OK();
    }
    const CsvField& field = fields_[static_cast<size_t>(column->place)];
    column->is_null = !field.is_quoted && field.text == dialect_.null_text;
    if (column->is_null) {
      return arrow::Status::OK();
    }
    *error_offset = field.begin;
    const arrow::DataType& type = *column->field->type();
    if (type.id() == arrow::Type::STRING) {
      return arrow::util::ValidateUTF8(field.text)
                 ? arrow::Status::OK()
                 : DataError("column \"", column->field->name(), "\": text is not UTF-8");
    }
    bool fits = false;
    if (IsFast(type.id())) {
      fits = ParseCsvValue(type, field.text, &column->bits);
    } else {
      auto scalar = arrow::Scalar::Parse(column->field->type(), field.text);
      fits = scalar.ok();
      column->scalar = fits ? *std::move(scalar) : nullptr;
    }
    if (!dialect_.has_given_types) {
      fits = fits && !LosesText(type, field.text);
    }
    return fits ? arrow::Status::OK()
                : DataError("column \"", column->field->name(), "\": ", Shown(field.text),
                            " is not of type ", SqlTypeName(type),
                            "; give the types by columns => {..}, or find them by all rows with"
                            " sample_rows => -1");
  }

  arrow::Status AppendParsed(Column* column) {
    bytes_ += static_cast<int64_t>(sizeof(int64_t));
    if (column->is_null) {
      return column->builder->AppendNull();
    }
    arrow::ArrayBuilder* const builder = column->builder.get();
    switch (column->field->type()->id()) {
      case arrow::Type::STRING: {
        const std::string_view text = fields_[static_cast<size_t>(column->place)].text;
        bytes_ += static_cast<int64_t>(text.size());
        return static_cast<arrow::StringBuilder*>(builder)->Append(text);
      }
      case arrow::Type::BOOL:
        return static_cast<arrow::BooleanBuilder*>(builder)->Append(column->bits != 0);
      case arrow::Type::INT64:
        return static_cast<arrow::Int64Builder*>(builder)->Append(column->bits);
      case arrow::Type::DOUBLE:
        return static_cast<arrow::DoubleBuilder*>(builder)->Append(
            std::bit_cast<double>(column->bits));
      case arrow::Type::DATE32:
        return static_cast<arrow::Date32Builder*>(builder)->Append(
            static_cast<int32_t>(column->bits));
      case arrow::Type::TIMESTAMP:
        return static_cast<arrow::TimestampBuilder*>(builder)->Append(column->bits);
      default:
        return builder->AppendScalar(*column->scalar);
    }
  }

  const CsvDialect dialect_;
  const size_t column_count_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<Column> columns_;
  std::vector<CsvField> fields_;
  std::string scratch_;
  int64_t rows_ = 0;
  int64_t bytes_ = 0;
};

class CsvFormat final : public TextFormat {
 public:
  CsvFormat(CsvDialect dialect, std::shared_ptr<arrow::Schema> schema, std::vector<int> places,
            size_t column_count)
      : dialect_(std::move(dialect)),
        schema_(std::move(schema)),
        places_(std::move(places)),
        column_count_(column_count) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  bool lines_are_records() const override { return !dialect_.quote.has_value(); }

  arrow::Result<std::optional<TextRecord>> FindRecord(std::string_view text, size_t position,
                                                      bool is_last) const override {
    return FindCsvRecord(dialect_, text, position, is_last);
  }

  arrow::Result<std::optional<size_t>> FindFirst(std::string_view text,
                                                 bool is_last) const override {
    if (text.size() < 3 && !is_last) {
      return std::nullopt;
    }
    const size_t begin = ByteOrderMarkBytes(text);
    if (!dialect_.has_header) {
      return begin;
    }
    CsvDialect header = dialect_;
    header.has_one_column = false;  // blank lines before the header are nothing
    ARROW_ASSIGN_OR_RAISE(const auto record, FindCsvRecord(header, text, begin, is_last));
    if (!record.has_value()) {
      return is_last ? std::optional<size_t>(text.size()) : std::nullopt;
    }
    return record->next;
  }

  arrow::Result<std::unique_ptr<RecordParser>> MakeParser(const std::vector<int>& fields,
                                                          const arrow::DataTypeVector& /*types*/,
                                                          arrow::MemoryPool* pool) const override {
    auto parser = std::make_unique<CsvParser>(dialect_, *schema_, places_, column_count_, fields);
    ARROW_RETURN_NOT_OK(parser->Open(pool));
    return parser;
  }

 private:
  const CsvDialect dialect_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::vector<int> places_;
  const size_t column_count_;
};

}  // namespace

size_t ByteOrderMarkBytes(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

arrow::Result<std::optional<TextRecord>> FindCsvRecord(const CsvDialect& dialect,
                                                       std::string_view text, size_t position,
                                                       bool is_last) {
  while (!dialect.has_one_column && position < text.size()) {
    if (text[position] == '\n') {
      ++position;
    } else if (text.substr(position).starts_with("\r\n")) {
      position += 2;
    } else {
      break;
    }
  }
  if (position >= text.size()) {
    return std::nullopt;
  }
  TextRecord record;
  record.begin = position;
  bool at_field = true;
  size_t i = position;
  while (i < text.size() && text[i] != '\n') {
    if (at_field && dialect.quote.has_value() && text[i] == *dialect.quote) {
      ++i;
      bool is_closed = false;
      while (i < text.size()) {
        if (dialect.escape.has_value() && text[i] == *dialect.escape &&
            *dialect.escape != *dialect.quote) {
          i += 2;
        } else if (text[i] != *dialect.quote) {
          ++i;
        } else if (i + 1 < text.size() && text[i + 1] == *dialect.quote &&
                   dialect.escape == dialect.quote) {
          i += 2;
        } else {
          ++i;
          is_closed = true;
          break;
        }
      }
      if (!is_closed) {
        if (is_last) {
          return DataError("a quoted field is not closed in the record that begins here");
        }
        return std::nullopt;
      }
      at_field = false;
      continue;
    }
    at_field = text[i] == dialect.delimiter;
    ++i;
  }
  if (i >= text.size() && !is_last) {
    return std::nullopt;
  }
  record.end = std::min(i, text.size());
  record.next = std::min(i + 1, text.size());
  if (record.end > record.begin && text[record.end - 1] == '\r') {
    --record.end;
  }
  return record;
}

arrow::Status SplitCsvRecord(const CsvDialect& dialect, std::string_view record,
                             std::vector<CsvField>* fields, std::string* scratch,
                             size_t* error_offset) {
  fields->clear();
  scratch->clear();
  scratch->reserve(record.size());  // views into it stay
  size_t i = 0;
  while (true) {
    CsvField field;
    field.begin = i;
    if (dialect.quote.has_value() && i < record.size() && record[i] == *dialect.quote) {
      field.is_quoted = true;
      const char quote = *dialect.quote;
      const size_t begin = scratch->size();
      ++i;
      while (i < record.size()) {
        const bool has_next = i + 1 < record.size();
        if (dialect.escape.has_value() && record[i] == *dialect.escape && has_next &&
            (record[i + 1] == quote || record[i + 1] == *dialect.escape)) {
          *scratch += record[i + 1];
          i += 2;
        } else if (record[i] == quote) {
          break;
        } else {
          *scratch += record[i++];
        }
      }
      ++i;  // the closing quote
      field.text = std::string_view(*scratch).substr(begin);
      if (i < record.size() && record[i] != dialect.delimiter) {
        *error_offset = i;
        return DataError("text stands behind a closing quote");
      }
    } else {
      const size_t end = std::min(record.find(dialect.delimiter, i), record.size());
      field.text = record.substr(i, end - i);
      i = end;
    }
    fields->push_back(field);
    if (i >= record.size()) {
      return arrow::Status::OK();
    }
    ++i;
  }
}

bool ParseCsvValue(const arrow::DataType& type, std::string_view text, int64_t* bits) {
  const char* const data = text.data();
  const size_t size = text.size();
  switch (type.id()) {
    case arrow::Type::BOOL:
      *bits = EqualWithoutCase(text, "true") ? 1 : 0;
      return *bits == 1 || EqualWithoutCase(text, "false");
    case arrow::Type::INT64: {
      const bool fits = !text.starts_with("0x") && !text.starts_with("0X") &&
                        arrow::internal::ParseValue<arrow::Int64Type>(data, size, bits);
      return fits;
    }
    case arrow::Type::DOUBLE: {
      double value = 0;
      const bool fits = arrow::internal::ParseValue<arrow::DoubleType>(data, size, &value);
      *bits = std::bit_cast<int64_t>(value);
      return fits;
    }
    case arrow::Type::DATE32: {
      int32_t days = 0;
      const bool fits = arrow::internal::ParseValue<arrow::Date32Type>(data, size, &days);
      *bits = days;
      return fits;
    }
    case arrow::Type::TIMESTAMP: {
      bool has_zone = false;
      return arrow::internal::ParseTimestampISO8601(
                 data, size, static_cast<const arrow::TimestampType&>(type).unit(), bits,
                 &has_zone) &&
             has_zone == !static_cast<const arrow::TimestampType&>(type).timezone().empty();
    }
    default:
      return false;
  }
}

bool LosesText(const arrow::DataType& type, std::string_view text) {
  if (type.id() != arrow::Type::INT64 && type.id() != arrow::Type::DOUBLE) {
    return false;
  }
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.size() > 1 && digits[0] == '0' &&
      std::isdigit(static_cast<unsigned char>(digits[1])) != 0) {
    return true;
  }
  if (type.id() == arrow::Type::INT64 ||
      digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return false;
  }
  constexpr int64_t kExactMax = int64_t{1} << std::numeric_limits<double>::digits;
  int64_t integer = 0;
  return !arrow::internal::ParseValue<arrow::Int64Type>(text.data(), text.size(), &integer) ||
         integer > kExactMax || integer < -kExactMax;
}

std::shared_ptr<const TextFormat> MakeCsvFormat(CsvDialect dialect,
                                                std::shared_ptr<arrow::Schema> schema,
                                                std::vector<int> places, size_t column_count) {
  return std::make_shared<CsvFormat>(std::move(dialect), std::move(schema), std::move(places),
                                     column_count);
}

}  // namespace keepone
