// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/io/stdio.h>
#include <arrow/util/thread_pool.h>

#include "base/byte_size.h"
#include "base/error.h"
#include "cli/dedup_sql.h"
#include "cli/exit_code.h"
#include "cli/progress_bar.h"
#include "cli/table_printer.h"
#include "io/sink.h"
#include "keepone/session.h"
#include "sql/parser.h"

namespace keepone {

namespace {

// The session that a signal stops. A second signal ends the process at once.
std::atomic<Session*> signal_session{nullptr};

void OnSignal(int signal) {
  Session* session = signal_session.exchange(nullptr);
  if (session == nullptr) {
    ::_exit(128 + signal);
  }
  session->Interrupt();
}

class SignalGuard {
 public:
  explicit SignalGuard(Session* session) {
    signal_session.store(session);
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
  }
  ~SignalGuard() { signal_session.store(nullptr); }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
};

bool IsTerminal(int descriptor) {
  return ::isatty(descriptor) != 0;
}

int64_t TerminalWidth() {
  struct winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr && std::atoi(columns) > 0) {
    return std::atoi(columns);
  }
  // Nobody's terminal: wide enough for whatever reads it.
  return IsTerminal(STDOUT_FILENO) ? 80 : 160;
}

bool IsUtf8Locale() {
  return std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
}

bool GivesRows(const std::string& text) {
  const auto statements = ParseStatements(text);
  if (!statements.ok() || statements->empty()) {
    return false;
  }
  switch ((*statements)[0]->kind) {
    case ast::StatementKind::kQuery:
    case ast::StatementKind::kDescribe:
    case ast::StatementKind::kShow:
    case ast::StatementKind::kExplain:
      return true;
    default:
      return false;
  }
}

std::string FirstLine(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

// What one run shares.
class Runner {
 public:
  Runner(const Arguments& arguments, std::unique_ptr<Session> session)
      : arguments_(arguments), session_(std::move(session)) {}

  Session* session() { return session_.get(); }

  int RunScript(const std::string& script) {
    const auto begin = std::chrono::steady_clock::now();
    const int exit_code = RunStatements(script);
    if (arguments_.timing) {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      PrintTiming(seconds.count());
    }
    return exit_code;
  }

  int Fail(const arrow::Status& status, std::string_view statement) const {
    const std::string text = FormatError(status, statement);
    const size_t colon = std::min(text.find(':'), text.find('\n'));
    if (UsesColor() && colon != std::string::npos) {
      std::fprintf(stderr, "\033[1;31m%s\033[0m%s\n", text.substr(0, colon).c_str(),
                   text.substr(colon).c_str());
    } else {
      std::fprintf(stderr, "%s\n", text.c_str());
    }
    return ExitCodeOf(status);
  }

 private:
  int RunStatements(const std::string& script) {
    const arrow::Result<std::vector<StatementText>> statements = SplitStatements(script);
    if (!statements.ok()) {
      return Fail(statements.status(), script);
    }
    if (const StatementText* second = SecondOutput(*statements)) {
      return Fail(
          WithHint(BindError({}, "only one statement can write its rows to \"", arguments_.output,
                             "\", and this is the second: ", FirstLine(second->text)),
                   "use COPY (query) TO 'file' for each"),
          "");
    }
    for (const StatementText& statement : *statements) {
      const SignalGuard guard(session_.get());
      const arrow::Status status = RunStatement(statement.text);
      if (!status.ok()) {
        return Fail(status, statement.text);
      }
    }
    return kExitSuccess;
  }

  // The second statement whose rows would go to the output file, before the first one runs;
  // nullptr when there is none. What cannot be read fails when its turn comes.
  const StatementText* SecondOutput(const std::vector<StatementText>& statements) const {
    bool has_first = false;
    for (const StatementText& statement : statements) {
      if (!arguments_.output.empty() && GivesRows(statement.text) &&
          std::exchange(has_first, true)) {
        return &statement;
      }
    }
    return nullptr;
  }

  arrow::Status RunStatement(const std::string& statement) {
    std::unique_ptr<ProgressBar> bar;
    if (arguments_.progress.value_or(IsTerminal(STDERR_FILENO) && IsTerminal(STDOUT_FILENO))) {
      bar = MakeProgressBar(session_.get());
    }
    ARROW_ASSIGN_OR_RAISE(auto result, session_->Execute(statement));
    if (!result->has_rows()) {
      return arrow::Status::OK();
    }
    if (!arguments_.output.empty()) {
      return WriteFile(result.get());
    }
    return PrintRows(result.get(), &bar);
  }

  arrow::Status WriteFile(QueryResult* result) {
    ARROW_ASSIGN_OR_RAISE(const FileFormat format, arguments_.format.empty()
                                                       ? FileFormatFromPath(arguments_.output)
                                                       : FileFormatFromName(arguments_.format));
    ARROW_ASSIGN_OR_RAISE(auto sink, MakeFileSink(result->context(), format, result->schema(), {},
                                                  arguments_.output));
    return Drain(result, sink.get());
  }

  static arrow::Status Drain(QueryResult* result, Sink* sink) {
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, result->Next());
      if (batch == nullptr) {
        break;
      }
      ARROW_RETURN_NOT_OK(sink->Write(batch));
    }
    ARROW_RETURN_NOT_OK(result->Close());
    return sink->Finish();
  }

