// SPDX-License-Identifier: Apache-2.0
#include "io/csv/csv_parser.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/utf8.h>

#include "base/error.h"
#include "column/sql_type_name.h"
#include "io/csv/csv_record.h"
#include "io/csv/csv_tokens.h"
#include "io/csv/csv_value.h"

namespace keepone {

namespace {

constexpr size_t kShownBytesMax = 60;
// Of records that are cut and read at once: they and their fields stay in the nearest cache.
constexpr size_t kCutBytes = 16 << 10;

// `quoted` for messages, cut where it is long.
std::string Shown(std::string_view text) {
  return text.size() <= kShownBytesMax ? JoinMessage("'", text, "'")
                                       : JoinMessage("'", text.substr(0, kShownBytesMax), "..'");
}

// Bytes of the text before the first that is not UTF-8.
size_t ValidBytes(std::string_view text) {
  size_t valid = 0;
  while (valid < text.size()) {
    // The first byte of a character says how many it has.
    const auto first = static_cast<unsigned char>(text[valid]);
    const size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (!arrow::util::ValidateUTF8(text.substr(valid, bytes))) {
      return valid;
    }
    valid += std::min(bytes, text.size() - valid);
  }
  return valid;
}

enum class CellKind { kText, kInteger, kDouble, kBits, kScalar };

CellKind CellKindOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::STRING:
      return CellKind::kText;
    case arrow::Type::INT64:
      return CellKind::kInteger;
    case arrow::Type::DOUBLE:
      return CellKind::kDouble;
    case arrow::Type::BOOL:
    case arrow::Type::DATE32:
    case arrow::Type::TIMESTAMP:
      return CellKind::kBits;
    default:
      return CellKind::kScalar;
  }
}

// A column, with the cells of the records that are being read: they are appended when all cells of
// a record could be read.
struct CsvColumn {
  std::shared_ptr<arrow::Field> field;
  CellKind kind = CellKind::kText;
  int place = 0;
  std::unique_ptr<arrow::ArrayBuilder> builder;
  std::vector<uint8_t> valid;
  std::vector<int64_t> bits;
  std::vector<std::string_view> texts;
  std::vector<std::shared_ptr<arrow::Scalar>> scalars;

  void Resize(size_t rows) {
    valid.resize(rows);
    if (kind == CellKind::kText) {
      texts.resize(rows);
    } else if (kind == CellKind::kScalar) {
      scalars.resize(rows);
    } else {
      bits.resize(rows);
    }
  }
};

class CsvParser final : public RecordParser {
 public:
  explicit CsvParser(const CsvLayout* layout) : layout_(layout), tokens_(&layout->dialect) {}

  arrow::Status Open(const std::vector<int>& fields, arrow::MemoryPool* pool) {
    arrow::util::InitializeUTF8();
    arrow::FieldVector wanted;
    for (const int field : fields) {
      CsvColumn& column = columns_.emplace_back();
      column.field = layout_->schema->field(field);
      column.kind = CellKindOf(*column.field->type());
      column.place = layout_->places[static_cast<size_t>(field)];
      ARROW_ASSIGN_OR_RAISE(column.builder, arrow::MakeBuilder(column.field->type(), pool));
      wanted.push_back(column.field);
    }
    schema_ = arrow::schema(std::move(wanted));
    return arrow::Status::OK();
  }

  arrow::Status Append(std::string_view record, size_t* error_offset) override {
    *error_offset = 0;
    ARROW_RETURN_NOT_OK(
        SplitCsvRecord(layout_->dialect, record, &fields_, &scratch_, error_offset));
    const bool is_short = fields_.size() < layout_->column_count && layout_->dialect.pads_with_null;
    if (fields_.size() != layout_->column_count && !is_short) {
      return DataError("the record has ", fields_.size(), " fields instead of ",
                       layout_->column_count);
    }
    for (CsvColumn& column : columns_) {
      column.Resize(1);
      const auto place = static_cast<size_t>(column.place);
      if (column.place < 0 || place >= fields_.size()) {
        column.valid[0] = 0;
        continue;
      }
      const CsvField& field = fields_[place];
      if (!ReadCell(&column, 0, field.text, field.is_quoted, /*is_ascii=*/false)) {
        *error_offset = field.begin;
        if (column.kind == CellKind::kText) {
          *error_offset += ValidBytes(record.substr(field.begin));
          return DataError("column \"", column.field->name(), "\": text is not UTF-8");
        }
        return WrongValue(column, field.text);
      }
    }
    return AppendCells(1);
  }

