// SPDX-License-Identifier: Apache-2.0
#include "io/arrow/ipc_schema.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/extension_type.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/message.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "io/decoded_type.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;

arrow::ipc::IpcReadOptions MakeReadOptions(arrow::MemoryPool* pool) {
  arrow::ipc::IpcReadOptions options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = pool;
  options.use_threads = false;
  return options;
}

bool IsPrefixOf(const std::vector<int>& prefix, const std::vector<int>& path) {
  return prefix.size() < path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

// For types of which any bytes are a value that can be worked with, a type that says just that:
// decimals beyond their precision, dates that are no whole days and text that is no UTF-8 are read
// as they are, as from Parquet. nullptr for others.
std::shared_ptr<arrow::DataType> BytesType(const arrow::DataType& type) {
  if (arrow::is_decimal(type.id()) ||
      (arrow::is_primitive(type.id()) && type.id() != arrow::Type::BOOL)) {
    return arrow::fixed_size_binary(type.bit_width() / 8);
  }
  return type.id() == arrow::Type::STRING         ? arrow::binary()
         : type.id() == arrow::Type::LARGE_STRING ? arrow::large_binary()
         : type.id() == arrow::Type::STRING_VIEW  ? arrow::binary_view()
                                                  : nullptr;
}

// Checks all that can lead outside of the buffers.
arrow::Status CheckArray(const arrow::Array& array) {
  const std::shared_ptr<arrow::DataType> type = BytesType(*array.type());
  if (type == nullptr) {
    return array.ValidateFull();
  }
  const std::shared_ptr<arrow::ArrayData> data = array.data()->Copy();
  data->type = type;
  return arrow::MakeArray(data)->ValidateFull();
}

arrow::Status CheckBatch(const arrow::RecordBatch& batch) {
  ARROW_RETURN_NOT_OK(batch.Validate());
  for (int i = 0; i < batch.num_columns(); ++i) {
    ARROW_RETURN_NOT_OK(CheckArray(*batch.column(i)));
  }
  return arrow::Status::OK();
}

// The same buffers under nodes of their own.
std::shared_ptr<arrow::ArrayData> CopyTree(const arrow::ArrayData& data) {
  std::shared_ptr<arrow::ArrayData> copy = data.Copy();
  for (auto& child : copy->child_data) {
    child = CopyTree(*child);
  }
  if (copy->dictionary != nullptr) {
    copy->dictionary = CopyTree(*copy->dictionary);
  }
  return copy;
}

}  // namespace

arrow::Result<std::shared_ptr<const IpcSchema>> IpcSchema::Make(
    std::shared_ptr<arrow::Buffer> metadata) {
  std::shared_ptr<IpcSchema> schema(new IpcSchema());
  schema->metadata_ = std::move(metadata);
  ARROW_ASSIGN_OR_RAISE(const auto message,
                        arrow::ipc::Message::Open(schema->metadata_, /*body=*/nullptr));
  arrow::ipc::DictionaryMemo memo;
  ARROW_ASSIGN_OR_RAISE(schema->stored_, arrow::ipc::ReadSchema(*message, &memo));
  if (!schema->stored_->is_native_endian()) {
    return arrow::Status::NotImplemented("Arrow data of the other byte order cannot be read");
  }
  for (int i = 0; i < schema->stored_->num_fields(); ++i) {
    std::vector<int> path = {i};
    ARROW_RETURN_NOT_OK(schema->AddPlaces(*schema->stored_->field(i)->type(), &path, memo));
  }
  schema->plain_ = arrow::schema(DecodedFields(schema->stored_->fields()));
  return schema;
}

arrow::Status IpcSchema::AddPlaces(const arrow::DataType& type, std::vector<int>* path,
                                   const arrow::ipc::DictionaryMemo& memo) {
  if (type.id() == arrow::Type::EXTENSION) {
    return AddPlaces(*checked_cast<const arrow::ExtensionType&>(type).storage_type(), path, memo);
  }
  const arrow::DataType* parent = &type;
  if (type.id() == arrow::Type::DICTIONARY) {
    ARROW_ASSIGN_OR_RAISE(const int64_t id, memo.fields().GetFieldId(*path));
    places_.push_back({id, *path});
    parent = checked_cast<const arrow::DictionaryType&>(type).value_type().get();
  }
  for (int i = 0; i < parent->num_fields(); ++i) {
    path->push_back(i);
    ARROW_RETURN_NOT_OK(AddPlaces(*parent->field(i)->type(), path, memo));
    path->pop_back();
  }
  return arrow::Status::OK();
}

