// SPDX-License-Identifier: Apache-2.0
#include "column/winner_state.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/key_value_metadata.h>

#include "base/error.h"
#include "column/winner_order.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;

constexpr int64_t kStreamRows = 1 << 16;
constexpr int64_t kStreamBytes = 4 << 20;

std::string DescribeKeys(const std::vector<KeyField>& fields) {
  std::string text = "[";
  for (const KeyField& field : fields) {
    text += text.size() > 1 ? ", " : "";
    text += field.type->ToString(/*show_metadata=*/true);
    text += field.descending ? " desc" : " asc";
    text += field.nulls_first ? " nulls first" : " nulls last";
  }
  return text + "]";
}

std::shared_ptr<arrow::DataType> TypeOf(KeyForm form, int32_t width) {
  switch (form) {
    case KeyForm::kUInt64:
      return arrow::uint64();
    case KeyForm::kFixed:
      return arrow::fixed_size_binary(width);
    default:
      return arrow::large_binary();
  }
}

std::shared_ptr<arrow::Schema> SchemaOf(const WinnerSpec& spec, const WinnerBlocks& block) {
  arrow::FieldVector fields;
  const auto add = [&fields](const char* name, KeyForm form, int32_t width) {
    if (form != KeyForm::kNone) {
      fields.push_back(arrow::field(name, TypeOf(form, width), form == KeyForm::kUInt64));
    }
  };
  add("group", block.group_form(), block.group_width());
  add("order", block.order_form(), block.order_width());
  fields.push_back(arrow::field("address", arrow::int64(), /*nullable=*/false));
  return arrow::schema(std::move(fields),
                       arrow::key_value_metadata({kWinnerStateVersionKey, kWinnerStateSpecKey},
                                                 {kWinnerStateVersion, DescribeWinnerSpec(spec)}));
}

// A column of encoded keys that is being written.
class KeyColumn {
 public:
  KeyColumn(KeyForm form, int32_t width, arrow::MemoryPool* pool)
      : form_(form), integers_(pool), fixed_(arrow::fixed_size_binary(width), pool), bytes_(pool) {}

  arrow::Status Append(const KeyBlock& block, size_t row, bool null) {
    switch (form_) {
      case KeyForm::kNone:
        return arrow::Status::OK();
      case KeyForm::kUInt64:
        return null ? integers_.AppendNull() : integers_.Append(block.values[row]);
      case KeyForm::kFixed:
        return fixed_.Append(block.data[row]);
      case KeyForm::kBytes:
        return bytes_.Append(block.data[row], static_cast<int64_t>(block.lengths[row]));
    }
    return arrow::Status::OK();
  }

  int64_t bytes() const { return form_ == KeyForm::kBytes ? bytes_.value_data_length() : 0; }

  // Adds the column to `columns`.
  arrow::Status Finish(arrow::ArrayVector* columns) {
    if (form_ == KeyForm::kNone) {
      return arrow::Status::OK();
    }
    arrow::ArrayBuilder* builder = &bytes_;
    if (form_ == KeyForm::kUInt64) {
      builder = &integers_;
    } else if (form_ == KeyForm::kFixed) {
      builder = &fixed_;
    }
    columns->emplace_back();
    return builder->Finish(&columns->back());
  }

 private:
  KeyForm form_;
  arrow::UInt64Builder integers_;
  arrow::FixedSizeBinaryBuilder fixed_;
  arrow::LargeBinaryBuilder bytes_;
};

// Whether the order key of a row is NULL, which its tie word tells; see WinnerBlocks::RankNulls.
bool IsNullOrder(const WinnerSpec& spec, uint64_t tie) {
  return ((tie & kRankBit) != 0) != spec.order_keys[0].nulls_first;
}

void LoadKeys(const arrow::Array& column, KeyForm form, int64_t offset, int64_t rows,
              KeyBlock* block) {
  const auto count = static_cast<size_t>(rows);
  if (form == KeyForm::kUInt64) {
    block->has_nulls = EncodeUInt64(*column.data(), /*descending=*/false, offset, rows,
                                    block->values.data(), block->nulls.data());
  } else if (form == KeyForm::kFixed) {
    const auto& values = checked_cast<const arrow::FixedSizeBinaryArray&>(column);
    for (size_t i = 0; i < count; ++i) {
      block->data[i] = values.GetValue(offset + static_cast<int64_t>(i));
      block->lengths[i] = static_cast<uint32_t>(values.byte_width());
    }
  } else if (form == KeyForm::kBytes) {
    const auto& values = checked_cast<const arrow::LargeBinaryArray&>(column);
    for (size_t i = 0; i < count; ++i) {
      int64_t length = 0;
      block->data[i] = values.GetValue(offset + static_cast<int64_t>(i), &length);
      block->lengths[i] = static_cast<uint32_t>(length);
    }
  }
}

