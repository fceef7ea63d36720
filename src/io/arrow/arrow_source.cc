// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/type.h>

#include "base/check.h"
#include "base/error.h"
#include "io/arrow/arrow_file.h"
#include "io/arrow/arrow_morsel.h"
#include "io/arrow/arrow_pipe.h"
#include "io/file_list.h"
#include "io/open.h"
#include "io/schema_union.h"

namespace keepone {

namespace {

struct ArrowSourceFile {
  std::shared_ptr<const ArrowFileLayout> layout;
  int64_t begin_address = 0;
  std::vector<int> fields;  // for each column of the source its field in the file, or -1

  int64_t end_address() const { return begin_address + layout->addresses.back(); }
};

struct ArrowSourceData {
  std::shared_ptr<arrow::Schema> schema;
  std::vector<ArrowSourceFile> files;
  int64_t batch_count = 0;

  int64_t row_count() const { return files.back().end_address(); }
};

// What the morsels of one file share: the open file, and the dictionaries of the batch that was
// read last, which mostly are those of the next one too. Safe for concurrent use.
class FileReading {
 public:
  FileReading(std::shared_ptr<const ArrowFile> file, std::vector<int> fields)
      : file_(std::move(file)),
        fields_(std::move(fields)),
        last_(std::make_shared<IpcDictionaries>(file_->layout().schema,
                                                file_->layout().schema->DictionariesOf(fields_))) {}

  const ArrowFile& file() const { return *file_; }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Read(size_t batch, arrow::MemoryPool* pool,
                                                          SourceCounters* counters) {
    ARROW_ASSIGN_OR_RAISE(
        const auto dictionaries,
        DictionariesAt(file_->layout().batches[batch].dictionary_count, pool, counters));
    return file_->ReadBatch(batch, fields_, *dictionaries, pool, counters);
  }

 private:
  // As they are after the first `count` dictionary messages of the file.
  arrow::Result<std::shared_ptr<const IpcDictionaries>> DictionariesAt(size_t count,
                                                                       arrow::MemoryPool* pool,
                                                                       SourceCounters* counters) {
    const std::lock_guard lock(mutex_);
    if (count == last_count_) {
      return last_;
    }
    auto next = std::make_shared<IpcDictionaries>(*last_);
    size_t begin = last_count_;
    if (count < begin) {
      next = std::make_shared<IpcDictionaries>(file_->layout().schema,
                                               file_->layout().schema->DictionariesOf(fields_));
      begin = 0;
    }
    ARROW_RETURN_NOT_OK(file_->ReadDictionaries(begin, count, pool, counters, next.get()));
    last_ = next;
    last_count_ = count;
    return last_;
  }

  const std::shared_ptr<const ArrowFile> file_;
  const std::vector<int> fields_;
  std::mutex mutex_;
  std::shared_ptr<const IpcDictionaries> last_;
  size_t last_count_ = 0;
};

// Hands out a morsel per record batch. Which is next, and which rows of it, is up to the class
// below.
class ArrowStream : public BatchStream {
 public:
  ArrowStream(std::shared_ptr<const ArrowSourceData> source, QueryContext* context,
              std::vector<int> columns, bool with_addresses,
              std::shared_ptr<SourceCounters> counters)
      : source_(std::move(source)),
        context_(context),
        wanted_columns_(std::move(columns)),
        with_addresses_(with_addresses),
        counters_(counters != nullptr ? std::move(counters) : std::make_shared<SourceCounters>()),
        schema_(ColumnsOf(source_->files.front())->schema) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

 protected:
  std::shared_ptr<const ArrowColumns> ColumnsOf(const ArrowSourceFile& file) const {
    return std::make_shared<ArrowColumns>(
        MakeArrowColumns(*source_->schema, wanted_columns_, file.fields, with_addresses_));
  }

