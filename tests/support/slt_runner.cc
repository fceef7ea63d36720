// SPDX-License-Identifier: Apache-2.0
// Runs test files in the sqllogictest manner under a matrix of settings:
//   slt_runner [--complete] [--config NAME] ROOT|FILE...
// With --complete the answers of the first configuration are written into the files.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/api.h>

#include "column/value_text.h"
#include "keepone/session.h"
#include "optimize/optimizer.h"
#include "tests/support/slt_file.h"

namespace keepone {
namespace {

namespace fs = std::filesystem;

// One way of running a file.
struct Configuration {
  std::string name;
  std::map<std::string, std::string> settings;
  bool tables_in_parquet = false;  // tables are moved to files of tiny row groups and pages
};

std::vector<Configuration> Matrix() {
  std::vector<Configuration> matrix = {
      {"default", {{"threads", "2"}, {"verify_plans", "true"}}},
      {"threads_1", {{"threads", "1"}}},
      {"threads_4_batch_1", {{"threads", "4"}, {"batch_rows", "1"}}},
      {"batch_7", {{"threads", "2"}, {"batch_rows", "7"}}},
      {"form_carry", {{"threads", "2"}, {"form", "carry"}}},
      {"form_fetch", {{"threads", "2"}, {"form", "fetch"}, {"batch_rows", "7"}}},
      {"spill", {{"threads", "2"}, {"force_spill", "true"}, {"form", "carry"}}},
      {"spill_batch_7", {{"threads", "3"}, {"force_spill", "true"}, {"batch_rows", "7"}}},
      {"spill_parquet", {{"threads", "2"}, {"force_spill", "true"}}, true},
      {"optimizer_off", {{"threads", "2"}, {"optimizer", "false"}}},
      {"parquet_fetch", {{"threads", "2"}, {"form", "fetch"}}, true},
      {"parquet_auto_threads_4", {{"threads", "4"}, {"batch_rows", "7"}}, true},
      {"parquet_carry", {{"threads", "1"}, {"form", "carry"}}, true},
  };
  for (const std::string_view rule : OptimizerRuleNames()) {
    matrix.push_back({"without_" + std::string(rule),
                      {{"threads", "2"}, {"disabled_optimizers", std::string(rule)}}});
  }
  return matrix;
}

std::string ReplaceAll(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

char LetterOf(const arrow::DataType& type) {
  if (arrow::is_integer(type.id())) {
    return 'I';
  }
  return arrow::is_numeric(type.id()) || arrow::is_decimal(type.id()) ? 'R' : 'T';
}

struct Answer {
  std::string letters;
  std::vector<std::string> rows;
};

arrow::Result<Answer> ReadAnswer(QueryResult* result) {
  Answer answer;
  for (const auto& field : result->schema()->fields()) {
    answer.letters += LetterOf(*field->type());
  }
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, result->Next());
    if (batch == nullptr) {
      return answer;
    }
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    std::vector<std::unique_ptr<ValueText>> columns;
    for (const auto& column : batch->columns()) {
      ARROW_ASSIGN_OR_RAISE(auto text, MakeValueText(column, TextStyle::kPlain));
      columns.push_back(std::move(text));
    }
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      std::string line;
      for (const auto& column : columns) {
        std::string value;
        column->Append(row, &value);
        if (column->IsNull(row)) {
          value = "NULL";
        } else if (value.empty()) {
          value = "(empty)";
        }
        line += (line.empty() ? "" : " ") + value;
      }
      answer.rows.push_back(ReplaceAll(ReplaceAll(line, "\n", "\\n"), "\t", "\\t"));
    }
  }
}

// Runs one file under one configuration.
class FileRun {
 public:
  FileRun(const Configuration& configuration, std::string temporary, std::string realfiles)
      : configuration_(configuration),
        temporary_(std::move(temporary)),
        realfiles_(std::move(realfiles)) {}