arrow::Status CheckKeys(const arrow::Array& column, KeyForm form, const char* name) {
  if (form != KeyForm::kUInt64 && column.null_count() > 0) {
    return DataError("not a valid winner state: column \"", name, "\" has NULLs");
  }
  if (form == KeyForm::kBytes) {
    const auto& values = checked_cast<const arrow::LargeBinaryArray&>(column);
    for (int64_t i = 0; i < values.length(); ++i) {
      if (values.value_length(i) > std::numeric_limits<int32_t>::max()) {
        return DataError("not a valid winner state: a key in column \"", name,
                         "\" is longer than 2 GiB");
      }
    }
  }
  return arrow::Status::OK();
}

}  // namespace

std::string DescribeWinnerSpec(const WinnerSpec& spec) {
  std::string text = "group " + DescribeKeys(spec.group_keys);
  text += ", order " + DescribeKeys(spec.order_keys) + ", ";
  switch (spec.rule) {
    case KeepRule::kRowNumber:
      text += "row_number";
      break;
    case KeepRule::kRank:
      text += "rank";
      break;
    case KeepRule::kDenseRank:
      text += "dense_rank";
      break;
  }
  text += ", n " + std::to_string(spec.n);
  text += spec.last_wins ? ", last of ties" : ", first of ties";
  text += spec.group_count_max < 0 ? ", all groups"
                                   : ", first " + std::to_string(spec.group_count_max) + " groups";
  return text;
}

arrow::Result<std::shared_ptr<arrow::Schema>> MakeWinnerStateSchema(const WinnerSpec& spec) {
  ARROW_ASSIGN_OR_RAISE(const auto block, WinnerBlocks::Make(spec, arrow::default_memory_pool()));
  return SchemaOf(spec, *block);
}

arrow::Status VisitWinnerState(
    const WinnerSpec& spec, WinnerTable* table, int64_t rows_max, int64_t bytes_max,
    arrow::MemoryPool* pool,
    const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& visit) {
  ARROW_ASSIGN_OR_RAISE(const auto forms, WinnerBlocks::Make(spec, pool));
  const std::shared_ptr<arrow::Schema> schema = SchemaOf(spec, *forms);
  KeyColumn groups(forms->group_form(), forms->group_width(), pool);
  KeyColumn orders(forms->order_form(), forms->order_width(), pool);
  arrow::Int64Builder addresses(pool);
  const auto flush = [&]() -> arrow::Status {
    const int64_t rows = addresses.length();
    if (rows == 0) {
      return arrow::Status::OK();
    }
    arrow::ArrayVector columns;
    ARROW_RETURN_NOT_OK(groups.Finish(&columns));
    ARROW_RETURN_NOT_OK(orders.Finish(&columns));
    columns.emplace_back();
    ARROW_RETURN_NOT_OK(addresses.Finish(&columns.back()));
    return visit(arrow::RecordBatch::Make(schema, rows, std::move(columns)));
  };
  const bool has_null_groups = forms->group_form() == KeyForm::kUInt64;
  const bool has_null_orders = forms->order_form() == KeyForm::kUInt64;
  ARROW_RETURN_NOT_OK(table->ReadBack([&](const WinnerBlocks& block, int64_t rows) {
    for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
      const uint64_t tie = block.ties[i];
      const bool null_group =
          has_null_groups && block.groups.has_nulls && block.groups.nulls[i] != 0;
      const bool null_order = has_null_orders && IsNullOrder(spec, tie);
      ARROW_RETURN_NOT_OK(groups.Append(block.groups, i, null_group));
      ARROW_RETURN_NOT_OK(orders.Append(block.orders, i, null_order));
      ARROW_RETURN_NOT_OK(
          addresses.Append(static_cast<int64_t>(AddressOfTie(tie, spec.last_wins))));
      if (addresses.length() >= rows_max || groups.bytes() + orders.bytes() >= bytes_max) {
        ARROW_RETURN_NOT_OK(flush());
      }
    }
    return arrow::Status::OK();
  }));
  return flush();
}

arrow::Status WriteWinnerState(const WinnerSpec& spec, WinnerTable* table,
                               arrow::io::OutputStream* stream, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto schema, MakeWinnerStateSchema(spec));
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.memory_pool = pool;
  ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeStreamWriter(stream, schema, options));
  ARROW_RETURN_NOT_OK(VisitWinnerState(
      spec, table, kStreamRows, kStreamBytes, pool,
      [&](const std::shared_ptr<arrow::RecordBatch>& b) { return writer->WriteRecordBatch(*b); }));
  return writer->Close();
}

WinnerStateReader::WinnerStateReader(WinnerSpec spec, std::shared_ptr<arrow::Schema> schema,
                                     std::unique_ptr<WinnerBlocks> block, arrow::MemoryPool* pool)
    : spec_(std::move(spec)), schema_(std::move(schema)), block_(std::move(block)), pool_(pool) {}

arrow::Result<std::unique_ptr<WinnerStateReader>> WinnerStateReader::Make(const WinnerSpec& spec,
                                                                          arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto block, WinnerBlocks::Make(spec, pool));
  auto schema = SchemaOf(spec, *block);
  return std::unique_ptr<WinnerStateReader>(
      new WinnerStateReader(spec, std::move(schema), std::move(block), pool));
}

