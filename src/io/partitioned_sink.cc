// SPDX-License-Identifier: Apache-2.0
#include "io/partitioned_sink.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <future>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>

#include "base/error.h"
#include "column/gather.h"
#include "column/row_bytes.h"
#include "column/value_text.h"
#include "io/compressed_sink.h"
#include "io/distinct_names.h"
#include "io/new_directory.h"
#include "io/partition_path.h"
#include "io/sink_options.h"
#include "io/write_error.h"

namespace keepone {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kWaitingBytesMax = int64_t{64} << 20;
constexpr int64_t kLimitParts = 8;   // of a memory limit, one is for the rows that wait
constexpr int64_t kStagedParts = 4;  // of the rows that wait, one is not divided yet
constexpr size_t kOpenFilesMax = 64;
constexpr size_t kPartitionsMax = 100'000;

struct Partition {
  std::string directory;  // a=1/b=x
  arrow::RecordBatchVector waiting;
  int64_t bytes = 0;           // of those
  std::unique_ptr<Sink> sink;  // of the open file, if there is one
  std::shared_ptr<arrow::io::FileOutputStream> output;
  int64_t files = 0;  // begun so far
  int64_t last_use = 0;
};

struct Layout {
  FileFormat format;
  std::shared_ptr<arrow::Schema> schema;       // of the rows that come
  std::shared_ptr<arrow::Schema> file_schema;  // of those that are written
  std::vector<int> keys;                       // columns of `schema`
  std::vector<int> written;
  SinkOptions options;    // of the files
  std::string extension;  // .parquet, .csv.gz
};

class PartitionedSink final : public Sink {
 public:
  PartitionedSink(QueryContext* context, Layout layout, std::unique_ptr<NewDirectory> directory)
      : context_(context), layout_(std::move(layout)), directory_(std::move(directory)) {
    const int64_t limit = context->memory_bytes_max();
    waiting_bytes_max_ = limit < 0 ? kWaitingBytesMax
                                   : std::clamp(limit / kLimitParts, int64_t{1}, kWaitingBytesMax);
    for (const int key : layout_.keys) {
      std::string& label = labels_.emplace_back();
      AppendPathSegment(layout_.schema->field(key)->name(), &label);
      label += '=';
    }
  }

