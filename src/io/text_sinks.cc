// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>

#include "base/error.h"
#include "column/value_text.h"
#include "io/format_sinks.h"

namespace keepone {

namespace {

constexpr size_t kBufferBytesMax = 1 << 20;

// What the formats of text share: values become text in a buffer that goes out when it is full.
class TextSink : public Sink {
 public:
  explicit TextSink(std::shared_ptr<arrow::io::OutputStream> output) : output_(std::move(output)) {}

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) final {
    std::vector<std::unique_ptr<ValueText>> columns;
    for (const auto& column : batch->columns()) {
      ARROW_ASSIGN_OR_RAISE(auto text, MakeValueText(column, style()));
      columns.push_back(std::move(text));
    }
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      AppendRow(columns, row, &buffer_);
      if (buffer_.size() >= kBufferBytesMax) {
        ARROW_RETURN_NOT_OK(Flush());
      }
    }
    // A batch is shown as soon as it is there: somebody may be watching the pipe.
    return Flush();
  }

  arrow::Status Finish() final {
    AppendEnd(&buffer_);
    return Flush();
  }

 protected:
  virtual TextStyle style() const = 0;
  virtual void AppendRow(const std::vector<std::unique_ptr<ValueText>>& columns, int64_t row,
                         std::string* out) = 0;
  virtual void AppendEnd(std::string* /*out*/) {}
  std::string buffer_;

 private:
  arrow::Status Flush() {
    ARROW_RETURN_NOT_OK(output_->Write(buffer_.data(), static_cast<int64_t>(buffer_.size())));
    buffer_.clear();
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::io::OutputStream> output_;
};

struct CsvOptions {
  char delimiter;
  bool header;
  char quote;
  char escape;
  std::string null_text;
  std::vector<bool> is_quoted;  // of each column: whether values are quoted that need not be
};

class CsvSink final : public TextSink {
 public:
  CsvSink(std::shared_ptr<arrow::io::OutputStream> output, const arrow::Schema& schema,
          CsvOptions options)
      : TextSink(std::move(output)), options_(std::move(options)) {
    if (options_.header) {
      for (int i = 0; i < schema.num_fields(); ++i) {
        if (i > 0) {
          buffer_ += options_.delimiter;
        }
        AppendField(schema.field(i)->name(), Quotes::kWhereNeeded, &buffer_);
      }
      buffer_ += '\n';
    }
  }

 protected:
  TextStyle style() const override { return TextStyle::kPlain; }

  void AppendRow(const std::vector<std::unique_ptr<ValueText>>& columns, int64_t row,
                 std::string* out) override {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) {
        *out += options_.delimiter;
      }
      if (columns[i]->IsNull(row)) {
        *out += options_.null_text;
        continue;
      }
      field_.clear();
      columns[i]->Append(row, &field_);
      AppendField(field_, options_.is_quoted[i] ? Quotes::kAlways : Quotes::kWhereNeeded, out);
    }
    *out += '\n';
  }

 private:
  enum class Quotes { kWhereNeeded, kAlways };

  // Quoted when it must be; an empty text always, to tell it from NULL.
  void AppendField(std::string_view text, Quotes quotes, std::string* out) const {
    bool quoted = quotes == Quotes::kAlways || text.empty() || text == options_.null_text;
    for (const char c : text) {
      quoted = quoted || c == options_.delimiter || c == options_.quote || c == '\n' || c == '\r';
    }
    // Spaces at the ends would be lost on readers that trim.
    quoted = quoted || text.front() == ' ' || text.back() == ' ';
    if (!quoted) {
      *out += text;
      return;
    }
    *out += options_.quote;
    for (const char c : text) {
      if (c == options_.quote || c == options_.escape) {
        *out += options_.escape;
      }
      *out += c;
    }
    *out += options_.quote;
  }

  const CsvOptions options_;
  std::string field_;
};

class JsonSink final : public TextSink {
 public:
  JsonSink(std::shared_ptr<arrow::io::OutputStream> output, const arrow::Schema& schema, bool lines)
      : TextSink(std::move(output)), lines_(lines) {
    for (const auto& field : schema.fields()) {
      std::string label;
      AppendJsonString(field->name(), &label);
      labels_.push_back(label + ":");
    }
    if (!lines_) {
      buffer_ += '[';
    }
  }

 protected:
  TextStyle style() const override { return TextStyle::kJson; }

