// SPDX-License-Identifier: Apache-2.0
#include "io/text/text_source.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/check.h"
#include "base/error.h"
#include "io/file_list.h"
#include "io/text/text_buffer.h"
#include "io/text/text_input.h"

namespace keepone {

namespace {

constexpr int kFileShift = 40;
constexpr int64_t kOffsetMax = (int64_t{1} << kFileShift) - 1;
// Of what is read around a record that is fetched, before its end is known.
constexpr int64_t kFetchBytes = 16 << 10;
// Records at most this far apart are fetched by one read.
constexpr int64_t kNearBytes = 64 << 10;
constexpr int64_t kFetchRecordsMax = 256;

struct SourceFile {
  std::string path;
  std::shared_ptr<const TextFormat> format;
  FileIdentity identity;
  bool is_regular = true;
  bool is_compressed = false;
  arrow::Status status;  // of opening it
};

struct SourceData {
  std::vector<SourceFile> files;
  TextSourceOptions options;
  int64_t block_bytes = 0;
  bool can_fetch = true;
};

// What a stream reads, for its morsels. Safe for concurrent use.
struct TextReading {
  std::shared_ptr<const SourceData> source;
  QueryContext* context = nullptr;
  std::shared_ptr<SourceCounters> counters;
  std::vector<int> fields;  // what records are parsed for
  arrow::DataTypeVector types;
  std::vector<int> places;  // for each wanted column its place in `fields`
  bool with_addresses = false;
  bool is_fetch = false;
  std::shared_ptr<arrow::Schema> schema;
};

int64_t CountLineEnds(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

bool IsDataError(const arrow::Status& status) {
  return !status.IsCancelled() && !status.IsOutOfMemory();
}

// `offset` of the bad byte in the file; `line` of the record's beginning when it is known.
arrow::Status WithLine(const arrow::Status& status, const SourceFile& file, int64_t begin,
                       std::string_view before, std::optional<int64_t> line) {
  if (!IsDataError(status)) {
    return status;
  }
  if (!line.has_value()) {
    ARROW_ASSIGN_OR_RAISE(line, LineAt(file.path, begin));
  }
  const size_t line_end = before.rfind('\n');
  const size_t column =
      line_end == std::string_view::npos ? before.size() + 1 : before.size() - line_end;
  return DataError(file.path, ", line ", *line + CountLineEnds(before), ", column ", column, ": ",
                   status.message());
}

// Collects rows of one file and cuts them into batches. Used by one thread.
class RowCollector {
 public:
  RowCollector(const TextReading* reading, size_t file) : reading_(reading), file_(file) {}

  arrow::Status Open() {
    ARROW_ASSIGN_OR_RAISE(parser_, file().format->MakeParser(reading_->fields, reading_->types,
                                                             reading_->context->pool()));
    return arrow::Status::OK();
  }

  // `offset` is where the record begins in the file.
  arrow::Status Append(std::string_view record, int64_t offset,
                       const std::optional<int64_t>& line) {
    size_t error_offset = 0;
    const arrow::Status status = parser_->Append(record, &error_offset);
    if (status.ok()) {
      if (reading_->with_addresses) {
        addresses_.push_back((static_cast<int64_t>(file_) << kFileShift) | offset);
      }
      return status;
    }
    if (reading_->source->options.ignore_errors && IsDataError(status)) {
      reading_->counters->records_left_out.fetch_add(1, std::memory_order_relaxed);
      return arrow::Status::OK();
    }
    return WithLine(status, file(), offset, record.substr(0, std::min(error_offset, record.size())),
                    line);
  }

  int64_t rows() const { return parser_->rows(); }
  bool is_full() const {
    return parser_->rows() >= reading_->context->batch_rows_max() ||
           (parser_->rows() > 0 && parser_->bytes() >= reading_->context->batch_bytes_max());
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish() {
    ARROW_ASSIGN_OR_RAISE(const auto parsed, parser_->Finish());
    const int64_t rows = parsed->num_rows();
    arrow::ArrayVector arrays;
    for (const int place : reading_->places) {
      arrays.push_back(parsed->column(place));
    }
    if (reading_->with_addresses) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                            arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(int64_t)),
                                                  reading_->context->pool()));
      std::memcpy(buffer->mutable_data(), addresses_.data(), addresses_.size() * sizeof(int64_t));
      arrays.push_back(std::make_shared<arrow::Int64Array>(rows, std::move(buffer)));
      addresses_.clear();
    }
    reading_->counters->rows_read.fetch_add(rows, std::memory_order_relaxed);
    QueryProgress& progress = reading_->context->progress();
    (reading_->is_fetch ? progress.rows_fetched : progress.rows_scanned)
        .fetch_add(rows, std::memory_order_relaxed);
    return arrow::RecordBatch::Make(reading_->schema, rows, std::move(arrays));
  }