  // A request for all rows of a batch. Batches come file by file: only the last file is kept open.
  arrow::Result<ArrowMorselRequest> MakeRequest(size_t file_number, size_t batch) {
    const ArrowSourceFile& file = source_->files[file_number];
    if (reading_ == nullptr || reading_file_ != file_number) {
      reading_.reset();
      ARROW_ASSIGN_OR_RAISE(auto opened, ArrowFile::Open(file.layout));
      columns_ = ColumnsOf(file);
      reading_ = std::make_shared<FileReading>(std::move(opened), columns_->fields);
      reading_file_ = file_number;
    }
    ArrowMorselRequest request;
    request.read = [reading = reading_, batch, context = context_, counters = counters_] {
      return reading->Read(batch, context->pool(), counters.get());
    };
    request.check = [reading = reading_] { return reading->file().CheckUnchanged(); };
    request.path = file.layout->path;
    request.batch_number = static_cast<int64_t>(batch);
    request.rows = file.layout->batches[batch].rows;
    request.address_base = file.begin_address + file.layout->addresses[batch];
    request.columns = columns_;
    return request;
  }

  void CloseFile() { reading_.reset(); }

  const std::shared_ptr<const ArrowSourceData> source_;
  QueryContext* const context_;
  const std::vector<int> wanted_columns_;
  const bool with_addresses_;
  const std::shared_ptr<SourceCounters> counters_;
  const std::shared_ptr<arrow::Schema> schema_;
  std::mutex mutex_;

 private:
  std::shared_ptr<FileReading> reading_;
  std::shared_ptr<const ArrowColumns> columns_;
  size_t reading_file_ = 0;
};

class ArrowScan final : public ArrowStream {
 public:
  ArrowScan(std::shared_ptr<const ArrowSourceData> source, QueryContext* context,
            ScanRequest request, std::shared_ptr<SourceCounters> counters)
      : ArrowStream(std::move(source), context, std::move(request.columns), request.with_addresses,
                    std::move(counters)) {
    context->progress().rows_total.fetch_add(source_->row_count(), std::memory_order_relaxed);
  }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const std::lock_guard lock(mutex_);
    while (file_ < source_->files.size()) {
      const std::vector<IpcBatch>& batches = source_->files[file_].layout->batches;
      if (batch_ == batches.size()) {
        ++file_;
        batch_ = 0;
      } else if (const size_t batch = batch_++; batches[batch].rows > 0) {
        ARROW_ASSIGN_OR_RAISE(ArrowMorselRequest request, MakeRequest(file_, batch));
        counters_->row_groups_read.fetch_add(1, std::memory_order_relaxed);
        return MakeArrowMorsel(context_, std::move(request), counters_);
      }
    }
    CloseFile();
    return nullptr;
  }

 private:
  size_t file_ = 0;
  size_t batch_ = 0;
};

class ArrowFetch final : public ArrowStream {
 public:
  ArrowFetch(std::shared_ptr<const ArrowSourceData> source, QueryContext* context,
             FetchRequest request, std::shared_ptr<SourceCounters> counters)
      : ArrowStream(std::move(source), context, std::move(request.columns),
                    /*with_addresses=*/false, std::move(counters)),
        addresses_(std::move(request.addresses)),
        goes_on_behind_(request.goes_on_behind) {
    if (goes_on_behind_ < 0) {
      counters_->row_groups_skipped.fetch_add(source_->batch_count, std::memory_order_relaxed);
    }
  }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const std::lock_guard lock(mutex_);
    if (next_ >= addresses_->length()) {
      CloseFile();
      return nullptr;
    }
    const int64_t address = addresses_->Value(next_);
    KEEPONE_CHECK(address >= 0 && address < source_->row_count());
    const auto file = std::upper_bound(
        source_->files.begin(), source_->files.end(), address,
        [](int64_t value, const ArrowSourceFile& item) { return value < item.end_address(); });
    const std::vector<int64_t>& begins = file->layout->addresses;
    const auto behind =
        std::upper_bound(begins.begin(), begins.end(), address - file->begin_address);
    ARROW_ASSIGN_OR_RAISE(ArrowMorselRequest request,
                          MakeRequest(static_cast<size_t>(file - source_->files.begin()),
                                      static_cast<size_t>(behind - begins.begin()) - 1));
    request.wanted = addresses_;
    request.wanted_begin = next_;
    const int64_t* const values = addresses_->raw_values();
    next_ = std::lower_bound(values + next_, values + addresses_->length(),
                             file->begin_address + *behind) -
            values;
    request.wanted_end = next_;
    if (goes_on_behind_ < request.address_base) {
      counters_->row_groups_skipped.fetch_sub(1, std::memory_order_relaxed);
      counters_->row_groups_read.fetch_add(1, std::memory_order_relaxed);
    }
    return MakeArrowMorsel(context_, std::move(request), counters_);
  }