  void AppendRow(const std::vector<std::unique_ptr<ValueText>>& columns, int64_t row,
                 std::string* out) override {
    if (!lines_) {
      *out += empty_ ? "\n" : ",\n";
    }
    empty_ = false;
    *out += '{';
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) {
        *out += ',';
      }
      *out += labels_[i];
      columns[i]->Append(row, out);
    }
    *out += lines_ ? "}\n" : "}";
  }

  void AppendEnd(std::string* out) override {
    if (!lines_) {
      *out += empty_ ? "]\n" : "\n]\n";
    }
  }

 private:
  bool lines_;
  bool empty_ = true;
  std::vector<std::string> labels_;
};

class MarkdownSink final : public TextSink {
 public:
  MarkdownSink(std::shared_ptr<arrow::io::OutputStream> output, const arrow::Schema& schema)
      : TextSink(std::move(output)) {
    std::string rule;
    for (const auto& field : schema.fields()) {
      buffer_ += "| ";
      AppendCell(field->name(), &buffer_);
      buffer_ += ' ';
      rule += arrow::is_numeric(field->type()->id()) || arrow::is_decimal(field->type()->id())
                  ? "|---:"
                  : "|----";
    }
    buffer_ += "|\n" + rule + "|\n";
  }

 protected:
  TextStyle style() const override { return TextStyle::kPlain; }

  void AppendRow(const std::vector<std::unique_ptr<ValueText>>& columns, int64_t row,
                 std::string* out) override {
    for (const auto& column : columns) {
      *out += "| ";
      cell_.clear();
      if (!column->IsNull(row)) {
        column->Append(row, &cell_);
      }
      AppendCell(cell_, out);
      *out += ' ';
    }
    *out += "|\n";
  }

 private:
  static void AppendCell(std::string_view text, std::string* out) {
    for (const char c : text) {
      if (c == '|' || c == '\\') {
        *out += '\\';
      }
      if (c == '\n') {
        *out += "<br>";
      } else if (c != '\r') {
        *out += c;
      }
    }
  }

  std::string cell_;
};

}  // namespace

arrow::Result<std::unique_ptr<Sink>> MakeCsvSink(const std::shared_ptr<arrow::Schema>& schema,
                                                 char delimiter, SinkOptionReader* reader,
                                                 std::shared_ptr<arrow::io::OutputStream> output) {
  CsvOptions options;
  ARROW_ASSIGN_OR_RAISE(options.header, reader->Flag("header", true));
  ARROW_ASSIGN_OR_RAISE(options.delimiter, reader->Character("delimiter", delimiter));
  ARROW_ASSIGN_OR_RAISE(options.quote, reader->Character("quote", '"'));
  ARROW_ASSIGN_OR_RAISE(options.escape, reader->Character("escape", options.quote));
  ARROW_ASSIGN_OR_RAISE(options.null_text, reader->Text("null", ""));
  ARROW_ASSIGN_OR_RAISE(const std::vector<int> quoted, reader->Columns("force_quote", *schema, {}));
  if (options.quote == options.delimiter || options.escape == options.delimiter) {
    const char* name = options.quote == options.delimiter ? "quote" : "escape";
    return reader->Error(reader->WasGiven(name) ? name : "delimiter",
                         "options \"delimiter\" and \"", name, "\" must be different");
  }
  // Such a NULL would read back as something else.
  for (const char c : {options.delimiter, options.quote, '\n', '\r'}) {
    if (options.null_text.find(c) != std::string::npos) {
      return reader->Error("null", "option \"null\" must hold no delimiter, quote or line break");
    }
  }
  options.is_quoted.resize(static_cast<size_t>(schema->num_fields()));
  for (const int column : quoted) {
    options.is_quoted[static_cast<size_t>(column)] = true;
  }
  return std::make_unique<CsvSink>(std::move(output), *schema, std::move(options));
}

arrow::Result<std::unique_ptr<Sink>> MakeJsonSink(const std::shared_ptr<arrow::Schema>& schema,
                                                  bool lines,
                                                  std::shared_ptr<arrow::io::OutputStream> output) {
  return std::make_unique<JsonSink>(std::move(output), *schema, lines);
}

arrow::Result<std::unique_ptr<Sink>> MakeMarkdownSink(
    const std::shared_ptr<arrow::Schema>& schema, std::shared_ptr<arrow::io::OutputStream> output) {
  return std::make_unique<MarkdownSink>(std::move(output), *schema);
}

}  // namespace keepone