 private:
  const SourceFile& file() const { return reading_->source->files[file_]; }

  const TextReading* reading_;
  const size_t file_;
  std::unique_ptr<RecordParser> parser_;
  std::vector<int64_t> addresses_;
};

// What the morsels of a plain file share.
struct OpenFile {
  std::shared_ptr<const TextInput> input;
  int64_t first = 0;  // where the first record may begin
};

arrow::Status ReadMore(const TextReading& reading, const OpenFile& file, int64_t offset,
                       int64_t bytes, TextBuffer* buffer, bool* is_last) {
  ARROW_ASSIGN_OR_RAISE(uint8_t* const out, buffer->Reserve(bytes));
  ARROW_ASSIGN_OR_RAISE(const int64_t got, file.input->ReadAt(offset, bytes, out));
  buffer->Grow(got);
  *is_last = got < bytes;
  reading.counters->bytes_read.fetch_add(got, std::memory_order_relaxed);
  reading.context->progress().bytes_read.fetch_add(got, std::memory_order_relaxed);
  return arrow::Status::OK();
}

class TextMorsel : public Morsel {
 public:
  TextMorsel(std::shared_ptr<const TextReading> reading, size_t file)
      : reading_(std::move(reading)), file_(file), rows_(reading_.get(), file) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() final {
    ARROW_RETURN_NOT_OK(reading_->context->CheckStop());
    if (!is_open_) {
      ARROW_RETURN_NOT_OK(rows_.Open());
      ARROW_RETURN_NOT_OK(Begin());
      is_open_ = true;
    }
    while (!rows_.is_full()) {
      ARROW_ASSIGN_OR_RAISE(const bool found, AppendNext());
      if (!found) {
        break;
      }
    }
    if (rows_.rows() == 0) {
      ARROW_RETURN_NOT_OK(End());
      return nullptr;
    }
    return rows_.Finish();
  }

 protected:
  virtual arrow::Status Begin() { return arrow::Status::OK(); }
  // Appends a record, or leaves it out; false where there is none left.
  virtual arrow::Result<bool> AppendNext() = 0;
  virtual arrow::Status End() { return arrow::Status::OK(); }

  const SourceFile& file() const { return reading_->source->files[file_]; }

  const std::shared_ptr<const TextReading> reading_;
  const size_t file_;
  RowCollector rows_;

 private:
  bool is_open_ = false;
};

// The records that begin in [begin, end) of a plain file whose lines are records.
class BlockMorsel final : public TextMorsel {
 public:
  BlockMorsel(std::shared_ptr<const TextReading> reading, size_t file, OpenFile open, int64_t begin,
              int64_t end)
      : TextMorsel(std::move(reading), file),
        open_(std::move(open)),
        begin_(begin),
        end_(end),
        buffer_(reading_->context->pool()) {}

 private:
  arrow::Status Begin() override {
    // From the byte before: a line end there says that a record may begin where the block does.
    base_ = begin_ == open_.first ? begin_ : begin_ - 1;
    ARROW_RETURN_NOT_OK(Extend(end_ - base_));
    if (base_ == begin_) {
      return arrow::Status::OK();
    }
    const size_t line_end = buffer_.text().find('\n');
    position_ = line_end == std::string_view::npos ? buffer_.text().size() : line_end + 1;
    return arrow::Status::OK();
  }

