// SPDX-License-Identifier: Apache-2.0
#include "io/csv/csv_format.h"

#include <optional>
#include <utility>

#include "io/csv/csv_parser.h"
#include "io/csv/csv_record.h"

namespace keepone {

namespace {

class CsvFormat final : public TextFormat {
 public:
  explicit CsvFormat(CsvLayout layout) : layout_(std::move(layout)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return layout_.schema; }
  bool lines_are_records() const override { return !layout_.dialect.quote.has_value(); }

  arrow::Result<std::optional<TextRecord>> FindRecord(std::string_view text, size_t position,
                                                      bool is_last) const override {
    return FindCsvRecord(layout_.dialect, text, position, is_last);
  }

  std::unique_ptr<RecordEnds> MakeRecordEnds() const override {
    return MakeCsvRecordEnds(&layout_.dialect);
  }

  arrow::Result<std::optional<size_t>> FindFirst(std::string_view text,
                                                 bool is_last) const override {
    return FindCsvBegin(layout_.dialect, text, is_last);
  }

  arrow::Result<std::unique_ptr<RecordParser>> MakeParser(const std::vector<int>& fields,
                                                          const arrow::DataTypeVector& /*types*/,
                                                          arrow::MemoryPool* pool) const override {
    return MakeCsvParser(&layout_, fields, pool);
  }

 private:
  const CsvLayout layout_;
};

}  // namespace

std::shared_ptr<const TextFormat> MakeCsvFormat(CsvDialect dialect,
                                                std::shared_ptr<arrow::Schema> schema,
                                                std::vector<int> places, size_t column_count) {
  return std::make_shared<CsvFormat>(
      CsvLayout{std::move(dialect), std::move(schema), std::move(places), column_count});
}

}  // namespace keepone