  arrow::Status AppendSome(std::string_view text, int64_t rows_max, size_t* position,
                           std::vector<size_t>* begins) override {
    CutFrom(text, *position, rows_max == 1 ? 1 : kCutBytes);
    const auto& records = tokens_.records();
    size_t rows = std::min(records.size() - next_, static_cast<size_t>(rows_max));
    for (size_t i = 0; i < rows; ++i) {
      if (records[next_ + i].field_count != layout_->column_count) {
        rows = i;
      }
    }
    scratch_.clear();
    scratch_.reserve(rows == 0 ? 0 : records[next_ + rows - 1].next - records[next_].begin);
    for (CsvColumn& column : columns_) {
      column.Resize(rows);
      rows = ReadCells(&column, rows);
    }
    ARROW_RETURN_NOT_OK(AppendCells(rows));
    for (size_t i = 0; i < rows; ++i) {
      begins->push_back(records[next_ + i].begin);
    }
    next_ += rows;
    if (next_ < records.size()) {
      *position = records[next_].begin;
    } else if (!records.empty()) {
      *position = records.back().next;
    }
    if (rows_max == 1) {
      cut_text_ = {};  // single records come in a buffer that is used again
    }
    return arrow::Status::OK();
  }

  int64_t rows() const override { return rows_; }
  int64_t bytes() const override { return bytes_; }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish() override {
    arrow::ArrayVector arrays;
    for (CsvColumn& column : columns_) {
      ARROW_ASSIGN_OR_RAISE(auto array, column.builder->Finish());
      arrays.push_back(std::move(array));
    }
    const int64_t rows = std::exchange(rows_, 0);
    bytes_ = 0;
    return arrow::RecordBatch::Make(schema_, rows, std::move(arrays));
  }

 private:
  // Goes on with the records that were cut before, where they are those at `position`.
  void CutFrom(std::string_view text, size_t position, size_t bytes_wanted) {
    const auto& records = tokens_.records();
    while (cut_text_.data() == text.data() && cut_text_.size() == text.size() &&
           next_ < records.size() && records[next_].begin < position) {
      ++next_;
    }
    if (cut_text_.data() != text.data() || cut_text_.size() != text.size() ||
        next_ == records.size() || records[next_].begin != position) {
      tokens_.Cut(text, position, bytes_wanted);
      cut_text_ = text;
      next_ = 0;
    }
  }

  bool IsNull(std::string_view text) const {
    for (const std::string& null_text : layout_->dialect.null_texts) {
      if (text == null_text) {
        return true;
      }
    }
    return false;
  }

  // Reads the cells of a column in the first `rows` records; the number before the first that
  // cannot be read.
  size_t ReadCells(CsvColumn* column, size_t rows) {
    if (column->place < 0) {
      std::fill(column->valid.begin(), column->valid.end(), uint8_t{0});
      return rows;
    }
    const CsvTokens::Record* const records = tokens_.records().data() + next_;
    const auto place = static_cast<size_t>(column->place);
    const std::optional<char> quote = layout_->dialect.quote;
    for (size_t i = 0; i < rows; ++i) {
      std::string_view text = tokens_.Field(records[i], place);
      const bool is_quoted = quote.has_value() && !text.empty() && text.front() == *quote;
      if ((is_quoted && !Unquote(*quote, &text)) ||
          !ReadCell(column, i, text, is_quoted, tokens_.is_ascii())) {
        return i;
      }
    }
    return rows;
  }

  // Takes the quotes off; false where text stands behind the closing one.
  bool Unquote(char quote, std::string_view* text) {
    if (text->size() < 2 || text->back() != quote) {
      return false;
    }
    *text = text->substr(1, text->size() - 2);
    const void* found = std::memchr(text->data(), quote, text->size());
    if (found == nullptr) {
      return true;
    }
    if (scratch_.capacity() - scratch_.size() < text->size()) {
      return false;  // earlier cells lie in it, and must not move
    }
    // Quotes inside come in pairs, which stand for one each.
    const size_t begin = scratch_.size();
    size_t at = 0;
    while (found != nullptr) {
      const auto behind = static_cast<size_t>(static_cast<const char*>(found) - text->data()) + 1;
      scratch_ += text->substr(at, behind - at);
      at = std::min(behind + 1, text->size());
      found = std::memchr(text->data() + at, quote, text->size() - at);
    }
    scratch_ += text->substr(at);
    *text = std::string_view(scratch_).substr(begin);
    return true;
  }

  bool ReadCell(CsvColumn* column, size_t row, std::string_view text, bool is_quoted,
                bool is_ascii) const {
    const bool is_null = !is_quoted && IsNull(text);
    column->valid[row] = is_null ? 0 : 1;
    if (is_null) {
      return true;
    }
    const CsvDialect& dialect = layout_->dialect;
    const arrow::DataType& type = *column->field->type();
    switch (column->kind) {
      case CellKind::kText:
        column->texts[row] = text;
        return is_ascii || arrow::util::ValidateUTF8(text);
      case CellKind::kInteger:
        if (ParsePlainInteger(text, &column->bits[row])) {
          return true;
        }
        break;
      case CellKind::kDouble: {
        double value = 0;
        if (dialect.decimal_separator == '.' && ParsePlainDecimal(text, &value)) {
          column->bits[row] = std::bit_cast<int64_t>(value);
          return true;
        }
        break;
      }
      case CellKind::kBits:
        return ParseCsvValue(dialect, type, text, &column->bits[row]);
      case CellKind::kScalar:
        column->scalars[row] = ParseCsvScalar(dialect, column->field->type(), text);
        return column->scalars[row] != nullptr;
    }
    return ParseCsvValue(dialect, type, text, &column->bits[row]) &&
           (dialect.has_given_types || !LosesText(type, text));
  }

