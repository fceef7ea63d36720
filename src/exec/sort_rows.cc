// SPDX-License-Identifier: Apache-2.0
#include "exec/sort_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <string_view>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "column/key_encoder.h"
#include "column/row_bytes.h"
#include "exec/keep_spec.h"
#include "exec/metrics.h"
#include "exec/worker.h"

namespace keepone {

namespace {

constexpr int64_t kRunRowsMin = 4096;
constexpr int64_t kPrefixBytes = 8;

// A row with the beginning of its key, which decides most comparisons.
struct Entry {
  uint64_t prefix;
  RowPlace ref;
};

uint64_t PrefixOf(std::string_view key) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < kPrefixBytes; ++i) {
    prefix = (prefix << 8) | (i < key.size() ? static_cast<uint8_t>(key[i]) : 0u);
  }
  return prefix;
}

class RowSorter {
 public:
  RowSorter(QueryContext* context, const arrow::RecordBatchVector& batches,
            const std::vector<OrderColumn>& keys)
      : context_(context),
        batches_(batches),
        columns_(ColumnsOf(keys)),
        reserved_(context->budget()) {
    if (!batches.empty()) {
      fields_ = KeyFieldsOf(keys, *batches[0]->schema());
    }
  }

  arrow::Status Sort(RowOrder* order) {
    const int64_t rows = order->size();
    ARROW_RETURN_NOT_OK(reserved_.Resize(rows * static_cast<int64_t>(sizeof(Entry))));
    entries_.resize(static_cast<size_t>(rows));
    ARROW_RETURN_NOT_OK(Encode());
    const int64_t run_count =
        std::clamp<int64_t>(rows / kRunRowsMin, 1, static_cast<int64_t>(context_->threads()));
    const auto bound = [&](int64_t run) { return entries_.begin() + rows * run / run_count; };
    const auto less = [this](const Entry& a, const Entry& b) { return Less(a, b); };
    const auto sort_run = [&](int64_t run) -> arrow::Status {
      for (auto at = bound(run); at != bound(run + 1); ++at) {
        at->ref = order->refs()[static_cast<size_t>(at - entries_.begin())];
        at->prefix = Prefix(at->ref);
      }
      std::stable_sort(bound(run), bound(run + 1), less);
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(ForEachTask(context_, run_count, sort_run));
    for (int64_t width = 1; width < run_count; width *= 2) {
      const auto merge = [&](int64_t pair) -> arrow::Status {
        const int64_t middle = std::min(pair * 2 * width + width, run_count);
        std::inplace_merge(bound(pair * 2 * width), bound(middle),
                           bound(std::min(middle + width, run_count)), less);
        return arrow::Status::OK();
      };
      ARROW_RETURN_NOT_OK(ForEachTask(context_, (run_count + 2 * width - 1) / (2 * width), merge));
    }
    for (size_t i = 0; i < entries_.size(); ++i) {
      order->refs()[i] = entries_[i].ref;
    }
    return arrow::Status::OK();
  }

  std::vector<uint8_t> FindBegins() const {
    std::vector<uint8_t> begins(entries_.size(), 1);
    for (size_t i = 1; i < entries_.size(); ++i) {
      begins[i] = Less(entries_[i - 1], entries_[i]) ? 1 : 0;
    }
    return begins;
  }

 private:
  arrow::Status Encode() {
    if (columns_.empty()) {
      return arrow::Status::OK();
    }
    keys_.resize(batches_.size());
    const auto encode = [&](int64_t index) -> arrow::Status {
      const auto at = static_cast<size_t>(index);
      ARROW_ASSIGN_OR_RAISE(auto encoder, KeyEncoder::Make(fields_));
      keys_[at] = std::make_unique<EncodedKeys>(context_->pool());
      return encoder->Encode(SelectColumns(*batches_[at], columns_), keys_[at].get());
    };
    return ForEachTask(context_, static_cast<int64_t>(batches_.size()), encode);
  }

  std::string_view Key(RowPlace ref) const {
    return (*keys_[ref.batch])[static_cast<int64_t>(ref.row)];
  }
  uint64_t Prefix(RowPlace ref) const { return columns_.empty() ? 0 : PrefixOf(Key(ref)); }

  bool Less(const Entry& a, const Entry& b) const {
    if (a.prefix != b.prefix) {
      return a.prefix < b.prefix;
    }
    return !columns_.empty() && Key(a.ref) < Key(b.ref);
  }

  QueryContext* context_;
  const arrow::RecordBatchVector& batches_;
  std::vector<int> columns_;
  std::vector<KeyField> fields_;
  MemoryReservation reserved_;
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<EncodedKeys>> keys_;
};

}  // namespace

std::vector<KeyField> KeyFieldsOf(const std::vector<OrderColumn>& keys,
                                  const arrow::Schema& schema) {
  std::vector<KeyField> fields;
  for (const OrderColumn& key : keys) {
    fields.push_back({schema.field(key.column)->type(), key.descending, key.nulls_first});
  }
  return fields;
}

std::vector<int> ColumnsOf(const std::vector<OrderColumn>& keys) {
  std::vector<int> columns;
  for (const OrderColumn& key : keys) {
    columns.push_back(key.column);
  }
  return columns;
}

int64_t EncodedKeyBytes(const arrow::RecordBatch& batch, const std::vector<int>& columns) {
  int64_t bytes = 0;
  for (const int column : columns) {
    // A byte for NULL, and up to a quarter more where bytes of strings are escaped.
    bytes += RowBytes(*batch.column_data(column), 0, batch.num_rows()) * 5 / 4 + batch.num_rows();
  }
  return bytes;
}

arrow::Status ReferToAllRows(const arrow::RecordBatchVector& batches, RowOrder* order) {
  int64_t rows = 0;
  for (const auto& batch : batches) {
    rows += batch->num_rows();
  }
  ARROW_RETURN_NOT_OK(order->Resize(rows));
  size_t next = 0;
  for (size_t batch = 0; batch < batches.size(); ++batch) {
    for (int64_t row = 0; row < batches[batch]->num_rows(); ++row) {
      order->refs()[next++] = {static_cast<uint32_t>(batch), static_cast<uint32_t>(row)};
    }
  }
  return arrow::Status::OK();
}

arrow::Status SortRows(QueryContext* context, const arrow::RecordBatchVector& batches,
                       const std::vector<OrderColumn>& keys, RowOrder* order,
                       std::vector<uint8_t>* begins) {
  RowSorter sorter(context, batches, keys);
  ARROW_RETURN_NOT_OK(sorter.Sort(order));
  if (begins != nullptr) {
    *begins = sorter.FindBegins();
  }
  return arrow::Status::OK();
}

}  // namespace keepone
