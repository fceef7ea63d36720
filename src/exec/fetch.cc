// SPDX-License-Identifier: Apache-2.0
#include "exec/fetch.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/check.h"
#include "column/row_bytes.h"
#include "exec/batch_map.h"
#include "exec/breaker.h"
#include "exec/held_rows.h"
#include "exec/keep_spec.h"
#include "exec/metrics.h"
#include "exec/ordered_reader.h"
#include "exec/single_morsel.h"

namespace keepone {

namespace {

// The input's rows, sorted by address.
struct Narrow {
  std::shared_ptr<arrow::Int64Array> addresses;  // ascending
  arrow::RecordBatchVector batches;              // the columns that are given, in input order
  std::unique_ptr<RowOrder> order;               // by address; nullptr: as they stand
  std::vector<int64_t> places;                   // input row of each address; empty: as they stand
  std::unique_ptr<MemoryReservation> places_reserved;
};

// Zips the narrow rows, in address order, with the fetched ones as they come.
class ZipStream final : public SingleMorselStream {
 public:
  ZipStream(QueryContext* context, std::shared_ptr<arrow::Schema> schema,
            std::unique_ptr<BatchStream> narrow, std::unique_ptr<BatchStream> fetched)
      : schema_(std::move(schema)),
        narrow_(std::move(narrow)),
        fetched_(MakeOrderedReader(context, std::move(fetched))) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  arrow::Status Prepare() override { return narrow_->Prepare(); }

 protected:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch() override {
    if (wide_ == nullptr) {
      ARROW_RETURN_NOT_OK(fetched_->ReadNext(&wide_));
    }
    ARROW_RETURN_NOT_OK(ReadNarrow());
    if (wide_ == nullptr || part_ == nullptr) {
      KEEPONE_CHECK(wide_ == nullptr && part_ == nullptr, "rows fetched are not those asked for");
      return nullptr;
    }
    const int64_t rows = std::min(wide_->num_rows(), part_->num_rows());
    arrow::ArrayVector columns = part_->Slice(0, rows)->columns();
    const arrow::ArrayVector fetched = wide_->Slice(0, rows)->columns();
    columns.insert(columns.end(), fetched.begin(), fetched.end());
    wide_ = rows == wide_->num_rows() ? nullptr : wide_->Slice(rows);
    part_ = rows == part_->num_rows() ? nullptr : part_->Slice(rows);
    return arrow::RecordBatch::Make(schema_, rows, std::move(columns));
  }

 private:
  arrow::Status ReadNarrow() {
    while (part_ == nullptr) {
      if (morsel_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(morsel_, narrow_->NextMorsel());
        if (morsel_ == nullptr) {
          break;
        }
      }
      ARROW_ASSIGN_OR_RAISE(part_, morsel_->Next());
      if (part_ == nullptr) {
        morsel_.reset();
      }
    }
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<BatchStream> narrow_;
  std::shared_ptr<arrow::RecordBatchReader> fetched_;
  std::unique_ptr<Morsel> morsel_;
  std::shared_ptr<arrow::RecordBatch> part_;  // what is left of a narrow batch
  std::shared_ptr<arrow::RecordBatch> wide_;  // what is left of a fetched batch
};

class FetchRun {
 public:
  FetchRun(QueryContext* context, FetchSpec spec, std::shared_ptr<arrow::Schema> schema,
           std::shared_ptr<SourceCounters> counters)
      : context_(context),
        spec_(std::move(spec)),
        schema_(std::move(schema)),
        counters_(std::move(counters)) {}

  arrow::Result<std::unique_ptr<BatchStream>> Run(BatchStream& input) {
    ARROW_ASSIGN_OR_RAISE(arrow::RecordBatchVector batches, CollectInOrder(context_, input));
    return Start(std::move(batches));
  }

  // The rows of these batches of the input.
  // `goes_on_behind` as in FetchRequest.
  arrow::Result<std::unique_ptr<BatchStream>> Start(arrow::RecordBatchVector batches,
                                                    int64_t goes_on_behind = -1) {
    ARROW_ASSIGN_OR_RAISE(Narrow narrow, MakeNarrow(std::move(batches)));
    FetchRequest request;
    request.goes_on_behind = goes_on_behind;
    request.columns = spec_.fields;
    request.addresses = narrow.addresses;
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<BatchStream> fetched,
                          spec_.source->Fetch(context_, std::move(request), counters_));
    if (spec_.keeps_input_order && !narrow.places.empty()) {
      return GiveInInputOrder(std::move(narrow), *fetched);
    }
    if (spec_.input_columns.empty()) {
      std::vector<int> all(spec_.fields.size());
      std::iota(all.begin(), all.end(), 0);
      return MakeSelectColumns(context_, std::move(fetched), std::move(all), schema_);
    }
    HeldRows rows;
    rows.batches = std::move(narrow.batches);
    rows.order = std::move(narrow.order);
    std::unique_ptr<BatchStream> held = MakeHeldRows(context_, NarrowSchema(), std::move(rows));
    return std::make_unique<ZipStream>(context_, schema_, std::move(held), std::move(fetched));
  }

