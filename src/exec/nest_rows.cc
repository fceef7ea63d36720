// SPDX-License-Identifier: Apache-2.0
#include "exec/nest_rows.h"

#include <cstdint>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "column/gather.h"
#include "exec/ordered_reader.h"
#include "exec/single_morsel.h"
#include "function/list_kernels.h"

namespace keepone {

namespace {

class NestStream final : public SingleMorselStream {
 public:
  NestStream(QueryContext* context, std::unique_ptr<BatchStream> input, NestSpec spec,
             std::shared_ptr<arrow::Schema> schema)
      : context_(context),
        spec_(std::move(spec)),
        schema_(std::move(schema)),
        input_schema_(input->schema()),
        reader_(MakeOrderedReader(context, std::move(input))) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

 protected:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch() override {
    while (!at_end_) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(reader_->ReadNext(&batch));
      if (batch == nullptr) {
        at_end_ = true;
        ARROW_RETURN_NOT_OK(reader_->Close());
        return open_.empty() ? nullptr : NestOpen();
      }
      const int64_t last = LastAddressBegin(*batch);
      if (last == 0 && (open_.empty() || AddressAt(*open_.back(), 0) == AddressAt(*batch, 0))) {
        open_.push_back(std::move(batch));  // one address all along
        continue;
      }
      if (last > 0) {
        open_.push_back(batch->Slice(0, last));
      }
      auto nested = NestOpen();
      open_ = {batch->Slice(last)};
      return nested;
    }
    return nullptr;
  }

 private:
  const int64_t* Addresses(const arrow::RecordBatch& batch) const {
    return arrow::internal::checked_cast<const arrow::Int64Array&>(*batch.column(spec_.address))
        .raw_values();
  }
  int64_t AddressAt(const arrow::RecordBatch& batch, int64_t row) const {
    return Addresses(batch)[row];
  }

  // The row with which the last address of a batch begins.
  int64_t LastAddressBegin(const arrow::RecordBatch& batch) const {
    const int64_t* addresses = Addresses(batch);
    int64_t row = batch.num_rows() - 1;
    while (row > 0 && addresses[row - 1] == addresses[row]) {
      --row;
    }
    return row;
  }

  // A row for each address of the open rows, which are all there.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NestOpen() {
    ARROW_ASSIGN_OR_RAISE(const auto whole,
                          ConcatenateBatches(input_schema_, open_, context_->pool()));
    open_.clear();
    if (whole.size() != 1) {
      return ResourceError("the rows picked of one row's lists do not fit one batch");
    }
    const arrow::RecordBatch& rows = *whole[0];
    const int64_t* addresses = Addresses(rows);
    arrow::Int64Builder nested_addresses(context_->pool());
    std::vector<int64_t> lengths;
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      if (row == 0 || addresses[row] != addresses[row - 1]) {
        ARROW_RETURN_NOT_OK(nested_addresses.Append(addresses[row]));
        lengths.push_back(0);
      }
      ++lengths.back();
    }
    arrow::ArrayVector columns(1);
    ARROW_RETURN_NOT_OK(nested_addresses.Finish(columns.data()));
    for (size_t i = 0; i < spec_.values.size(); ++i) {
      const auto& type = schema_->field(static_cast<int>(i) + 1)->type();
      ARROW_ASSIGN_OR_RAISE(
          auto lists, BuildLists(context_->pool(), type, lengths, rows.column(spec_.values[i])));
      columns.push_back(std::move(lists));
    }
    return arrow::RecordBatch::Make(schema_, static_cast<int64_t>(lengths.size()),
                                    std::move(columns));
  }

  QueryContext* context_;
  NestSpec spec_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::Schema> input_schema_;
  std::shared_ptr<arrow::RecordBatchReader> reader_;
  arrow::RecordBatchVector open_;  // rows whose last address may go on in the next batch
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<BatchStream> MakeNestRows(QueryContext* context, std::unique_ptr<BatchStream> input,
                                          NestSpec spec, std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<NestStream>(context, std::move(input), std::move(spec),
                                      std::move(schema));
}

}  // namespace keepone