  // Gives the mistakes found, and the answers of the queries by record number.
  std::vector<std::string> Run(const std::vector<SltRecord>& records,
                               std::map<size_t, std::vector<std::string>>* answers, bool* skipped) {
    arrow::Result<std::unique_ptr<Session>> session = Session::Make({configuration_.settings});
    if (!session.ok()) {
      return {session.status().ToString()};
    }
    session_ = *std::move(session);
    for (const SltRecord& record : records) {
      has_inserts_ =
          has_inserts_ || record.sql.rfind("INSERT", 0) == 0 || record.sql.rfind("DROP", 0) == 0;
    }
    for (size_t i = 0; i < records.size(); ++i) {
      const SltRecord& record = records[i];
      if (record.kind == SltRecord::Kind::kRequire) {
        if (record.requirement == "realfiles" && !fs::exists(realfiles_)) {
          *skipped = true;
          break;
        }
        continue;
      }
      const std::string sql =
          ReplaceAll(ReplaceAll(record.sql, "{tmp}", temporary_), "{realfiles}", realfiles_);
      std::string mistake = record.kind == SltRecord::Kind::kQuery
                                ? RunQuery(record, sql, &(*answers)[i])
                                : RunStatement(record, sql);
      if (!mistake.empty()) {
        mistakes_.push_back("line " + std::to_string(record.line) + ": " + mistake + "\n  " +
                            ReplaceAll(sql, "\n", "\n  "));
      }
    }
    return mistakes_;
  }

 private:
  arrow::Result<Answer> Execute(const std::string& sql) {
    ARROW_ASSIGN_OR_RAISE(auto result, session_->Execute(sql));
    return ReadAnswer(result.get());
  }

  std::string RunStatement(const SltRecord& record, const std::string& sql) {
    const arrow::Status status = Execute(sql).status();
    if (record.kind == SltRecord::Kind::kStatementOk) {
      if (!status.ok()) {
        return FormatError(status, sql);
      }
      return configuration_.tables_in_parquet && !has_inserts_ ? MoveTable(sql) : "";
    }
    if (status.ok()) {
      return "succeeded, but " + record.error_kind + " error was expected: " + record.error_text;
    }
    const std::string kind =
        status.IsCancelled() ? "cancelled" : std::string(ErrorKindName(GetErrorKind(status)));
    if (kind != record.error_kind ||
        FormatError(status, "").find(record.error_text) == std::string::npos) {
      return "expected " + record.error_kind + " error: " + record.error_text + "\n  got " +
             FormatError(status, sql);
    }
    return "";
  }

  // Moves the table that a statement has made to a Parquet file, where its types have a place
  // there.
  std::string MoveTable(const std::string& sql) {
    constexpr std::string_view kCreate = "CREATE TABLE ";
    if (sql.rfind(kCreate, 0) != 0) {
      return "";
    }
    std::string name = sql.substr(kCreate.size());
    name = name.substr(0, name.find_first_of(" (\n"));
    const std::string path = temporary_ + "/" + std::to_string(++tables_) + ".parquet";
    const arrow::Status copied = Execute("COPY (SELECT * FROM " + name + ") TO '" + path +
                                         "' (ROW_GROUP_SIZE 5, PAGE_BYTES 64)")
                                     .status();
    if (!copied.ok()) {
      return "";
    }
    const arrow::Status viewed =
        Execute("CREATE OR REPLACE VIEW " + name + " AS SELECT * FROM '" + path + "'").status();
    return viewed.ok() ? "" : FormatError(viewed, "");
  }

  std::string RunQuery(const SltRecord& record, const std::string& sql,
                       std::vector<std::string>* rows) {
    arrow::Result<Answer> answer = Execute(sql);
    if (!answer.ok()) {
      return FormatError(answer.status(), sql);
    }
    std::vector<std::string> expected = record.rows;
    if (record.rowsort) {
      std::sort(answer->rows.begin(), answer->rows.end());
      std::sort(expected.begin(), expected.end());
    }
    *rows = answer->rows;
    if (answer->letters != record.column_letters) {
      return "column letters are " + answer->letters + ", not " + record.column_letters;
    }
    if (answer->rows != expected) {
      std::string text = "expected " + std::to_string(expected.size()) + " rows:";
      for (const std::string& row : expected) {
        text += "\n    " + row;
      }
      text += "\n  got " + std::to_string(answer->rows.size()) + ":";
      for (const std::string& row : answer->rows) {
        text += "\n    " + row;
      }
      return text;
    }
    return configuration_.name == "default" ? CheckPlan(record, sql) : "";
  }

