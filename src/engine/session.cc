// SPDX-License-Identifier: Apache-2.0
#include "keepone/session.h"

#include <mutex>
#include <utility>

#include <arrow/api.h>
#include <arrow/config.h>

#include "base/error.h"
#include "engine/execute.h"
#include "engine/session_catalog.h"
#include "engine/settings.h"
#include "keepone/version.h"
#include "sql/parser.h"

namespace keepone {

namespace {

StatementResult ExecuteStatement(ast::Statement* statement, const ExecuteState& state) {
  switch (statement->kind) {
    case ast::StatementKind::kQuery:
      return ExecuteQuery(statement->As<ast::QueryStatement>(), state);
    case ast::StatementKind::kCreateTable:
      return ExecuteCreateTable(statement->As<ast::CreateTableStatement>(), state);
    case ast::StatementKind::kCreateView:
      return ExecuteCreateView(&statement->As<ast::CreateViewStatement>(), state);
    case ast::StatementKind::kDrop:
      return ExecuteDrop(statement->As<ast::DropStatement>(), state);
    case ast::StatementKind::kInsert:
      return ExecuteInsert(statement->As<ast::InsertStatement>(), state);
    case ast::StatementKind::kCopy:
      return ExecuteCopy(statement->As<ast::CopyStatement>(), state);
    case ast::StatementKind::kDescribe:
      return ExecuteDescribe(statement->As<ast::DescribeStatement>(), state);
    case ast::StatementKind::kShow:
      return ExecuteShow(statement->As<ast::ShowStatement>(), state);
    case ast::StatementKind::kSet:
      return ExecuteSet(statement->As<ast::SetStatement>(), state);
    case ast::StatementKind::kReset:
      return ExecuteReset(statement->As<ast::ResetStatement>(), state);
    case ast::StatementKind::kExplain:
      return ExecuteExplain(statement->As<ast::ExplainStatement>(), state);
  }
  return InternalError("a statement of no known kind");
}

class SessionImpl final : public Session {
 public:
  arrow::Status Init(const SessionOptions& options) {
    pool_ = options.memory_pool;
    for (const auto& [name, value] : options.settings) {
      ARROW_RETURN_NOT_OK(ApplySetting(&settings_, name, value));
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::unique_ptr<QueryResult>> Execute(std::string_view sql) override {
    // First of all: an interrupt that comes while the statement is read counts.
    stop_->Clear();
    ARROW_ASSIGN_OR_RAISE(std::vector<ast::StatementPtr> statements, ParseStatements(sql));
    if (statements.empty()) {
      return SyntaxError({0, 0}, "there is no statement");
    }
    if (statements.size() > 1) {
      return SyntaxError(statements[1]->span, "one statement at a time: this is a second one");
    }
    ExecuteState state{&catalog_, &settings_, MakeQueryContext(settings_, stop_, pool_)};
    {
      const std::lock_guard<std::mutex> lock(running_mutex_);
      running_ = state.context;
    }
    return ExecuteStatement(statements[0].get(), state);
  }

  arrow::Status AddTable(const std::string& name,
                         const std::shared_ptr<arrow::Table>& table) override {
    arrow::TableBatchReader reader(*table);
    ARROW_ASSIGN_OR_RAISE(auto batches, reader.ToRecordBatches());
    catalog_.PutTable(name, table->schema(), std::move(batches));
    return arrow::Status::OK();
  }

  void Interrupt() override { stop_->Set(); }

  ProgressReport progress() const override {
    std::shared_ptr<QueryContext> context;
    {
      const std::lock_guard<std::mutex> lock(running_mutex_);
      context = running_.lock();
    }
    ProgressReport report;
    if (context != nullptr) {
      const QueryProgress& progress = context->progress();
      report.rows_scanned = progress.rows_scanned.load(std::memory_order_relaxed);
      report.rows_total = progress.rows_total.load(std::memory_order_relaxed);
      report.rows_fetched = progress.rows_fetched.load(std::memory_order_relaxed);
      report.bytes_read = progress.bytes_read.load(std::memory_order_relaxed);
      report.memory_bytes = context->pool()->bytes_allocated();
    }
    return report;
  }

  arrow::Result<std::string> Setting(const std::string& name) const override {
    ARROW_ASSIGN_OR_RAISE(const SettingRow* row, FindSetting(name));
    return row->get(settings_);
  }

 private:
  SessionCatalog catalog_;
  Settings settings_;
  arrow::MemoryPool* pool_ = nullptr;
  const std::shared_ptr<StopFlag> stop_ = std::make_shared<StopFlag>();  // results may outlive us
  mutable std::mutex running_mutex_;
  std::weak_ptr<QueryContext> running_;  // of the newest statement
};

}  // namespace

arrow::Result<std::unique_ptr<Session>> Session::Make(const SessionOptions& options) {
  auto session = std::make_unique<SessionImpl>();
  ARROW_RETURN_NOT_OK(session->Init(options));
  return session;
}

arrow::Result<std::vector<StatementText>> SplitStatements(std::string_view script) {
  ARROW_ASSIGN_OR_RAISE(const std::vector<ast::StatementPtr> statements, ParseStatements(script));
  std::vector<StatementText> texts;
  for (const ast::StatementPtr& statement : statements) {
    const SourceSpan span = statement->span;
    texts.push_back({std::string(script.substr(static_cast<size_t>(span.offset),
                                               static_cast<size_t>(span.length))),
                     span.offset});
  }
  return texts;
}

std::string Version() {
  return KEEPONE_VERSION;
}

std::string ArrowVersion() {
  return arrow::GetBuildInfo().version_string;
}

}  // namespace keepone