 private:
  std::shared_ptr<arrow::Schema> NarrowSchema() const {
    const arrow::FieldVector& fields = schema_->fields();
    const auto count = static_cast<std::ptrdiff_t>(spec_.input_columns.size());
    return arrow::schema(arrow::FieldVector(fields.begin(), fields.begin() + count));
  }

  arrow::Result<Narrow> MakeNarrow(arrow::RecordBatchVector batches) {
    Narrow narrow;
    arrow::ArrayVector parts;
    for (const auto& batch : batches) {
      parts.push_back(batch->column(spec_.address));
    }
    if (parts.empty()) {
      ARROW_ASSIGN_OR_RAISE(auto none, arrow::MakeEmptyArray(arrow::int64(), context_->pool()));
      parts.push_back(std::move(none));
    }
    ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate(parts, context_->pool()));
    parts.clear();
    narrow.addresses = std::static_pointer_cast<arrow::Int64Array>(all);
    NoteBytesHeld(TotalBytes(batches) + narrow.addresses->length() * 8);
    for (auto& batch : batches) {
      narrow.batches.push_back(arrow::RecordBatch::Make(
          NarrowSchema(), batch->num_rows(), SelectColumns(*batch, spec_.input_columns)));
      batch.reset();
    }
    ARROW_RETURN_NOT_OK(SortByAddress(&narrow));
    return narrow;
  }

  arrow::Status SortByAddress(Narrow* narrow) {
    const std::span addresses(narrow->addresses->raw_values(),
                              static_cast<size_t>(narrow->addresses->length()));
    if (std::is_sorted(addresses.begin(), addresses.end())) {
      return arrow::Status::OK();
    }
    const int64_t rows = narrow->addresses->length();
    narrow->places_reserved = std::make_unique<MemoryReservation>(context_->budget());
    ARROW_RETURN_NOT_OK(narrow->places_reserved->Resize(rows * 8));
    narrow->places.resize(static_cast<size_t>(rows));
    std::iota(narrow->places.begin(), narrow->places.end(), int64_t{0});
    std::sort(narrow->places.begin(), narrow->places.end(), [&](int64_t a, int64_t b) {
      return addresses[static_cast<size_t>(a)] < addresses[static_cast<size_t>(b)];
    });
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> sorted,
                          arrow::AllocateBuffer(rows * 8, context_->pool()));
    auto* out = reinterpret_cast<int64_t*>(sorted->mutable_data());
    for (const int64_t place : narrow->places) {
      *out++ = addresses[static_cast<size_t>(place)];
    }
    if (!spec_.keeps_input_order && !spec_.input_columns.empty()) {
      ARROW_ASSIGN_OR_RAISE(narrow->order, OrderOf(narrow->batches, narrow->places));
    }
    narrow->addresses = std::make_shared<arrow::Int64Array>(rows, std::move(sorted));
    return arrow::Status::OK();
  }

  // The rows at `places`, counted over all batches.
  arrow::Result<std::unique_ptr<RowOrder>> OrderOf(const arrow::RecordBatchVector& batches,
                                                   const std::vector<int64_t>& places) {
    std::vector<int64_t> first_rows;
    int64_t rows = 0;
    for (const auto& batch : batches) {
      first_rows.push_back(rows);
      rows += batch->num_rows();
    }
    auto order = std::make_unique<RowOrder>(context_->budget());
    ARROW_RETURN_NOT_OK(order->Resize(static_cast<int64_t>(places.size())));
    for (size_t i = 0; i < places.size(); ++i) {
      const auto after = std::upper_bound(first_rows.begin(), first_rows.end(), places[i]);
      const auto batch = static_cast<size_t>(after - first_rows.begin()) - 1;
      order->refs()[i] = {static_cast<uint32_t>(batch),
                          static_cast<uint32_t>(places[i] - first_rows[batch])};
    }
    return order;
  }

  arrow::Result<std::unique_ptr<BatchStream>> GiveInInputOrder(Narrow narrow,
                                                               BatchStream& fetched) {
    HeldRows wide;
    ARROW_ASSIGN_OR_RAISE(wide.batches, CollectInOrder(context_, fetched));
    NoteBytesHeld(TotalBytes(wide.batches) + TotalBytes(narrow.batches));
    std::vector<int64_t> ranks(narrow.places.size());
    MemoryReservation ranks_reserved(context_->budget());
    ARROW_RETURN_NOT_OK(ranks_reserved.Resize(static_cast<int64_t>(ranks.size()) * 8));
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      ranks[static_cast<size_t>(narrow.places[rank])] = static_cast<int64_t>(rank);
    }
    int64_t rows = 0;
    for (const auto& batch : wide.batches) {
      rows += batch->num_rows();
    }
    KEEPONE_CHECK(rows == narrow.addresses->length(), "rows fetched are not those asked for");
    ARROW_ASSIGN_OR_RAISE(wide.order, OrderOf(wide.batches, ranks));
    const arrow::FieldVector& fields = schema_->fields();
    const auto count = static_cast<std::ptrdiff_t>(spec_.input_columns.size());
    auto wide_schema = arrow::schema(arrow::FieldVector(fields.begin() + count, fields.end()));
    std::unique_ptr<BatchStream> wide_stream =
        MakeHeldRows(context_, std::move(wide_schema), std::move(wide));
    if (count == 0) {
      return wide_stream;
    }
    HeldRows held;
    held.batches = std::move(narrow.batches);
    std::unique_ptr<BatchStream> narrow_stream =
        MakeHeldRows(context_, NarrowSchema(), std::move(held));
    return std::make_unique<ZipStream>(context_, schema_, std::move(narrow_stream),
                                       std::move(wide_stream));
  }

  QueryContext* context_;
  FetchSpec spec_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<SourceCounters> counters_;
};

