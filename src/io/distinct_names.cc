// SPDX-License-Identifier: Apache-2.0
#include "io/distinct_names.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace keepone {
namespace {

class RenamingSink final : public Sink {
 public:
  RenamingSink(std::unique_ptr<Sink> sink, std::shared_ptr<arrow::Schema> schema)
      : sink_(std::move(sink)), schema_(std::move(schema)) {}

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    return sink_->Write(arrow::RecordBatch::Make(schema_, batch->num_rows(), batch->column_data()));
  }

  arrow::Status Flush() override { return sink_->Flush(); }
  arrow::Status Finish() override { return sink_->Finish(); }

 private:
  std::unique_ptr<Sink> sink_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

std::shared_ptr<arrow::Schema> WithDistinctNames(const std::shared_ptr<arrow::Schema>& schema) {
  std::unordered_set<std::string> taken;
  for (const auto& field : schema->fields()) {
    taken.insert(field->name());
  }
  if (static_cast<int>(taken.size()) == schema->num_fields()) {
    return schema;
  }
  std::unordered_map<std::string, int64_t> last_number;  // of the names that have been given
  arrow::FieldVector fields;
  for (const auto& field : schema->fields()) {
    const auto [last, is_first] = last_number.try_emplace(field->name(), 0);
    if (is_first) {
      fields.push_back(field);
      continue;
    }
    std::string name;
    do {
      name = field->name() + "_" + std::to_string(++last->second);
    } while (!taken.insert(name).second);
    fields.push_back(field->WithName(name));
  }
  return arrow::schema(std::move(fields), schema->metadata());
}

std::unique_ptr<Sink> MakeRenamingSink(std::unique_ptr<Sink> sink,
                                       std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<RenamingSink>(std::move(sink), std::move(schema));
}

}  // namespace keepone
