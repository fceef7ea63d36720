// SPDX-License-Identifier: Apache-2.0
#include "io/text/text_stream.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include <arrow/array.h>

#include "base/check.h"
#include "base/error.h"
#include "io/text/text_cutter.h"
#include "io/text/text_input.h"
#include "io/text/text_morsels.h"

namespace keepone {

namespace {

constexpr int64_t kFetchRecordsMax = 256;

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
          return MakeBlockMorsel(reading_, file_, open_, begin, next_);
        }
        continue;
      }
      if (cutter_->cuts_text()) {
        ARROW_ASSIGN_OR_RAISE(auto text, cutter_->NextText());
        if (text != nullptr) {
          return MakeTextMorsel(reading_, file_, std::move(text));
        }
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(auto records, cutter_->NextRecords());
      if (records != nullptr) {
        return MakeRecordsMorsel(reading_, file_, std::move(records));
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
                                   std::max<int64_t>(kReadMoreBytes, buffer.size()), &buffer,
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
      ARROW_ASSIGN_OR_RAISE(auto records, cutter_->RecordsAt(*addresses_, &next_, file_end));
      return MakeRecordsMorsel(reading_, file, std::move(records));
    }
    const int64_t begin = next_;
    const int64_t end_max = std::min(file_end, begin + kFetchRecordsMax);
    next_ = std::lower_bound(values + begin, values + end_max,
                             values[begin] + reading_->source->block_bytes) -
            values;
    // Records far apart still go together, as long as there are few of them.
    next_ = std::max(next_, std::min(end_max, begin + kFetchRecordsMax / 8));
    return MakeFetchMorsel(reading_, file, open_, addresses_, begin, next_);
  }

 private:
  const std::shared_ptr<arrow::Int64Array> addresses_;
  int64_t next_ = 0;
};

}  // namespace

std::unique_ptr<BatchStream> MakeTextScan(std::shared_ptr<const TextReading> reading) {
  return std::make_unique<TextScan>(std::move(reading));
}

std::unique_ptr<BatchStream> MakeTextFetch(std::shared_ptr<const TextReading> reading,
                                           std::shared_ptr<arrow::Int64Array> addresses) {
  return std::make_unique<TextFetch>(std::move(reading), std::move(addresses));
}

}  // namespace keepone
