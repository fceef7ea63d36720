// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/parquet_stream.h"

#include <fcntl.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/check.h"
#include "io/parquet/page_index.h"
#include "io/parquet/parquet_morsel.h"
#include "io/parquet/pruning.h"
#include "io/parquet/row_range.h"

namespace keepone {

namespace {

// A part of a row group is about this much of decompressed pages: enough to be worth the start of
// a reader and of the pages at its ends, which its neighbours read too; little enough that what is
// ready before its turn stays small.
constexpr int64_t kPartBytesMin = 2 << 20;
constexpr int64_t kPartBytesMax = 32 << 20;
constexpr int64_t kPartsPerThread = 8;

std::shared_ptr<arrow::Schema> MakeStreamSchema(const arrow::Schema& source,
                                                const std::vector<int>& columns,
                                                bool with_addresses) {
  arrow::FieldVector fields;
  for (const int column : columns) {
    fields.push_back(source.field(column));
  }
  if (with_addresses) {
    fields.push_back(arrow::field(kRowAddressName, arrow::int64(), /*nullable=*/false));
  }
  return arrow::schema(std::move(fields));
}

// Who reads some of the pages knows which and says so; what the system would read ahead is often
// skipped, and it would not see through several workers at different places of a file.
void AdviseRandomReads(const ParquetFile& file) {
#ifdef POSIX_FADV_RANDOM
  static_cast<void>(::posix_fadvise(file.file()->file_descriptor(), 0, 0, POSIX_FADV_RANDOM));
#else
  static_cast<void>(file);
#endif
}

// Hands out the morsels of row groups, one row group after the other. What rows of a row group are
// wanted, and which row group is next, is up to the class below.
class ParquetStream : public BatchStream {
 public:
  // How much of the columns is read, as far as is known beforehand.
  enum class Reads { kAll, kSome };

  ParquetStream(std::shared_ptr<const ParquetSourceData> source, QueryContext* context, Reads reads,
                std::vector<int> columns, bool with_addresses,
                std::shared_ptr<SourceCounters> counters)
      : source_(std::move(source)),
        context_(context),
        reads_(reads),
        columns_(std::move(columns)),
        with_addresses_(with_addresses),
        schema_(MakeStreamSchema(*source_->schema, columns_, with_addresses)),
        counters_(std::move(counters)),
        sharing_(std::make_shared<MorselSharing>(context, counters_)) {
    int64_t bytes = 0;
    for (const int column : columns_) {
      bytes += source_->column_bytes[static_cast<size_t>(column)];
    }
    part_bytes_ =
        std::clamp(bytes / (kPartsPerThread * context->threads()), kPartBytesMin, kPartBytesMax);
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const std::lock_guard lock(mutex_);
    while (ready_.empty()) {
      ARROW_ASSIGN_OR_RAISE(const bool more, PlanNextGroup());
      if (!more) {
        file_.reset();
        return nullptr;
      }
    }
    MorselRequest request = std::move(ready_.front());
    ready_.pop_front();
    return MakeParquetMorsel(sharing_, std::move(request));
  }

 protected:
  struct Group {
    size_t file = 0;
    int row_group = 0;
  };

  // Adds the morsels of the next row group, if it has any, by AddParts; false when there is none.
  virtual arrow::Result<bool> PlanNextGroup() = 0;

  const ParquetSourceFile& FileOf(const Group& group) const { return source_->files[group.file]; }
  int64_t BaseOf(const Group& group) const {
    return FileOf(group).group_addresses[static_cast<size_t>(group.row_group)];
  }
  int64_t RowsOf(const Group& group) const {
    return FileOf(group).group_addresses[static_cast<size_t>(group.row_group) + 1] - BaseOf(group);
  }

  // The file of the group, open. Groups come file by file: only the last one is kept.
  arrow::Result<std::shared_ptr<const ParquetFile>> OpenFileOf(const Group& group) {
    if (file_ == nullptr || file_number_ != group.file) {
      file_.reset();
      const ParquetSourceFile& file = FileOf(group);
      ARROW_ASSIGN_OR_RAISE(file_, ParquetFile::Open(file.path, context_->pool(), &file.known));
      file_number_ = group.file;
      if (reads_ == Reads::kSome) {
        AdviseRandomReads(*file_);
      }
    }
    return file_;
  }

  std::vector<int> WantedLeaves(const Group& group, const ParquetFile& file) const {
    std::vector<int> leaves;
    for (const int column : columns_) {
      const int field = FileOf(group).fields[static_cast<size_t>(column)];
      if (field >= 0) {
        leaves.insert(leaves.end(), file.leaves(field).begin(), file.leaves(field).end());
      }
    }
    return leaves;
  }

