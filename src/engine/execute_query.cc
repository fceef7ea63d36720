// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>

#include "base/error.h"
#include "base/letter_case.h"
#include "engine/execute.h"
#include "engine/explain.h"
#include "io/sink.h"

namespace keepone {

namespace {

// The query that a statement runs, or nullptr when it runs none.
const ast::Query* QueryOf(const ast::Statement& statement) {
  if (const auto* query = statement.If<ast::QueryStatement>()) {
    return query->query.get();
  }
  if (const auto* copy = statement.If<ast::CopyStatement>()) {
    return copy->query.get();
  }
  if (const auto* table = statement.If<ast::CreateTableStatement>()) {
    return table->query.get();
  }
  if (const auto* view = statement.If<ast::CreateViewStatement>()) {
    return view->query.get();
  }
  if (const auto* insert = statement.If<ast::InsertStatement>()) {
    return insert->query.get();
  }
  return nullptr;
}

// A column "plan" with a row for each line of the text; JSON is one row.
StatementResult MakePlanResult(const ExecuteState& state, const std::string& text, bool by_line) {
  arrow::StringBuilder builder(state.context->pool());
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = by_line ? std::min(text.find('\n', begin), text.size()) : text.size();
    ARROW_RETURN_NOT_OK(builder.Append(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  ARROW_ASSIGN_OR_RAISE(auto lines, builder.Finish());
  const int64_t length = lines->length();
  return MakeBatchResult(
      state.context,
      arrow::RecordBatch::Make(arrow::schema({arrow::field("plan", arrow::utf8())}), length,
                               {std::move(lines)}),
      "EXPLAIN");
}

// Runs the query into the sink and gives the number of rows.
arrow::Result<int64_t> Drain(arrow::RecordBatchReader* reader, QueryContext* context, Sink* sink) {
  int64_t rows = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) {
      return rows;
    }
    rows += batch->num_rows();
    if (sink != nullptr) {
      ARROW_RETURN_NOT_OK(sink->Write(batch));
      context->progress().rows_written.store(rows, std::memory_order_relaxed);
    }
  }
}

}  // namespace

StatementResult ExecuteQuery(const ast::QueryStatement& statement, const ExecuteState& state) {
  ARROW_ASSIGN_OR_RAISE(PreparedQuery prepared,
                        PrepareQuery(*statement.query, *state.catalog, *state.settings));
  ARROW_ASSIGN_OR_RAISE(RunningQuery running, StartQuery(std::move(prepared), state.context));
  return MakeStreamingResult(std::move(running));
}

StatementResult ExecuteExplain(const ast::ExplainStatement& statement, const ExecuteState& state) {
  const ast::Query* query = QueryOf(*statement.statement);
  if (query == nullptr) {
    return UnsupportedError(statement.statement->span,
                            "EXPLAIN shows statements with a query only");
  }
  ARROW_ASSIGN_OR_RAISE(PreparedQuery prepared,
                        PrepareQuery(*query, *state.catalog, *state.settings));
  const bool json = statement.format == ast::ExplainFormat::kJson;
  if (!statement.analyze) {
    return MakePlanResult(state, json ? ExplainJson(prepared) : ExplainText(prepared), !json);
  }
  const auto begin = std::chrono::steady_clock::now();
  ARROW_ASSIGN_OR_RAISE(RunningQuery running, StartQuery(std::move(prepared), state.context));
  ARROW_RETURN_NOT_OK(Drain(running.reader.get(), state.context.get(), nullptr));
  ARROW_RETURN_NOT_OK(running.reader->Close());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return MakePlanResult(
      state, json ? AnalyzeJson(running, seconds.count()) : AnalyzeText(running, seconds.count()),
      !json);
}

StatementResult ExecuteCopy(const ast::CopyStatement& statement, const ExecuteState& state) {
  SinkOptions options;
  arrow::Result<FileFormat> format = FileFormatFromPath(statement.target.text);
  SourceSpan format_span = statement.target.span;
  bool format_given = false;
  for (const ast::CopyOption& written : statement.options) {
    SinkOption option;
    option.span = written.span;
    if (written.value != nullptr) {
      if (const auto* list = written.value->If<ast::ListExpr>()) {
        for (const ast::ExprPtr& element : list->elements) {
          ARROW_ASSIGN_OR_RAISE(option.list.emplace_back(), OptionText(*element));
        }
      } else {
        ARROW_ASSIGN_OR_RAISE(option.value, OptionText(*written.value));
      }
    }
    const std::string name = LowerCase(written.name.text);
    if (name == "format") {
      format = FileFormatFromName(option.value);
      format_span = option.span;
      format_given = true;
    } else if (!options.emplace(name, std::move(option)).second) {
      return BindError(written.span, "option \"", written.name.text, "\" is given twice");
    }
  }
  if (!format.ok() && !format_given && options.contains("partition_by")) {
    format = FileFormat::kParquet;  // names of directories seldom say
  }
  if (!format.ok()) {
    return WithSpan(format.status(), ErrorKind::kBind, format_span);
  }
  ARROW_ASSIGN_OR_RAISE(PreparedQuery prepared,
                        PrepareQuery(*statement.query, *state.catalog, *state.settings));
  ARROW_ASSIGN_OR_RAISE(RunningQuery running, StartQuery(std::move(prepared), state.context));
  arrow::Result<std::unique_ptr<Sink>> sink = MakeFileSink(
      state.context.get(), *format, running.reader->schema(), options, statement.target.text);
  if (!sink.ok()) {
    return WithSpan(sink.status(), ErrorKind::kBind, statement.target.span);
  }
  ARROW_ASSIGN_OR_RAISE(const int64_t rows,
                        Drain(running.reader.get(), state.context.get(), sink->get()));
  ARROW_RETURN_NOT_OK((*sink)->Finish());
  return MakeSummaryResult(state.context, "COPY " + std::to_string(rows));
}

}  // namespace keepone