  ~PartitionedSink() override {
    for (auto& partition : partitions_) {
      partition->sink.reset();
      if (partition->output != nullptr) {
        // Nobody can be told of a failure here, and the directory vanishes.
        static_cast<void>(partition->output->Close());
      }
    }
  }

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    if (batch->num_rows() == 0) {
      return arrow::Status::OK();
    }
    staged_bytes_ += BatchBytes(*batch);
    staged_.push_back(batch);
    if (staged_bytes_ < waiting_bytes_max_ / kStagedParts) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(Divide());
    return divided_bytes_ > waiting_bytes_max_ ? WriteLargest() : arrow::Status::OK();
  }

  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(Divide());
    std::vector<Partition*> left;
    for (auto& partition : partitions_) {
      if (partition->sink != nullptr || partition->bytes > 0 || !partition->waiting.empty()) {
        left.push_back(partition.get());
      }
    }
    ARROW_RETURN_NOT_OK(ForGroups(left, [this](Partition* partition) {
      ARROW_RETURN_NOT_OK(WriteWaiting(partition));
      return CloseFile(partition);
    }));
    return directory_->Publish();
  }

 private:
  // Hands the rows that are not divided yet to their partitions.
  arrow::Status Divide() {
    std::vector<std::vector<ChunkRange>> ranges(partitions_.size());  // of each partition
    std::vector<size_t> touched;
    std::string path;
    for (size_t i = 0; i < staged_.size(); ++i) {
      std::vector<std::unique_ptr<ValueText>> keys;
      for (const int key : layout_.keys) {
        ARROW_ASSIGN_OR_RAISE(auto text, MakeValueText(staged_[i]->column(key), TextStyle::kPlain));
        keys.push_back(std::move(text));
      }
      std::string last_path;
      size_t last = 0;
      for (int64_t row = 0; row < staged_[i]->num_rows(); ++row) {
        ARROW_RETURN_NOT_OK(MakePath(keys, row, &path));
        if (row == 0 || path != last_path) {
          ARROW_ASSIGN_OR_RAISE(last, FindPartition(path));
          last_path = path;
          ranges.resize(partitions_.size());
        }
        std::vector<ChunkRange>& of = ranges[last];
        if (of.empty()) {
          touched.push_back(last);
        }
        if (!of.empty() && of.back().chunk == static_cast<int32_t>(i) &&
            of.back().begin + of.back().count == row) {
          ++of.back().count;
        } else {
          of.push_back({static_cast<int32_t>(i), row, 1});
        }
      }
    }
    return GatherStaged(ranges, touched);
  }

  arrow::Status GatherStaged(const std::vector<std::vector<ChunkRange>>& ranges,
                             const std::vector<size_t>& touched) {
    arrow::RecordBatchVector batches;
    for (const auto& batch : std::exchange(staged_, {})) {
      arrow::ArrayVector columns;
      for (const int column : layout_.written) {
        columns.push_back(batch->column(column));
      }
      batches.push_back(
          arrow::RecordBatch::Make(layout_.file_schema, batch->num_rows(), std::move(columns)));
    }
    staged_bytes_ = 0;
    for (const size_t index : touched) {
      Partition* partition = partitions_[index].get();
      arrow::RecordBatchVector rows = batches;
      if (touched.size() > 1) {
        ARROW_ASSIGN_OR_RAISE(
            rows, GatherBatches(layout_.file_schema, batches, ranges[index], context_->pool()));
      }
      for (auto& batch : rows) {
        const int64_t bytes = BatchBytes(*batch);
        partition->bytes += bytes;
        divided_bytes_ += bytes;
        partition->waiting.push_back(std::move(batch));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status MakePath(const std::vector<std::unique_ptr<ValueText>>& keys, int64_t row,
                         std::string* path) {
    path->clear();
    for (size_t i = 0; i < keys.size(); ++i) {
      *path += i == 0 ? "" : "/";
      *path += labels_[i];
      if (keys[i]->IsNull(row)) {
        *path += kNullPartition;
        continue;
      }
      value_.clear();
      keys[i]->Append(row, &value_);
      if (value_ == kNullPartition) {
        return DataError("column \"", layout_.schema->field(layout_.keys[i])->name(),
                         "\" holds the text ", kNullPartition,
                         ", which stands for NULL in the names of partitions");
      }
      AppendPathSegment(value_, path);
    }
    return arrow::Status::OK();
  }

  arrow::Result<size_t> FindPartition(const std::string& path) {
    const auto [found, is_new] = index_.try_emplace(path, partitions_.size());
    if (is_new) {
      if (partitions_.size() == kPartitionsMax) {
        return WithHint(ResourceError("the result has more than ", kPartitionsMax, " partitions"),
                        "PARTITION_BY columns with fewer different values");
      }
      partitions_.push_back(std::make_unique<Partition>());
      partitions_.back()->directory = path;
    }
    return found->second;
  }

  // Writes the partitions with most rows until half of what may wait is left.
  arrow::Status WriteLargest() {
    std::vector<Partition*> largest;
    for (auto& partition : partitions_) {
      if (partition->bytes > 0) {
        largest.push_back(partition.get());
      }
    }
    std::stable_sort(largest.begin(), largest.end(),
                     [](const Partition* a, const Partition* b) { return a->bytes > b->bytes; });
    int64_t left = divided_bytes_;
    size_t count = 0;
    while (count < largest.size() && left > waiting_bytes_max_ / 2) {
      left -= largest[count]->bytes;
      ++count;
    }
    largest.resize(count);
    ARROW_RETURN_NOT_OK(
        ForGroups(largest, [this](Partition* partition) { return WriteWaiting(partition); }));
    divided_bytes_ = left;
    return arrow::Status::OK();
  }

  // Calls `work` for each partition, on several threads, with room for one more open file each.
  template <typename Work>
  arrow::Status ForGroups(std::span<Partition* const> partitions, const Work& work) {
    while (!partitions.empty()) {
      const auto group = partitions.first(std::min(partitions.size(), kOpenFilesMax));
      partitions = partitions.subspan(group.size());
      ARROW_RETURN_NOT_OK(CloseOthers(group));
      std::atomic<size_t> next = 0;
      const auto run = [&]() -> arrow::Status {
        for (size_t i = next++; i < group.size(); i = next++) {
          ARROW_RETURN_NOT_OK(work(group[i]));
        }
        return arrow::Status::OK();
      };
      std::vector<std::future<arrow::Status>> others;
      const size_t threads = std::min(static_cast<size_t>(context_->threads()), group.size());
      for (size_t i = 1; i < threads; ++i) {
        others.push_back(std::async(std::launch::async, run));
      }
      arrow::Status status = run();
      for (auto& other : others) {
        status &= other.get();
      }
      ARROW_RETURN_NOT_OK(status);
    }
    return arrow::Status::OK();
  }

  // Makes room for the files of `group`, closing those that were not written to for longest.
  arrow::Status CloseOthers(std::span<Partition* const> group) {
    ++uses_;
    size_t wanted = 0;
    for (Partition* partition : group) {
      partition->last_use = uses_;
      wanted += partition->sink == nullptr ? 1U : 0U;
    }
    std::vector<Partition*> open;
    for (auto& partition : partitions_) {
      if (partition->sink != nullptr) {
        open.push_back(partition.get());
      }
    }
    if (open.size() + wanted <= kOpenFilesMax) {
      return arrow::Status::OK();
    }
    const size_t closed = open.size() + wanted - kOpenFilesMax;
    std::stable_sort(open.begin(), open.end(), [](const Partition* a, const Partition* b) {
      return a->last_use < b->last_use;
    });
    for (size_t i = 0; i < closed; ++i) {
      ARROW_RETURN_NOT_OK(CloseFile(open[i]));
    }
    return arrow::Status::OK();
  }

  arrow::Status OpenFile(Partition* partition) {
    std::error_code error;
    fs::create_directories(fs::path(directory_->path()) / partition->directory, error);
    const std::string name = NameOf(*partition);
    if (error) {
      return WriteError(directory_->FinalPath(name), error.value());
    }
    auto opened = arrow::io::FileOutputStream::Open((fs::path(directory_->path()) / name).string());
    if (!opened.ok()) {
      return TellWriteError(opened.status(), directory_->FinalPath(name));
    }
    partition->output = *std::move(opened);
    ARROW_ASSIGN_OR_RAISE(partition->sink,
                          MakeSink(context_, layout_.format, layout_.file_schema, layout_.options,
                                   partition->output, SinkThreads::kOne));
    return arrow::Status::OK();
  }

  arrow::Status WriteWaiting(Partition* partition) {
    if (partition->waiting.empty()) {
      return arrow::Status::OK();
    }
    if (partition->sink == nullptr) {
      ARROW_RETURN_NOT_OK(OpenFile(partition));
    }
    for (auto& batch : std::exchange(partition->waiting, {})) {
      ARROW_RETURN_NOT_OK(Tell(partition->sink->Write(batch), *partition));
      batch.reset();
    }
    partition->bytes = 0;
    return Tell(partition->sink->Flush(), *partition);
  }

  arrow::Status CloseFile(Partition* partition) {
    if (partition->sink == nullptr) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(Tell(partition->sink->Finish(), *partition));
    partition->sink.reset();
    ARROW_RETURN_NOT_OK(Tell(partition->output->Close(), *partition));
    partition->output.reset();
    ++partition->files;
    return arrow::Status::OK();
  }

  std::string NameOf(const Partition& partition) const {
    return partition.directory + "/data_" + std::to_string(partition.files) + layout_.extension;
  }

  arrow::Status Tell(const arrow::Status& status, const Partition& partition) const {
    return status.ok() ? status : TellWriteError(status, directory_->FinalPath(NameOf(partition)));
  }

  QueryContext* const context_;
  const Layout layout_;
  const std::unique_ptr<NewDirectory> directory_;
  int64_t waiting_bytes_max_;
  std::vector<std::string> labels_;  // "a="
  std::string value_;
  arrow::RecordBatchVector staged_;  // not divided yet
  int64_t staged_bytes_ = 0;
  int64_t divided_bytes_ = 0;  // that wait in partitions
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::unordered_map<std::string, size_t> index_;  // of partitions by directory
  int64_t uses_ = 0;
};

arrow::Status CheckKeys(const Layout& layout, const SinkOptionReader& reader) {
  const std::string option = "partition_by";
  std::vector<bool> is_key(static_cast<size_t>(layout.schema->num_fields()));
  if (layout.keys.empty()) {
    return reader.Error(option, "option \"", option, "\" names no column");
  }
  for (const int key : layout.keys) {
    const arrow::Field& field = *layout.schema->field(key);
    if (is_key[static_cast<size_t>(key)]) {
      return reader.Error(option, "option \"", option, "\" names \"", field.name(), "\" twice");
    }
    is_key[static_cast<size_t>(key)] = true;
    if (field.type()->num_fields() > 0) {
      return reader.Error(option, "option \"", option, "\" names \"", field.name(),
                          "\", but rows cannot be partitioned by ", field.type()->ToString());
    }
  }
  if (layout.written.empty()) {
    return WithHint(reader.Error(option, "option \"", option, "\" leaves no column to be written"),
                    "set WRITE_PARTITION_COLUMNS to write the partition columns too");
  }
  return arrow::Status::OK();
}

// What the files' names end with.
arrow::Result<std::string> FileExtension(FileFormat format, const SinkOptions& options) {
  std::string extension = "." + FileFormatName(format);
  if (IsTextFormat(format)) {
    ARROW_ASSIGN_OR_RAISE(SinkOptionReader reader, SinkOptionReader::Make(options));
    ARROW_ASSIGN_OR_RAISE(const auto codec,
                          reader.Codec("compression", arrow::Compression::UNCOMPRESSED));
    extension += CompressionExtension(codec);
  }
  return extension;
}

}  // namespace

arrow::Result<std::unique_ptr<Sink>> MakePartitionedSink(
    QueryContext* context, FileFormat format, const std::shared_ptr<arrow::Schema>& schema,
    const SinkOptions& options, const std::string& path) {
  Layout layout;
  layout.format = format;
  layout.schema = WithDistinctNames(schema);
  ARROW_ASSIGN_OR_RAISE(SinkOptionReader reader, SinkOptionReader::Make(options));
  ARROW_ASSIGN_OR_RAISE(layout.keys, reader.Columns("partition_by", *layout.schema, {}));
  ARROW_ASSIGN_OR_RAISE(const bool overwrite, reader.Flag("overwrite", false));
  ARROW_ASSIGN_OR_RAISE(const bool write_keys, reader.Flag("write_partition_columns", false));
  layout.options = reader.Rest();
  arrow::FieldVector fields;
  for (int i = 0; i < layout.schema->num_fields(); ++i) {
    const bool is_key = std::find(layout.keys.begin(), layout.keys.end(), i) != layout.keys.end();
    if (write_keys || !is_key) {
      layout.written.push_back(i);
      fields.push_back(layout.schema->field(i));
    }
  }
  layout.file_schema = arrow::schema(std::move(fields), layout.schema->metadata());
  ARROW_RETURN_NOT_OK(CheckKeys(layout, reader));
  ARROW_ASSIGN_OR_RAISE(layout.extension, FileExtension(format, layout.options));
  // Bad options are told before the query runs, not with the first file.
  ARROW_ASSIGN_OR_RAISE(auto nothing, arrow::io::BufferOutputStream::Create(1, context->pool()));
  ARROW_RETURN_NOT_OK(MakeSink(context, format, layout.file_schema, layout.options,
                               std::move(nothing), SinkThreads::kOne));
  ARROW_ASSIGN_OR_RAISE(
      auto directory, NewDirectory::Make(path, overwrite ? Replace::kAnything : Replace::kNothing));
  return std::make_unique<PartitionedSink>(context, std::move(layout), std::move(directory));
}

}  // namespace keepone