  arrow::Result<bool> AppendNext() override {
    while (true) {
      if (base_ + static_cast<int64_t>(position_) >= end_) {
        return false;
      }
      auto found = file().format->FindRecord(buffer_.text(), position_, is_last_);
      if (!found.ok()) {
        return WithLine(found.status(), file(), base_ + static_cast<int64_t>(position_), {}, {});
      }
      if (found->has_value()) {
        const TextRecord record = **found;
        if (base_ + static_cast<int64_t>(record.begin) >= end_) {
          return false;
        }
        position_ = record.next;
        ARROW_RETURN_NOT_OK(
            rows_.Append(buffer_.text().substr(record.begin, record.end - record.begin),
                         base_ + static_cast<int64_t>(record.begin), {}));
        return true;
      }
      if (is_last_) {
        return false;
      }
      ARROW_RETURN_NOT_OK(reading_->context->CheckStop());
      ARROW_RETURN_NOT_OK(Extend(std::max<int64_t>(kFetchBytes, buffer_.size())));
    }
  }

  arrow::Status End() override { return open_.input->CheckUnchanged(file().identity); }

  arrow::Status Extend(int64_t bytes) {
    return ReadMore(*reading_, open_, base_ + buffer_.size(), bytes, &buffer_, &is_last_);
  }

  const OpenFile open_;
  const int64_t begin_;
  const int64_t end_;
  int64_t base_ = 0;
  TextBuffer buffer_;
  size_t position_ = 0;
  bool is_last_ = false;
};

// Records that were cut already, in a text of their own.
struct CutBlock {
  explicit CutBlock(arrow::MemoryPool* pool) : text(pool) {}

  struct Record {
    size_t begin = 0;
    size_t end = 0;
    int64_t offset = 0;  // in the file
    int64_t line = 0;
  };
  TextBuffer text;
  std::vector<Record> records;
};

class CutMorsel final : public TextMorsel {
 public:
  CutMorsel(std::shared_ptr<const TextReading> reading, size_t file,
            std::unique_ptr<CutBlock> block)
      : TextMorsel(std::move(reading), file), block_(std::move(block)) {}

 private:
  arrow::Result<bool> AppendNext() override {
    if (next_ == block_->records.size()) {
      return false;
    }
    const CutBlock::Record& record = block_->records[next_++];
    ARROW_RETURN_NOT_OK(
        rows_.Append(block_->text.text().substr(record.begin, record.end - record.begin),
                     record.offset, record.line));
    return true;
  }

  const std::unique_ptr<CutBlock> block_;
  size_t next_ = 0;
};

// The records at some addresses of a plain file, near ones read at once.
class FetchMorsel final : public TextMorsel {
 public:
  FetchMorsel(std::shared_ptr<const TextReading> reading, size_t file, OpenFile open,
              std::shared_ptr<arrow::Int64Array> addresses, int64_t begin, int64_t end)
      : TextMorsel(std::move(reading), file),
        open_(std::move(open)),
        addresses_(std::move(addresses)),
        next_(begin),
        end_(end),
        buffer_(reading_->context->pool()) {}

 private:
  int64_t OffsetAt(int64_t i) const { return addresses_->Value(i) & kOffsetMax; }

  arrow::Result<bool> AppendNext() override {
    if (next_ == end_) {
      return false;
    }
    const int64_t offset = OffsetAt(next_);
    if (buffer_.size() == 0 || offset >= base_ + buffer_.size()) {
      int64_t last = next_;
      while (last + 1 < end_ && OffsetAt(last + 1) - OffsetAt(last) <= kNearBytes &&
             OffsetAt(last + 1) - offset < reading_->source->block_bytes) {
        ++last;
      }
      base_ = offset;
      buffer_.Clear();
      ARROW_RETURN_NOT_OK(Extend(OffsetAt(last) - offset + kFetchBytes));
    }
    while (true) {
      const auto position = static_cast<size_t>(offset - base_);
      auto found = file().format->FindRecord(buffer_.text(), position, is_last_);
      if (!found.ok()) {
        ARROW_RETURN_NOT_OK(open_.input->CheckUnchanged(file().identity));
        return WithLine(found.status(), file(), offset, {}, {});
      }
      if (found->has_value()) {
        const TextRecord record = **found;
        if (record.begin != position) {
          return DataError(file().path, " changed while it was being read");
        }
        ++next_;
        const auto status = rows_.Append(
            buffer_.text().substr(record.begin, record.end - record.begin), offset, {});
        if (!status.ok()) {
          ARROW_RETURN_NOT_OK(open_.input->CheckUnchanged(file().identity));
        }
        ARROW_RETURN_NOT_OK(status);
        return true;
      }
      if (is_last_) {
        return DataError(file().path, " changed while it was being read");
      }
      ARROW_RETURN_NOT_OK(reading_->context->CheckStop());
      ARROW_RETURN_NOT_OK(Extend(std::max<int64_t>(kFetchBytes, buffer_.size())));
    }
  }