// Reads an input in address order part by part and fetches each as a stream of its own, begun when
// the one before it has no more morsels to hand out.
class FetchInParts final : public BatchStream {
 public:
  FetchInParts(QueryContext* context, std::unique_ptr<BatchStream> input, FetchSpec spec,
               std::shared_ptr<arrow::Schema> schema, std::shared_ptr<SourceCounters> counters)
      : context_(context),
        spec_(std::move(spec)),
        schema_(std::move(schema)),
        counters_(std::move(counters)),
        input_(MakeOrderedReader(context, std::move(input))) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Status Prepare() override { return BeginPart(); }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const std::lock_guard lock(mutex_);
    while (part_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(std::unique_ptr<Morsel> morsel, part_->NextMorsel());
      if (morsel != nullptr) {
        return std::make_unique<PartMorsel>(part_, std::move(morsel));
      }
      ARROW_RETURN_NOT_OK(BeginPart());
    }
    return nullptr;
  }

 private:
  // Keeps the stream of its part alive.
  class PartMorsel final : public Morsel {
   public:
    PartMorsel(std::shared_ptr<BatchStream> part, std::unique_ptr<Morsel> morsel)
        : part_(std::move(part)), morsel_(std::move(morsel)) {}
    arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override { return morsel_->Next(); }

   private:
    std::shared_ptr<BatchStream> part_;
    std::unique_ptr<Morsel> morsel_;
  };

  // So large that the pages at its ends, which are read twice, do not matter.
  int64_t PartBytesMax() const {
    constexpr int64_t kPartBytesMax = int64_t{8} << 20;
    const int64_t limit = context_->memory_bytes_max();
    if (context_->force_spill()) {
      return 1;
    }
    return limit < 0 ? kPartBytesMax : std::min(kPartBytesMax, limit / 64);
  }

  arrow::Status BeginPart() {
    part_.reset();
    arrow::RecordBatchVector batches;
    for (int64_t bytes = 0; bytes < PartBytesMax();) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(input_->ReadNext(&batch));
      if (batch == nullptr) {
        break;
      }
      bytes += BatchBytes(*batch);
      batches.push_back(std::move(batch));
    }
    if (batches.empty()) {
      return arrow::Status::OK();
    }
    const int64_t goes_on_behind = last_address_;
    ARROW_RETURN_NOT_OK(CheckOrder(batches));
    FetchRun run(context_, spec_, schema_, counters_);
    ARROW_ASSIGN_OR_RAISE(part_, run.Start(std::move(batches), goes_on_behind));
    return part_->Prepare();
  }

  arrow::Status CheckOrder(const arrow::RecordBatchVector& batches) {
    for (const auto& batch : batches) {
      const auto& addresses =
          arrow::internal::checked_cast<const arrow::Int64Array&>(*batch->column(spec_.address));
      for (int64_t i = 0; i < addresses.length(); ++i) {
        KEEPONE_CHECK(addresses.Value(i) > last_address_, "addresses to fetch do not ascend");
        last_address_ = addresses.Value(i);
      }
    }
    return arrow::Status::OK();
  }

  QueryContext* const context_;
  const FetchSpec spec_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::shared_ptr<SourceCounters> counters_;
  const std::shared_ptr<arrow::RecordBatchReader> input_;
  std::mutex mutex_;
  std::shared_ptr<BatchStream> part_;  // nullptr: all have been fetched
  int64_t last_address_ = -1;
};

}  // namespace

std::unique_ptr<BatchStream> MakeFetch(QueryContext* context, std::unique_ptr<BatchStream> input,
                                       FetchSpec spec, std::shared_ptr<arrow::Schema> schema,
                                       std::shared_ptr<SourceCounters> counters) {
  if (spec.input_in_address_order) {
    return std::make_unique<FetchInParts>(context, std::move(input), std::move(spec),
                                          std::move(schema), std::move(counters));
  }
  auto run = std::make_shared<FetchRun>(context, std::move(spec), schema, std::move(counters));
  return MakeBreaker(std::move(input), std::move(schema),
                     [run](BatchStream& narrow) { return run->Run(narrow); });
}

}  // namespace keepone