  arrow::Status PrintRows(QueryResult* result, std::unique_ptr<ProgressBar>* bar) {
    std::string name = arguments_.format;
    if (name.empty()) {
      name = IsTerminal(STDOUT_FILENO) ? "table" : "csv";
    }
    if (result->summary() == "EXPLAIN" && (arguments_.format.empty() || name == "table")) {
      return PrintLines(result);
    }
    if (name == "table") {
      return PrintTable(result, bar);
    }
    ARROW_ASSIGN_OR_RAISE(FileFormat format, FileFormatFromName(name));
    if (format == FileFormat::kArrowFile) {
      format = FileFormat::kArrowStream;  // a pipe cannot be sought in
    }
    const bool binary = format == FileFormat::kParquet || format == FileFormat::kArrowStream;
    if (binary && IsTerminal(STDOUT_FILENO)) {
      return WithHint(BindError({}, "format ", name, " is not for a terminal"),
                      "write to a file with -o, or into a pipe");
    }
    auto output = std::make_shared<arrow::io::StdoutStream>();
    ARROW_ASSIGN_OR_RAISE(
        auto sink, MakeSink(result->context(), format, result->schema(), {}, std::move(output)));
    ARROW_RETURN_NOT_OK(Drain(result, sink.get()));
    return Flush();
  }

  arrow::Status PrintTable(QueryResult* result, std::unique_ptr<ProgressBar>* bar) const {
    TablePrinter::Options options;
    options.rows_max = arguments_.table_rows_max;
    options.width = TerminalWidth();
    options.ascii = !IsUtf8Locale();
    TablePrinter printer(result->schema(), options);
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, result->Next());
      if (batch == nullptr) {
        break;
      }
      ARROW_RETURN_NOT_OK(printer.Add(*batch));
    }
    bar->reset();  // before the table, which may stand on the same terminal
    const std::string text = printer.Finish();
    std::fwrite(text.data(), 1, text.size(), stdout);
    return Flush();
  }

  // A plan is text for people: its lines as they are, however long, where no format is asked for.
  static arrow::Status PrintLines(QueryResult* result) {
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, result->Next());
      if (batch == nullptr) {
        return Flush();
      }
      const auto& lines = static_cast<const arrow::StringArray&>(*batch->column(0));
      for (int64_t row = 0; row < lines.length(); ++row) {
        std::printf("%s\n", lines.GetString(row).c_str());
      }
    }
  }

  static arrow::Status Flush() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return ResourceError("cannot write to standard output: ", std::strerror(errno));
    }
    return arrow::Status::OK();
  }

  bool UsesColor() const {
    if (arguments_.color != "auto") {
      return arguments_.color == "always";
    }
    const char* no_color = std::getenv("NO_COLOR");
    return IsTerminal(STDERR_FILENO) && (no_color == nullptr || *no_color == '\0');
  }

  static void PrintTiming(double seconds) {
    struct rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto in_seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    std::fprintf(stderr, "time %.3f s, CPU %.3f s, peak resident memory %s\n", seconds,
                 in_seconds(usage.ru_utime) + in_seconds(usage.ru_stime),
                 FormatByteSize(usage.ru_maxrss * 1024).c_str());
  }

  const Arguments& arguments_;
  std::unique_ptr<Session> session_;
};