  MorselRequest MakeRequest(const Group& group, std::shared_ptr<const ParquetFile> file,
                            std::shared_ptr<const RowGroupIndex> index) const {
    MorselRequest request;
    request.file = std::move(file);
    request.row_group = group.row_group;
    request.index = std::move(index);
    request.accounted = {0, RowsOf(group)};
    request.address_base = BaseOf(group);
    request.schema = schema_;
    for (const int column : columns_) {
      request.fields.push_back(FileOf(group).fields[static_cast<size_t>(column)]);
    }
    request.with_addresses = with_addresses_;
    return request;
  }

  std::shared_ptr<RowGroupIndex> ReadIndex(const ParquetFile& file, const Group& group,
                                           const std::vector<int>& leaves,
                                           const std::vector<int>& statistics_leaves) const {
    int64_t bytes_read = 0;
    auto index = std::make_shared<RowGroupIndex>(ReadRowGroupIndex(
        file, group.row_group, leaves, statistics_leaves, context_->pool(), &bytes_read));
    counters_->bytes_read.fetch_add(bytes_read, std::memory_order_relaxed);
    return index;
  }

  // Uncompressed, over the leaves.
  static int64_t BytesOf(const ParquetFile& file, const Group& group,
                         const std::vector<int>& leaves) {
    const auto metadata = file.metadata()->RowGroup(group.row_group);
    int64_t bytes = 0;
    for (const int leaf : leaves) {
      bytes += std::max<int64_t>(metadata->ColumnChunk(leaf)->total_uncompressed_size(), 0);
    }
    return bytes;
  }

  // Finds the pages of columns that have no page index, where threads can then share the work. A
  // row group is only cut when the pages of all its columns are known, so one failure ends it.
  void FindMissingPages(const ParquetFile& file, const Group& group, int64_t wanted_rows,
                        std::vector<int> leaves, RowGroupIndex* index) const {
    const double bytes = static_cast<double>(BytesOf(file, group, leaves));
    const double wanted_part =
        static_cast<double>(wanted_rows) / static_cast<double>(RowsOf(group));
    if (context_->threads() < 2 || bytes <= static_cast<double>(part_bytes_) ||
        bytes * wanted_part < static_cast<double>(kPartBytesMin)) {
      return;
    }
    // Columns with repetition first: where they fail, it is at the first page.
    const parquet::SchemaDescriptor& schema = *file.metadata()->schema();
    std::stable_partition(leaves.begin(), leaves.end(), [&](int leaf) {
      return schema.Column(leaf)->max_repetition_level() > 0;
    });
    int64_t bytes_read = 0;
    for (const int leaf : leaves) {
      if (index->locations.contains(leaf)) {
        continue;
      }
      auto locations = source_->found_pages->Find(file, group.file, group.row_group, leaf,
                                                  context_->pool(), &bytes_read);
      if (locations == nullptr) {
        break;
      }
      index->locations[leaf] = std::move(locations);
    }
    counters_->bytes_read.fetch_add(bytes_read, std::memory_order_relaxed);
  }

  // Rows at which the row group is cut into parts of equal work: at pages of the column that has
  // the most bytes, since a page that two parts need is decompressed twice. None when the places of
  // pages are not known. `is_wanted` is asked for ascending pages.
  template <typename IsWanted>
  std::vector<int64_t> FindCuts(const ParquetFile& file, const Group& group,
                                const std::vector<int>& leaves, const RowGroupIndex& index,
                                IsWanted&& is_wanted) const {
    const auto metadata = file.metadata()->RowGroup(group.row_group);
    const PageLocations* heaviest = nullptr;
    int64_t heaviest_bytes = -1;
    int64_t bytes = 0;
    for (const int leaf : leaves) {
      const auto found = index.locations.find(leaf);
      if (found == index.locations.end()) {
        return {};
      }
      const int64_t leaf_bytes = metadata->ColumnChunk(leaf)->total_uncompressed_size();
      bytes += leaf_bytes;
      if (leaf_bytes > heaviest_bytes) {
        heaviest_bytes = leaf_bytes;
        heaviest = found->second.get();
      }
    }
    std::vector<int64_t> cuts;
    if (heaviest == nullptr) {
      return cuts;
    }
    const double row_bytes = static_cast<double>(bytes) / static_cast<double>(RowsOf(group));
    double part = 0;
    for (size_t page = 0; page + 1 < heaviest->pages.size(); ++page) {
      const RowRange rows{heaviest->first_row(page), heaviest->end_row(page)};
      if (is_wanted(rows)) {
        part += row_bytes * static_cast<double>(rows.size());
      }
      if (part >= static_cast<double>(part_bytes_)) {
        cuts.push_back(rows.end);
        part = 0;
      }
    }
    return cuts;
  }

  void AddMorsel(MorselRequest request) { ready_.push_back(std::move(request)); }