 private:
  const std::shared_ptr<arrow::Int64Array> addresses_;
  const int64_t goes_on_behind_;
  int64_t next_ = 0;
};

class ArrowSource final : public Source {
 public:
  ArrowSource(std::shared_ptr<const ArrowSourceData> data, std::string description)
      : data_(std::move(data)), description_(std::move(description)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return data_->schema; }
  std::string description() const override { return description_; }
  // How much a column is the metadata do not tell where buffers are compressed or encoded.
  SourceStatistics statistics() const override { return {data_->row_count(), {}}; }
  bool can_fetch() const override { return true; }
  std::vector<std::string> paths() const override {
    std::vector<std::string> paths;
    for (const ArrowSourceFile& file : data_->files) {
      paths.push_back(file.layout->path);
    }
    return paths;
  }

  arrow::Result<std::unique_ptr<BatchStream>> Scan(
      QueryContext* context, ScanRequest request,
      std::shared_ptr<SourceCounters> counters) const override {
    return std::make_unique<ArrowScan>(data_, context, std::move(request), std::move(counters));
  }

  arrow::Result<std::unique_ptr<BatchStream>> Fetch(
      QueryContext* context, FetchRequest request,
      std::shared_ptr<SourceCounters> counters) const override {
    return std::make_unique<ArrowFetch>(data_, context, std::move(request), std::move(counters));
  }

 private:
  std::shared_ptr<const ArrowSourceData> data_;
  std::string description_;
};

}  // namespace

arrow::Result<std::shared_ptr<const Source>> OpenArrow(const std::vector<std::string>& paths,
                                                       arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ListFiles(paths, kArrowExtensions));
  if (files.empty()) {
    return DataError("no files to read");
  }
  for (const std::string& path : files) {
    ARROW_ASSIGN_OR_RAISE(const bool is_pipe, IsPipe(path));
    if (is_pipe && files.size() > 1) {
      return DataError(path, ": a pipe cannot be read together with other files");
    }
    if (is_pipe) {
      return OpenArrowPipe(path);
    }
  }
  auto data = std::make_shared<ArrowSourceData>();
  SchemaUnion schema_union;
  int64_t address = 0;
  for (const std::string& path : files) {
    ArrowSourceFile file;
    ARROW_ASSIGN_OR_RAISE(file.layout, ArrowFile::ReadLayout(RealPath(path), pool));
    ARROW_RETURN_NOT_OK(schema_union.Add(path, *file.layout->schema->plain()));
    file.begin_address = address;
    address = file.end_address();
    data->batch_count += static_cast<int64_t>(file.layout->batches.size());
    data->files.push_back(std::move(file));
  }
  data->schema = schema_union.Finish();
  for (ArrowSourceFile& file : data->files) {
    file.fields = schema_union.FieldsOf(*file.layout->schema->plain());
  }
  return std::make_shared<ArrowSource>(std::move(data), DescribeFiles(paths, files.size()));
}

}  // namespace keepone