  arrow::Status End() override { return open_.input->CheckUnchanged(file().identity); }

  arrow::Status Extend(int64_t bytes) {
    return ReadMore(*reading_, open_, base_ + buffer_.size(), bytes, &buffer_, &is_last_);
  }

  const OpenFile open_;
  const std::shared_ptr<arrow::Int64Array> addresses_;
  int64_t next_;
  const int64_t end_;
  int64_t base_ = 0;
  TextBuffer buffer_;
  bool is_last_ = false;
};

// Cuts a file into records from the beginning on. Used by one thread at a time.
class SequentialCutter {
 public:
  SequentialCutter(const TextReading* reading, const SourceFile* file,
                   std::shared_ptr<TextInput> input)
      : reading_(reading), file_(file), input_(std::move(input)), window_(Pool()) {}

  // The next records, a block's worth; nullptr at the end.
  arrow::Result<std::unique_ptr<CutBlock>> CutBlockOfAll() {
    auto block = std::make_unique<CutBlock>(Pool());
    while (block->text.size() < reading_->source->block_bytes) {
      ARROW_ASSIGN_OR_RAISE(const bool found, AppendNext(block.get()));
      if (!found) {
        break;
      }
    }
    if (block->records.empty()) {
      ARROW_RETURN_NOT_OK(input_->CheckUnchanged(file_->identity));
      return nullptr;
    }
    return block;
  }

  // Of the records at `offsets`, ascending and behind those from before, as many as a block holds.
  arrow::Result<std::unique_ptr<CutBlock>> CutBlockAt(const arrow::Int64Array& addresses,
                                                      int64_t* next, int64_t end) {
    auto block = std::make_unique<CutBlock>(Pool());
    while (*next < end && block->text.size() < reading_->source->block_bytes) {
      const int64_t offset = addresses.Value(*next) & kOffsetMax;
      ARROW_RETURN_NOT_OK(SkipTo(offset));
      ARROW_ASSIGN_OR_RAISE(const bool found, AppendNext(block.get()));
      if (!found || block->records.back().offset != offset) {
        return DataError(file_->path, " changed while it was being read");
      }
      ++*next;
    }
    ARROW_RETURN_NOT_OK(input_->CheckUnchanged(file_->identity));
    return block;
  }

 private:
  arrow::MemoryPool* Pool() const { return reading_->context->pool(); }

  arrow::Status SkipTo(int64_t offset) {
    begun_ = true;
    while (base_ + window_.size() < offset) {
      position_ = static_cast<size_t>(window_.size());
      ARROW_RETURN_NOT_OK(Extend());
      if (is_last_) {
        break;
      }
    }
    position_ = static_cast<size_t>(std::min(offset - base_, window_.size()));
    return arrow::Status::OK();
  }

  // Reads more, and lets go what lies before the position.
  arrow::Status Extend() {
    ARROW_RETURN_NOT_OK(reading_->context->CheckStop());
    const std::string_view done = window_.text().substr(0, position_);
    line_ += CountLineEnds(done.substr(counted_));
    TextBuffer next(Pool());
    const std::string_view rest = window_.text().substr(position_);
    const int64_t bytes =
        std::max<int64_t>(reading_->source->block_bytes, static_cast<int64_t>(rest.size()));
    ARROW_ASSIGN_OR_RAISE(uint8_t* const out,
                          next.Reserve(static_cast<int64_t>(rest.size()) + bytes));
    std::memcpy(out, rest.data(), rest.size());
    const int64_t read_before = input_->bytes_read();
    ARROW_ASSIGN_OR_RAISE(const int64_t got,
                          input_->Read(bytes, out + rest.size(), reading_->context));
    next.Grow(static_cast<int64_t>(rest.size()) + got);
    base_ += static_cast<int64_t>(position_);
    position_ = 0;
    counted_ = 0;
    is_last_ = got < bytes;
    window_ = std::move(next);
    if (base_ + window_.size() > kOffsetMax) {
      return DataError(file_->path, ": files of text of more than 1 TiB cannot be read");
    }
    const int64_t read = input_->bytes_read() - read_before;
    reading_->counters->bytes_read.fetch_add(read, std::memory_order_relaxed);
    reading_->context->progress().bytes_read.fetch_add(read, std::memory_order_relaxed);
    if (input_->is_compressed()) {
      reading_->counters->bytes_decompressed.fetch_add(got, std::memory_order_relaxed);
    }
    return arrow::Status::OK();
  }

