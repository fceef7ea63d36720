// SPDX-License-Identifier: Apache-2.0
#include "io/text/text_morsels.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>

#include "base/error.h"
#include "io/text/row_collector.h"
#include "io/text/text_buffer.h"

namespace keepone {

namespace {

// Records at most this far apart are fetched by one read.
constexpr int64_t kNearBytes = 64 << 10;

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
    const int64_t base = begin_ == open_.first ? begin_ : begin_ - 1;
    ARROW_RETURN_NOT_OK(Extend(base, end_ - base));
    size_t begin = 0;
    if (base != begin_) {
      const size_t line_end = buffer_.text().find('\n');
      if (line_end == std::string_view::npos || base + static_cast<int64_t>(line_end) + 1 >= end_) {
        return arrow::Status::OK();
      }
      begin = line_end + 1;
    }
    // The last record ends at the first line end from the block's last byte on.
    auto searched = static_cast<size_t>(end_ - base - 1);
    size_t end = buffer_.text().find('\n', searched);
    while (end == std::string_view::npos && !is_last_) {
      ARROW_RETURN_NOT_OK(reading_->context->CheckStop());
      searched = std::max(searched, static_cast<size_t>(buffer_.size()));
      ARROW_RETURN_NOT_OK(Extend(base, std::max<int64_t>(kReadMoreBytes, buffer_.size() / 2)));
      end = buffer_.text().find('\n', searched);
    }
    end = end == std::string_view::npos ? static_cast<size_t>(buffer_.size()) : end + 1;
    part_ = {buffer_.text().substr(begin, end - begin), base + static_cast<int64_t>(begin), {}};
    return arrow::Status::OK();
  }

  arrow::Result<bool> AppendNext() override { return rows_.AppendSome(part_, &position_); }

  arrow::Status End() override { return open_.input->CheckUnchanged(file().identity); }

  arrow::Status Extend(int64_t base, int64_t bytes) {
    return ReadMore(*reading_, open_, base + buffer_.size(), bytes, &buffer_, &is_last_);
  }

  const OpenFile open_;
  const int64_t begin_;
  const int64_t end_;
  TextBuffer buffer_;
  TextPart part_;
  size_t position_ = 0;
  bool is_last_ = false;
};

class CutTextMorsel final : public TextMorsel {
 public:
  CutTextMorsel(std::shared_ptr<const TextReading> reading, size_t file,
                std::unique_ptr<CutText> text)
      : TextMorsel(std::move(reading), file), text_(std::move(text)), part_(text_->part()) {}

 private:
  arrow::Result<bool> AppendNext() override { return rows_.AppendSome(part_, &position_); }

  const std::unique_ptr<CutText> text_;
  const TextPart part_;
  size_t position_ = 0;
};

class CutRecordsMorsel final : public TextMorsel {
 public:
  CutRecordsMorsel(std::shared_ptr<const TextReading> reading, size_t file,
                   std::unique_ptr<CutRecords> records)
      : TextMorsel(std::move(reading), file), records_(std::move(records)) {}

 private:
  arrow::Result<bool> AppendNext() override {
    if (next_ == records_->records.size()) {
      return false;
    }
    const CutRecords::Record& record = records_->records[next_++];
    ARROW_RETURN_NOT_OK(
        rows_.Append(records_->text.text().substr(record.begin, record.end - record.begin),
                     record.offset, record.line));
    return true;
  }

  const std::unique_ptr<CutRecords> records_;
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
      ARROW_RETURN_NOT_OK(Extend(OffsetAt(last) - offset + kReadMoreBytes));
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
      ARROW_RETURN_NOT_OK(Extend(std::max<int64_t>(kReadMoreBytes, buffer_.size())));
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

}  // namespace

std::unique_ptr<Morsel> MakeBlockMorsel(std::shared_ptr<const TextReading> reading, size_t file,
                                        OpenFile open, int64_t begin, int64_t end) {
  return std::make_unique<BlockMorsel>(std::move(reading), file, std::move(open), begin, end);
}

std::unique_ptr<Morsel> MakeRecordsMorsel(std::shared_ptr<const TextReading> reading, size_t file,
                                          std::unique_ptr<CutRecords> records) {
  return std::make_unique<CutRecordsMorsel>(std::move(reading), file, std::move(records));
}

std::unique_ptr<Morsel> MakeTextMorsel(std::shared_ptr<const TextReading> reading, size_t file,
                                       std::unique_ptr<CutText> text) {
  return std::make_unique<CutTextMorsel>(std::move(reading), file, std::move(text));
}

std::unique_ptr<Morsel> MakeFetchMorsel(std::shared_ptr<const TextReading> reading, size_t file,
                                        OpenFile open, std::shared_ptr<arrow::Int64Array> addresses,
                                        int64_t begin, int64_t end) {
  return std::make_unique<FetchMorsel>(std::move(reading), file, std::move(open),
                                       std::move(addresses), begin, end);
}

}  // namespace keepone