std::set<int64_t> IpcSchema::DictionariesOf(const std::vector<int>& fields) const {
  std::set<int64_t> ids;
  for (const Place& place : places_) {
    if (std::find(fields.begin(), fields.end(), place.path[0]) != fields.end()) {
      ids.insert(place.id);
    }
  }
  return ids;
}

arrow::Status IpcDictionaries::Apply(const arrow::Buffer& metadata, const IpcMessageInfo& info,
                                     arrow::io::RandomAccessFile* body, arrow::MemoryPool* pool) {
  if (!IsWanted(info.dictionary_id)) {
    return arrow::Status::OK();
  }
  // The values are like a batch of one column; paths of dictionaries in them begin there.
  arrow::ipc::DictionaryMemo memo;
  const IpcSchema::Place* place = nullptr;
  for (const IpcSchema::Place& each : schema_->places_) {
    if (place == nullptr && each.id == info.dictionary_id) {
      place = &each;
    } else if (place != nullptr && IsPrefixOf(place->path, each.path)) {
      std::vector<int> path(each.path.begin() + static_cast<std::ptrdiff_t>(place->path.size()),
                            each.path.end());
      path.insert(path.begin(), 0);
      ARROW_RETURN_NOT_OK(memo.fields().AddField(each.id, path));
      const auto found = values_.find(each.id);
      if (found != values_.end() && !memo.HasDictionary(each.id)) {
        ARROW_RETURN_NOT_OK(memo.AddDictionaryType(each.id, found->second->type));
        ARROW_RETURN_NOT_OK(memo.AddDictionary(each.id, CopyTree(*found->second)));
      }
    }
  }
  if (place == nullptr) {
    return arrow::Status::OK();
  }
  arrow::ipc::DictionaryMemo types;
  ARROW_RETURN_NOT_OK(FillMemo(&types));
  ARROW_ASSIGN_OR_RAISE(const auto type, types.GetDictionaryType(info.dictionary_id));
  ARROW_ASSIGN_OR_RAISE(const auto record, DictionaryAsRecordBatch(metadata, pool));
  ARROW_ASSIGN_OR_RAISE(
      const auto batch,
      arrow::ipc::ReadRecordBatch(*record, arrow::schema({arrow::field("values", type)}), &memo,
                                  MakeReadOptions(pool), body));
  ARROW_RETURN_NOT_OK(CheckBatch(*batch));
  std::shared_ptr<arrow::ArrayData>& values = values_[info.dictionary_id];
  if (info.is_delta) {
    if (values == nullptr) {
      return arrow::Status::Invalid("dictionary ", info.dictionary_id,
                                    " is continued before it has begun");
    }
    ARROW_ASSIGN_OR_RAISE(const auto joined,
                          arrow::Concatenate({arrow::MakeArray(values), batch->column(0)}, pool));
    values = joined->data();
  } else {
    values = batch->column(0)->data();
  }
  return arrow::Status::OK();
}

arrow::Status IpcDictionaries::FillMemo(arrow::ipc::DictionaryMemo* memo) const {
  if (wanted_.empty()) {
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto message,
                        arrow::ipc::Message::Open(schema_->metadata_, /*body=*/nullptr));
  ARROW_RETURN_NOT_OK(arrow::ipc::ReadSchema(*message, memo).status());
  for (const auto& [id, values] : values_) {
    ARROW_RETURN_NOT_OK(memo->AddDictionary(id, CopyTree(*values)));
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> DecodeIpcBatch(
    const IpcSchema& schema, const arrow::Buffer& metadata, arrow::io::RandomAccessFile* body,
    const std::vector<int>& fields, const IpcDictionaries& dictionaries, arrow::MemoryPool* pool) {
  arrow::ipc::IpcReadOptions options = MakeReadOptions(pool);
  options.included_fields = fields;
  arrow::ipc::DictionaryMemo memo;
  ARROW_RETURN_NOT_OK(dictionaries.FillMemo(&memo));
  ARROW_ASSIGN_OR_RAISE(const auto batch, arrow::ipc::ReadRecordBatch(metadata, schema.stored(),
                                                                      &memo, options, body));
  if (batch->num_columns() != static_cast<int>(fields.size())) {
    return arrow::Status::Invalid("a batch has ", batch->num_columns(), " columns of ",
                                  fields.size());
  }
  ARROW_RETURN_NOT_OK(CheckBatch(*batch));
  return batch;
}

}  // namespace keepone