  int64_t LineOf(size_t position) {
    line_ += CountLineEnds(window_.text().substr(counted_, position - counted_));
    counted_ = position;
    return line_;
  }

  arrow::Result<bool> AppendNext(CutBlock* block) {
    while (!begun_) {
      ARROW_ASSIGN_OR_RAISE(const auto first, file_->format->FindFirst(window_.text(), is_last_));
      if (first.has_value()) {
        position_ = *first;
        begun_ = true;
      } else if (is_last_) {
        return false;
      } else {
        ARROW_RETURN_NOT_OK(Extend());
      }
    }
    while (true) {
      auto found = file_->format->FindRecord(window_.text(), position_, is_last_);
      if (!found.ok()) {
        return WithLine(found.status(), *file_, 0, {}, LineOf(position_));
      }
      if (found->has_value()) {
        const TextRecord record = **found;
        const std::string_view text =
            window_.text().substr(record.begin, record.end - record.begin);
        ARROW_ASSIGN_OR_RAISE(uint8_t* const out,
                              block->text.Reserve(static_cast<int64_t>(text.size())));
        std::memcpy(out, text.data(), text.size());
        const auto begin = static_cast<size_t>(block->text.size());
        block->text.Grow(static_cast<int64_t>(text.size()));
        block->records.push_back({begin, begin + text.size(),
                                  base_ + static_cast<int64_t>(record.begin),
                                  LineOf(record.begin)});
        position_ = record.next;
        return true;
      }
      if (is_last_) {
        return false;
      }
      ARROW_RETURN_NOT_OK(Extend());
    }
  }

  const TextReading* reading_;
  const SourceFile* file_;
  const std::shared_ptr<TextInput> input_;
  TextBuffer window_;
  int64_t base_ = 0;  // of the window in the file
  size_t position_ = 0;
  size_t counted_ = 0;  // line ends before it are in line_
  int64_t line_ = 1;
  bool is_last_ = false;
  bool begun_ = false;
};

class TextStream : public BatchStream {
 public:
  explicit TextStream(std::shared_ptr<const TextReading> reading) : reading_(std::move(reading)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return reading_->schema; }

 protected:
  const SourceFile& FileAt(size_t number) const { return reading_->source->files[number]; }

  // Opens a file unless it is the one that is open.
  arrow::Status Open(size_t number) {
    if (open_number_ == number) {
      return arrow::Status::OK();
    }
    Close();
    const SourceFile& file = FileAt(number);
    ARROW_RETURN_NOT_OK(file.status);
    std::shared_ptr<TextInput> input;
    if (file.is_regular) {
      ARROW_ASSIGN_OR_RAISE(input, TextInput::Open(file.path));
      ARROW_RETURN_NOT_OK(input->CheckUnchanged(file.identity));
    } else {
      input = TakeKeptPipe(file.path);
      if (input == nullptr) {
        return DataError(file.path, ": a pipe can be read only once");
      }
    }
    if (file.is_regular && !file.is_compressed) {
      open_.input = input;
    }
    if (file.is_regular && file.identity.bytes > kOffsetMax) {
      return DataError(file.path, ": files of text of more than 1 TiB cannot be read");
    }
    cutter_ = std::make_unique<SequentialCutter>(reading_.get(), &file, std::move(input));
    open_number_ = number;
    return arrow::Status::OK();
  }

  void Close() {
    cutter_.reset();
    open_ = OpenFile();
    open_number_.reset();
  }

