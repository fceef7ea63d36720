// SPDX-License-Identifier: Apache-2.0
#include "io/text/text_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <arrow/type.h>

#include "base/check.h"
#include "base/error.h"
#include "io/text/text_input.h"
#include "io/text/text_reading.h"
#include "io/text/text_stream.h"

namespace keepone {

namespace {

class TextSource final : public Source {
 public:
  TextSource(std::shared_ptr<const SourceData> data, std::string description)
      : data_(std::move(data)), description_(std::move(description)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override {
    return data_->files.front().format->schema();
  }
  std::string description() const override { return description_; }
  SourceStatistics statistics() const override { return {}; }
  bool can_fetch() const override { return data_->can_fetch; }
  std::vector<std::string> paths() const override {
    std::vector<std::string> paths;
    for (const SourceFile& file : data_->files) {
      paths.push_back(file.path);
    }
    return paths;
  }

  arrow::Result<std::unique_ptr<BatchStream>> Scan(
      QueryContext* context, ScanRequest request,
      std::shared_ptr<SourceCounters> counters) const override {
    ARROW_ASSIGN_OR_RAISE(
        auto reading, MakeReading(context, request.columns, request.types, std::move(counters)));
    if (request.with_addresses) {
      reading->with_addresses = true;
      ARROW_ASSIGN_OR_RAISE(reading->schema,
                            reading->schema->AddField(
                                reading->schema->num_fields(),
                                arrow::field(kRowAddressName, arrow::int64(), /*nullable=*/false)));
    }
    return MakeTextScan(std::move(reading));
  }

  arrow::Result<std::unique_ptr<BatchStream>> Fetch(
      QueryContext* context, FetchRequest request,
      std::shared_ptr<SourceCounters> counters) const override {
    KEEPONE_CHECK(data_->can_fetch);
    ARROW_ASSIGN_OR_RAISE(
        auto reading, MakeReading(context, request.columns, request.types, std::move(counters)));
    reading->is_fetch = true;
    return MakeTextFetch(std::move(reading), std::move(request.addresses));
  }

 private:
  arrow::Result<std::shared_ptr<TextReading>> MakeReading(
      QueryContext* context, const std::vector<int>& columns, const arrow::DataTypeVector& types,
      std::shared_ptr<SourceCounters> counters) const {
    if (!data_->options.rejects_path.empty()) {
      return MakeError(ErrorKind::kUnsupported, std::nullopt,
                       "records that are left out cannot be written to a file");
    }
    auto reading = std::make_shared<TextReading>();
    reading->source = data_;
    reading->context = context;
    reading->counters =
        counters != nullptr ? std::move(counters) : std::make_shared<SourceCounters>();
    arrow::FieldVector fields;
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto& field = schema()->field(columns[i]);
      fields.push_back(types.empty() ? field : field->WithType(types[i]));
      reading->places.push_back(static_cast<int>(i));
    }
    reading->fields = columns;
    reading->types = types;
    reading->schema = arrow::schema(std::move(fields));
    if (data_->options.ignore_errors) {
      // Which records are left out must not depend on the columns that a statement reads.
      for (int i = 0; i < schema()->num_fields(); ++i) {
        if (std::find(columns.begin(), columns.end(), i) == columns.end()) {
          reading->fields.push_back(i);
          if (!types.empty()) {
            reading->types.push_back(schema()->field(i)->type());
          }
        }
      }
    }
    return reading;
  }

  const std::shared_ptr<const SourceData> data_;
  const std::string description_;
};

}  // namespace

std::shared_ptr<const Source> MakeTextSource(std::vector<TextSourceFile> files,
                                             std::string description, TextSourceOptions options) {
  auto data = std::make_shared<SourceData>();
  data->block_bytes = options.block_bytes;
  data->options = std::move(options);
  for (TextSourceFile& given : files) {
    SourceFile file;
    file.path = std::move(given.path);
    file.format = std::move(given.format);
    // A pipe was opened for its sample, and must not be opened again.
    std::shared_ptr<TextInput> pipe = PeekKeptPipe(file.path);
    auto opened = pipe != nullptr ? arrow::Result<std::shared_ptr<TextInput>>(pipe)
                                  : TextInput::Open(file.path);
    file.status = opened.status();
    if (opened.ok()) {
      file.identity = (*opened)->identity();
      file.is_regular = (*opened)->is_regular();
      file.is_compressed = (*opened)->is_compressed();
      data->can_fetch = data->can_fetch && file.is_regular;
    }
    data->files.push_back(std::move(file));
  }
  return std::make_shared<TextSource>(std::move(data), std::move(description));
}

}  // namespace keepone