arrow::Status WinnerStateReader::Check(const arrow::Schema& schema) const {
  const auto value = [&schema](const char* key) -> std::string {
    if (schema.metadata() == nullptr) {
      return "";
    }
    return schema.metadata()->Get(key).ValueOr("");
  };
  const std::string version = value(kWinnerStateVersionKey);
  if (version.empty()) {
    return DataError("not a winner state: its schema does not tell \"", kWinnerStateVersionKey,
                     "\"");
  }
  if (version != kWinnerStateVersion) {
    return DataError("a winner state of version ", version, " cannot be read, only one of version ",
                     kWinnerStateVersion);
  }
  const std::string expected = DescribeWinnerSpec(spec_);
  if (value(kWinnerStateSpecKey) != expected) {
    return DataError("the winner state is for other winners: it has ", value(kWinnerStateSpecKey),
                     "; wanted is ", expected);
  }
  if (schema.num_fields() < schema_->num_fields()) {
    return DataError("not a valid winner state: it has ", schema.num_fields(), " columns, not ",
                     schema_->num_fields());
  }
  for (int i = 0; i < schema_->num_fields(); ++i) {
    const arrow::Field& field = *schema.field(i);
    const arrow::Field& wanted = *schema_->field(i);
    if (field.name() != wanted.name() || !field.type()->Equals(*wanted.type())) {
      return DataError("not a valid winner state: column ", i + 1, " is ", field.name(), " ",
                       field.type()->ToString(), ", not ", wanted.name(), " ",
                       wanted.type()->ToString());
    }
  }
  return arrow::Status::OK();
}

arrow::Status WinnerStateReader::CheckValues(const arrow::RecordBatch& batch) const {
  int column = 0;
  if (block_->group_form() != KeyForm::kNone) {
    ARROW_RETURN_NOT_OK(CheckKeys(*batch.column(column++), block_->group_form(), "group"));
  }
  if (block_->order_form() != KeyForm::kNone) {
    ARROW_RETURN_NOT_OK(CheckKeys(*batch.column(column++), block_->order_form(), "order"));
  }
  const auto& addresses = checked_cast<const arrow::Int64Array&>(*batch.column(column));
  const int64_t* values = addresses.raw_values();
  if (addresses.null_count() > 0 ||
      std::any_of(values, values + addresses.length(), [](int64_t a) { return a < 0; })) {
    return DataError("not a valid winner state: an address is NULL or negative");
  }
  return arrow::Status::OK();
}

void WinnerStateReader::LoadBlock(const arrow::RecordBatch& batch, int64_t offset, int64_t rows) {
  int column = 0;
  if (block_->group_form() != KeyForm::kNone) {
    LoadKeys(*batch.column(column++), block_->group_form(), offset, rows, &block_->groups);
  }
  if (block_->order_form() != KeyForm::kNone) {
    LoadKeys(*batch.column(column++), block_->order_form(), offset, rows, &block_->orders);
  }
  const auto& addresses = checked_cast<const arrow::Int64Array&>(*batch.column(column));
  block_->FillTies(addresses.raw_values() + offset, rows);
  block_->Hash(rows);
}

arrow::Status WinnerStateReader::Consume(const arrow::RecordBatch& batch, uint32_t partition,
                                         uint32_t partition_count, WinnerTable* table) {
  ARROW_RETURN_NOT_OK(CheckValues(batch));
  std::array<uint16_t, kBlockRows> selected;
  for (int64_t offset = 0; offset < batch.num_rows(); offset += kBlockRows) {
    const int64_t rows = std::min(batch.num_rows() - offset, kBlockRows);
    LoadBlock(batch, offset, rows);
    size_t count = 0;
    for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
      selected[count] = static_cast<uint16_t>(i);
      const bool taken = partition_count == 1 ||
                         HashPartition(block_->groups.hashes[i], partition_count) == partition;
      count += taken ? size_t{1} : size_t{0};
    }
    ARROW_RETURN_NOT_OK(table->ConsumeBlock(*block_, {selected.data(), count}));
  }
  return arrow::Status::OK();
}

arrow::Status WinnerStateReader::ConsumeStream(arrow::io::InputStream* stream, WinnerTable* table) {
  const auto unreadable = [](const arrow::Status& status) {
    // Memory that runs out says so itself.
    return status.IsOutOfMemory() || status.detail() != nullptr
               ? status
               : DataError("cannot read the winner state: ", status.message());
  };
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = pool_;
  auto reader = arrow::ipc::RecordBatchStreamReader::Open(stream, options);
  if (!reader.ok()) {
    return unreadable(reader.status());
  }
  ARROW_RETURN_NOT_OK(Check(*(*reader)->schema()));
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    arrow::Status status = (*reader)->ReadNext(&batch);
    if (status.ok() && batch != nullptr) {
      status = batch->ValidateFull();
    }
    if (!status.ok()) {
      return unreadable(status);
    }
    if (batch == nullptr) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(Consume(*batch, 0, 1, table));
  }
}

}  // namespace keepone