  const std::shared_ptr<const TextReading> reading_;
  std::mutex mutex_;
  std::optional<size_t> open_number_;
  OpenFile open_;
  std::unique_ptr<SequentialCutter> cutter_;
};

class TextScan final : public TextStream {
 public:
  using TextStream::TextStream;

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const std::lock_guard lock(mutex_);
    for (; file_ < reading_->source->files.size(); ++file_) {
      const SourceFile& file = FileAt(file_);
      const bool is_new = open_number_ != file_;
      ARROW_RETURN_NOT_OK(Open(file_));
      if (file.is_regular && !file.is_compressed && file.format->lines_are_records()) {
        if (is_new) {
          ARROW_RETURN_NOT_OK(FindFirst(file));
          next_ = open_.first;
        }
        if (next_ < file.identity.bytes) {
          const int64_t begin = next_;
          next_ = std::min(begin + reading_->source->block_bytes, file.identity.bytes);
          return std::make_unique<BlockMorsel>(reading_, file_, open_, begin, next_);
        }
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(auto block, cutter_->CutBlockOfAll());
      if (block != nullptr) {
        return std::make_unique<CutMorsel>(reading_, file_, std::move(block));
      }
    }
    Close();
    return nullptr;
  }

 private:
  arrow::Status FindFirst(const SourceFile& file) {
    TextBuffer buffer(reading_->context->pool());
    bool is_last = false;
    while (true) {
      ARROW_RETURN_NOT_OK(ReadMore(*reading_, open_, buffer.size(),
                                   std::max<int64_t>(kFetchBytes, buffer.size()), &buffer,
                                   &is_last));
      ARROW_ASSIGN_OR_RAISE(const auto first, file.format->FindFirst(buffer.text(), is_last));
      if (first.has_value() || is_last) {
        open_.first = static_cast<int64_t>(first.value_or(static_cast<size_t>(buffer.size())));
        return arrow::Status::OK();
      }
    }
  }

  size_t file_ = 0;
  int64_t next_ = 0;
};

class TextFetch final : public TextStream {
 public:
  TextFetch(std::shared_ptr<const TextReading> reading,
            std::shared_ptr<arrow::Int64Array> addresses)
      : TextStream(std::move(reading)), addresses_(std::move(addresses)) {}

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const std::lock_guard lock(mutex_);
    if (next_ == addresses_->length()) {
      Close();
      return nullptr;
    }
    const auto file = static_cast<size_t>(addresses_->Value(next_) >> kFileShift);
    KEEPONE_CHECK(file < reading_->source->files.size());
    ARROW_RETURN_NOT_OK(Open(file));
    const int64_t* const values = addresses_->raw_values();
    const int64_t behind = static_cast<int64_t>(file + 1) << kFileShift;
    const int64_t file_end =
        std::lower_bound(values + next_, values + addresses_->length(), behind) - values;
    if (FileAt(file).is_compressed) {
      ARROW_ASSIGN_OR_RAISE(auto block, cutter_->CutBlockAt(*addresses_, &next_, file_end));
      return std::make_unique<CutMorsel>(reading_, file, std::move(block));
    }
    const int64_t begin = next_;
    const int64_t end_max = std::min(file_end, begin + kFetchRecordsMax);
    next_ = std::lower_bound(values + begin, values + end_max,
                             values[begin] + reading_->source->block_bytes) -
            values;
    // Records far apart still go together, as long as there are few of them.
    next_ = std::max(next_, std::min(end_max, begin + kFetchRecordsMax / 8));
    return std::make_unique<FetchMorsel>(reading_, file, open_, addresses_, begin, next_);
  }

 private:
  const std::shared_ptr<arrow::Int64Array> addresses_;
  int64_t next_ = 0;
};

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
    return std::make_unique<TextScan>(std::move(reading));
  }

  arrow::Result<std::unique_ptr<BatchStream>> Fetch(
      QueryContext* context, FetchRequest request,
      std::shared_ptr<SourceCounters> counters) const override {
    KEEPONE_CHECK(data_->can_fetch);
    ARROW_ASSIGN_OR_RAISE(
        auto reading, MakeReading(context, request.columns, request.types, std::move(counters)));
    reading->is_fetch = true;
    return std::make_unique<TextFetch>(std::move(reading), std::move(request.addresses));
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