arrow::Result<std::string> ReadAll(std::FILE* file) {
  std::string text;
  std::array<char, 65536> buffer;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file)) {
    text.append(buffer.data(), count);
  }
  if (std::ferror(file) != 0) {
    return DataError(std::strerror(errno));
  }
  return text;
}

arrow::Result<std::string> ReadScript(const Arguments& arguments) {
  if (arguments.sql.has_value()) {
    return *arguments.sql;
  }
  if (!arguments.sql_file.has_value() || *arguments.sql_file == "-") {
    return ReadAll(stdin);
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(arguments.sql_file->c_str(), "rb"), &std::fclose);
  if (file == nullptr) {
    return DataError(*arguments.sql_file, ": ", std::strerror(errno));
  }
  arrow::Result<std::string> text = ReadAll(file.get());
  if (!text.ok()) {
    return DataError(*arguments.sql_file, ": ", text.status().message());
  }
  return text;
}

// Before anything runs, as it may run long.
arrow::Status CheckFormat(const Arguments& arguments) {
  if (arguments.format.empty()) {
    return arguments.output.empty() ? arrow::Status::OK()
                                    : FileFormatFromPath(arguments.output).status();
  }
  if (arguments.format != "table") {
    return FileFormatFromName(arguments.format).status();
  }
  return arguments.output.empty()
             ? arrow::Status::OK()
             : WithHint(BindError({}, "format table is for standard output, not for files"),
                        "markdown is a table for files");
}

int RunDedup(const DedupArguments& dedup, Runner* runner) {
  const arrow::Result<std::string> sql = DedupSql(dedup, runner->session());
  if (!sql.ok()) {
    return runner->Fail(sql.status(), "");
  }
  if (dedup.print_sql) {
    std::printf("%s\n", sql->c_str());
    return kExitSuccess;
  }
  return runner->RunScript(*sql);
}

// Of Arrow's pools the one that gives memory back soonest at little cost; whoever names another one
// by Arrow's own variable gets that.
arrow::MemoryPool* ChoosePool() {
  arrow::MemoryPool* pool = nullptr;
  if (std::getenv("ARROW_DEFAULT_MEMORY_POOL") == nullptr &&
      arrow::jemalloc_memory_pool(&pool).ok()) {
    return pool;
  }
  return arrow::default_memory_pool();
}

}  // namespace

int Run(const Arguments& arguments) {
  arrow::Result<std::unique_ptr<Session>> session =
      Session::Make({arguments.settings, ChoosePool()});
  if (!session.ok()) {
    std::fprintf(stderr, "%s\n", FormatError(session.status(), "").c_str());
    return kExitUsage;
  }
  const arrow::Result<std::string> threads = (*session)->Setting("threads");
  if (threads.ok()) {
    // The process is ours: what Arrow computes beside our workers keeps to the same number.
    static_cast<void>(arrow::SetCpuThreadPoolCapacity(std::atoi(threads->c_str())));
  }
  const arrow::Status format = CheckFormat(arguments);
  if (!format.ok()) {
    std::fprintf(stderr, "%s\n", FormatError(format, "").c_str());
    return kExitUsage;
  }
  Runner runner(arguments, *std::move(session));
  if (arguments.dedup.has_value()) {
    return RunDedup(*arguments.dedup, &runner);
  }
  if (!arguments.sql.has_value() && !arguments.sql_file.has_value() && IsTerminal(STDIN_FILENO)) {
    std::fputs("keepone needs a statement; see keepone --help\n", stderr);
    return kExitUsage;
  }
  const arrow::Result<std::string> script = ReadScript(arguments);
  if (!script.ok()) {
    return runner.Fail(script.status(), "");
  }
  return runner.RunScript(*script);
}

}  // namespace keepone