  arrow::Status WrongValue(const CsvColumn& column, std::string_view text) const {
    const arrow::Status status = DataError("column \"", column.field->name(), "\": ", Shown(text),
                                           " is not of type ", SqlTypeName(*column.field->type()));
    return layout_->dialect.has_given_types
               ? status
               : WithHint(status,
                          "give the type by types => {..}, find it by all rows with sample_rows => "
                          "-1, or leave such records out with ignore_errors => true");
  }

  template <typename Builder, typename Value>
  arrow::Status AppendBits(CsvColumn* column, size_t rows, Value value) {
    auto* const builder = static_cast<Builder*>(column->builder.get());
    ARROW_RETURN_NOT_OK(builder->Reserve(static_cast<int64_t>(rows)));
    for (size_t i = 0; i < rows; ++i) {
      if (column->valid[i] != 0) {
        builder->UnsafeAppend(value(column->bits[i]));
      } else {
        builder->UnsafeAppendNull();
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status AppendTexts(CsvColumn* column, size_t rows) {
    auto* const builder = static_cast<arrow::StringBuilder*>(column->builder.get());
    int64_t bytes = 0;
    for (size_t i = 0; i < rows; ++i) {
      bytes += column->valid[i] != 0 ? static_cast<int64_t>(column->texts[i].size()) : 0;
    }
    ARROW_RETURN_NOT_OK(builder->Reserve(static_cast<int64_t>(rows)));
    ARROW_RETURN_NOT_OK(builder->ReserveData(bytes));
    for (size_t i = 0; i < rows; ++i) {
      if (column->valid[i] != 0) {
        builder->UnsafeAppend(column->texts[i]);
      } else {
        builder->UnsafeAppendNull();
      }
    }
    bytes_ += bytes;
    return arrow::Status::OK();
  }

  arrow::Status AppendColumn(CsvColumn* column, size_t rows) {
    switch (column->field->type()->id()) {
      case arrow::Type::STRING:
        return AppendTexts(column, rows);
      case arrow::Type::INT64:
        return AppendBits<arrow::Int64Builder>(column, rows, [](int64_t bits) { return bits; });
      case arrow::Type::TIMESTAMP:
        return AppendBits<arrow::TimestampBuilder>(column, rows, [](int64_t bits) { return bits; });
      case arrow::Type::DOUBLE:
        return AppendBits<arrow::DoubleBuilder>(
            column, rows, [](int64_t bits) { return std::bit_cast<double>(bits); });
      case arrow::Type::BOOL:
        return AppendBits<arrow::BooleanBuilder>(column, rows,
                                                 [](int64_t bits) { return bits != 0; });
      case arrow::Type::DATE32:
        return AppendBits<arrow::Date32Builder>(
            column, rows, [](int64_t bits) { return static_cast<int32_t>(bits); });
      default:
        break;
    }
    for (size_t i = 0; i < rows; ++i) {
      ARROW_RETURN_NOT_OK(column->valid[i] != 0 ? column->builder->AppendScalar(*column->scalars[i])
                                                : column->builder->AppendNull());
    }
    return arrow::Status::OK();
  }

  arrow::Status AppendCells(size_t rows) {
    for (CsvColumn& column : columns_) {
      ARROW_RETURN_NOT_OK(AppendColumn(&column, rows));
    }
    rows_ += static_cast<int64_t>(rows);
    bytes_ += static_cast<int64_t>(rows * columns_.size() * sizeof(int64_t));
    return arrow::Status::OK();
  }

  const CsvLayout* layout_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<CsvColumn> columns_;
  CsvTokens tokens_;
  std::string_view cut_text_;  // what tokens_ was cut from
  size_t next_ = 0;            // record of tokens_
  std::vector<CsvField> fields_;
  std::string scratch_;
  int64_t rows_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace

arrow::Result<std::unique_ptr<RecordParser>> MakeCsvParser(const CsvLayout* layout,
                                                           const std::vector<int>& fields,
                                                           arrow::MemoryPool* pool) {
  auto parser = std::make_unique<CsvParser>(layout);
  ARROW_RETURN_NOT_OK(parser->Open(fields, pool));
  return parser;
}

}  // namespace keepone