  const std::shared_ptr<const ParquetSourceData> source_;
  QueryContext* const context_;
  const Reads reads_;
  const std::vector<int> columns_;
  const bool with_addresses_;
  const std::shared_ptr<arrow::Schema> schema_;
  const std::shared_ptr<SourceCounters> counters_;

 private:
  const std::shared_ptr<MorselSharing> sharing_;
  int64_t part_bytes_ = kPartBytesMax;
  std::mutex mutex_;
  std::deque<MorselRequest> ready_;
  std::shared_ptr<const ParquetFile> file_;
  size_t file_number_ = 0;
};

class ParquetScan final : public ParquetStream {
 public:
  ParquetScan(std::shared_ptr<const ParquetSourceData> source, QueryContext* context,
              ScanRequest request, std::shared_ptr<SourceCounters> counters)
      : ParquetStream(std::move(source), context, Reads::kAll, std::move(request.columns),
                      request.with_addresses, std::move(counters)),
        bounds_(std::move(request.bounds)) {
    context->progress().rows_total.fetch_add(source_->row_count, std::memory_order_relaxed);
  }

 protected:
  arrow::Result<bool> PlanNextGroup() override {
    while (next_.file < source_->files.size() && next_.row_group >= FileOf(next_).group_count()) {
      next_ = {next_.file + 1, 0};
    }
    if (next_.file >= source_->files.size()) {
      return false;
    }
    const Group group = next_;
    ++next_.row_group;
    if (RowsOf(group) == 0) {
      return true;
    }
    ARROW_ASSIGN_OR_RAISE(const RowRanges rows, PlanGroup(group));
    (rows.empty() ? counters_->row_groups_skipped : counters_->row_groups_read)
        .fetch_add(1, std::memory_order_relaxed);
    context_->progress().rows_scanned.fetch_add(RowsOf(group) - CountRows(rows),
                                                std::memory_order_relaxed);
    return true;
  }

 private:
  // The bounds as they hold in one file; false when no row of the file can meet them all.
  bool TranslateBounds(const Group& group, const ParquetFile& file,
                       std::vector<LeafBound>* out) const {
    const auto schema = file.schema();
    for (const ColumnBound& bound : bounds_) {
      const int field = FileOf(group).fields[static_cast<size_t>(bound.column)];
      if (field < 0) {
        if (bound.op != ColumnBound::Op::kIsNull) {
          return false;
        }
        continue;
      }
      const arrow::DataType& type = *schema->field(field)->type();
      if (file.leaves(field).size() != 1 ||
          (bound.value != nullptr && !bound.value->type->Equals(type))) {
        continue;
      }
      const int leaf = file.leaves(field)[0];
      if (CanPrune(*file.metadata()->schema()->Column(leaf), type)) {
        out->push_back({leaf, bound.op, bound.value});
      }
    }
    return true;
  }

  // Adds the morsels of the group and returns their rows.
  arrow::Result<RowRanges> PlanGroup(const Group& group) {
    ARROW_ASSIGN_OR_RAISE(const auto file, OpenFileOf(group));
    std::vector<LeafBound> bounds;
    if (!TranslateBounds(group, *file, &bounds)) {
      return RowRanges();
    }
    const auto metadata = file->metadata()->RowGroup(group.row_group);
    if (!std::all_of(bounds.begin(), bounds.end(),
                     [&](const LeafBound& bound) { return RowGroupMayMeet(*metadata, bound); })) {
      return RowRanges();
    }
    const std::vector<int> leaves = WantedLeaves(group, *file);
    std::vector<int> bound_leaves;
    for (const LeafBound& bound : bounds) {
      bound_leaves.push_back(bound.leaf);
    }
    const auto index = ReadIndex(*file, group, leaves, bound_leaves);
    RowRanges rows = {{0, RowsOf(group)}};
    for (const LeafBound& bound : bounds) {
      const auto locations = index->locations.find(bound.leaf);
      const auto statistics = index->statistics.find(bound.leaf);
      if (locations != index->locations.end() && statistics != index->statistics.end()) {
        rows =
            IntersectRanges(rows, PagesThatMayMeet(*file->metadata()->schema()->Column(bound.leaf),
                                                   *locations->second, *statistics->second, bound));
      }
    }
    index->statistics.clear();
    if (!rows.empty()) {
      FindMissingPages(*file, group, CountRows(rows), leaves, index.get());
      AddParts(group, file, index, leaves, rows);
    }
    return rows;
  }