  std::string CheckPlan(const SltRecord& record, const std::string& sql) {
    if (record.plan_wanted.empty() && record.plan_unwanted.empty()) {
      return "";
    }
    const arrow::Result<Answer> plan = Execute("EXPLAIN " + sql);
    if (!plan.ok()) {
      return FormatError(plan.status(), sql);
    }
    std::string text;
    for (const std::string& row : plan->rows) {
      text += "\n    " + row;
    }
    for (const std::string& wanted : record.plan_wanted) {
      if (text.find(wanted) == std::string::npos) {
        return "the plan lacks \"" + wanted + "\":" + text;
      }
    }
    for (const std::string& unwanted : record.plan_unwanted) {
      if (text.find(unwanted) != std::string::npos) {
        return "the plan has \"" + unwanted + "\":" + text;
      }
    }
    return "";
  }

  const Configuration& configuration_;
  std::string temporary_;
  std::string realfiles_;
  std::unique_ptr<Session> session_;
  bool has_inserts_ = false;
  int64_t tables_ = 0;
  std::vector<std::string> mistakes_;
};

std::vector<std::string> ReadLines(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(std::move(line));
  }
  return lines;
}

void WriteAnswers(const fs::path& path, const std::vector<std::string>& lines,
                  const std::vector<SltRecord>& records,
                  const std::map<size_t, std::vector<std::string>>& answers) {
  std::ofstream file(path);
  size_t at = 0;
  const auto copy_to = [&](int64_t end) {
    for (; at < static_cast<size_t>(end); ++at) {
      file << lines[at] << '\n';
    }
  };
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].kind != SltRecord::Kind::kQuery || answers.count(i) == 0) {
      continue;
    }
    copy_to(records[i].rows_begin);
    if (at == 0 || lines[at - 1] != "----") {
      file << "----\n";
    }
    for (const std::string& row : answers.at(i)) {
      file << row << '\n';
    }
    at = static_cast<size_t>(records[i].rows_end);
  }
  copy_to(static_cast<int64_t>(lines.size()));
}

struct Totals {
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t skipped = 0;
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "keepone_slt.XXXXXX").string();
    path_ = ::mkdtemp(pattern.data()) == nullptr ? "" : pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void RunFile(const fs::path& path, const std::vector<Configuration>& matrix, bool complete,
             const std::string& realfiles, Totals* totals) {
  const std::vector<std::string> lines = ReadLines(path);
  const arrow::Result<std::vector<SltRecord>> records = ParseSltFile(lines);
  if (!records.ok()) {
    std::cerr << path.string() << ": " << records.status().message() << "\n";
    ++totals->failed;
    return;
  }
  bool skipped = false;
  for (const Configuration& configuration : matrix) {
    const TemporaryFolder temporary;
    FileRun run(configuration, temporary.path(), realfiles);
    std::map<size_t, std::vector<std::string>> answers;
    const std::vector<std::string> mistakes = run.Run(*records, &answers, &skipped);
    for (const std::string& mistake : mistakes) {
      std::cerr << path.string() << " [" << configuration.name << "] " << mistake << "\n";
    }
    ++(mistakes.empty() ? totals->passed : totals->failed);
    if (complete) {
      WriteAnswers(path, lines, *records, answers);
      break;
    }
  }
  totals->skipped += skipped ? 1 : 0;
}

int Main(const std::vector<std::string>& arguments) {
  bool complete = false;
  std::string only;
  std::vector<fs::path> files;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--complete") {
      complete = true;
    } else if (arguments[i] == "--config" && i + 1 < arguments.size()) {
      only = arguments[++i];
    } else if (fs::is_directory(arguments[i])) {
      for (const auto& entry : fs::recursive_directory_iterator(arguments[i])) {
        if (entry.path().extension() == ".slt") {
          files.push_back(entry.path());
        }
      }
    } else {
      files.emplace_back(arguments[i]);
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Configuration> matrix = Matrix();
  if (!only.empty()) {
    std::erase_if(matrix, [&](const Configuration& c) { return c.name != only; });
  }
  const char* realfiles = std::getenv("KEEPONE_REALFILES");
  Totals totals;
  for (const fs::path& file : files) {
    RunFile(file, matrix, complete, realfiles == nullptr ? KEEPONE_REALFILES : realfiles, &totals);
  }
  if (totals.skipped > 0) {
    std::cerr << totals.skipped << " files stopped early: the real files are not there\n";
  }
  std::cout << totals.passed << " passed, " << totals.failed << " failed\n";
  return totals.failed == 0 && totals.passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace keepone

int main(int argc, char** argv) {
  return keepone::Main({argv + 1, argv + argc});
}