  void AddParts(const Group& group, const std::shared_ptr<const ParquetFile>& file,
                const std::shared_ptr<const RowGroupIndex>& index, const std::vector<int>& leaves,
                const RowRanges& rows) {
    size_t range = 0;
    std::vector<int64_t> cuts = FindCuts(*file, group, leaves, *index, [&](const RowRange& page) {
      while (range < rows.size() && rows[range].end <= page.begin) {
        ++range;
      }
      return range < rows.size() && rows[range].begin < page.end;
    });
    cuts.push_back(RowsOf(group));
    int64_t begin = 0;
    for (const int64_t end : cuts) {
      MorselRequest request = MakeRequest(group, file, index);
      request.rows = IntersectRanges(rows, {{begin, end}});
      request.accounted = {begin, end};
      begin = end;
      if (!request.rows.empty()) {
        AddMorsel(std::move(request));
      }
    }
  }

  const std::vector<ColumnBound> bounds_;
  Group next_;
};

class ParquetFetch final : public ParquetStream {
 public:
  ParquetFetch(std::shared_ptr<const ParquetSourceData> source, QueryContext* context,
               FetchRequest request, std::shared_ptr<SourceCounters> counters)
      : ParquetStream(std::move(source), context, Reads::kSome, std::move(request.columns),
                      /*with_addresses=*/false, std::move(counters)),
        addresses_(std::move(request.addresses)),
        goes_on_behind_(request.goes_on_behind) {
    if (goes_on_behind_ < 0) {
      counters_->row_groups_skipped.fetch_add(source_->group_count, std::memory_order_relaxed);
    }
  }

 protected:
  arrow::Result<bool> PlanNextGroup() override {
    if (next_ >= addresses_->length()) {
      return false;
    }
    const int64_t address = addresses_->Value(next_);
    KEEPONE_CHECK(address >= 0 && address < source_->row_count);
    const auto file = std::upper_bound(
        source_->files.begin(), source_->files.end(), address,
        [](int64_t value, const ParquetSourceFile& item) { return value < item.end_address(); });
    const auto& bases = file->group_addresses;
    const auto behind = std::upper_bound(bases.begin(), bases.end(), address);
    const Group group{static_cast<size_t>(file - source_->files.begin()),
                      static_cast<int>(behind - bases.begin()) - 1};
    const int64_t begin = next_;
    next_ = FindAddress(BaseOf(group) + RowsOf(group), begin);
    if (goes_on_behind_ < BaseOf(group)) {
      counters_->row_groups_skipped.fetch_sub(1, std::memory_order_relaxed);
      counters_->row_groups_read.fetch_add(1, std::memory_order_relaxed);
    }
    ARROW_RETURN_NOT_OK(AddParts(group, begin, next_));
    return true;
  }

 private:
  // The first place at or behind `from` whose address is `address` or above.
  int64_t FindAddress(int64_t address, int64_t from) const {
    const int64_t* const values = addresses_->raw_values();
    return std::lower_bound(values + from, values + addresses_->length(), address) - values;
  }

  arrow::Status AddParts(const Group& group, int64_t begin, int64_t end) {
    ARROW_ASSIGN_OR_RAISE(const auto file, OpenFileOf(group));
    const std::vector<int> leaves = WantedLeaves(group, *file);
    const auto index = ReadIndex(*file, group, leaves, {});
    FindMissingPages(*file, group, end - begin, leaves, index.get());
    const int64_t base = BaseOf(group);
    int64_t place = begin;
    std::vector<int64_t> cuts = FindCuts(*file, group, leaves, *index, [&](const RowRange& page) {
      place = FindAddress(base + page.begin, place);
      return place < end && addresses_->Value(place) < base + page.end;
    });
    cuts.push_back(RowsOf(group));
    int64_t first_row = 0;
    place = begin;
    for (const int64_t end_row : cuts) {
      MorselRequest request = MakeRequest(group, file, index);
      request.accounted = {first_row, end_row};
      request.wanted = addresses_;
      request.wanted_begin = place;
      request.wanted_end = place = FindAddress(base + end_row, place);
      first_row = end_row;
      if (request.wanted_begin < request.wanted_end) {
        AddMorsel(std::move(request));
      }
    }
    return arrow::Status::OK();
  }

  const std::shared_ptr<arrow::Int64Array> addresses_;
  int64_t next_ = 0;  // the first address that is not planned yet
  const int64_t goes_on_behind_;
};

}  // namespace

std::unique_ptr<BatchStream> MakeParquetScan(std::shared_ptr<const ParquetSourceData> source,
                                             QueryContext* context, ScanRequest request,
                                             std::shared_ptr<SourceCounters> counters) {
  return std::make_unique<ParquetScan>(std::move(source), context, std::move(request),
                                       std::move(counters));
}

std::unique_ptr<BatchStream> MakeParquetFetch(std::shared_ptr<const ParquetSourceData> source,
                                              QueryContext* context, FetchRequest request,
                                              std::shared_ptr<SourceCounters> counters) {
  return std::make_unique<ParquetFetch>(std::move(source), context, std::move(request),
                                        std::move(counters));
}

}  // namespace keepone
