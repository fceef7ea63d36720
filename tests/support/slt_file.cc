// SPDX-License-Identifier: Apache-2.0
#include "tests/support/slt_file.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

namespace keepone {

namespace {

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(std::move(word));
  }
  return words;
}

std::string Blanks(std::string text) {
  std::replace(text.begin(), text.end(), '~', ' ');
  return text;
}

arrow::Status ParseQueryHead(const std::vector<std::string>& words, SltRecord* record) {
  if (words.size() < 2) {
    return arrow::Status::Invalid("query without column letters");
  }
  record->column_letters = words[1];
  for (size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "rowsort") {
      record->rowsort = true;
    } else if (words[i].rfind("+plan:", 0) == 0) {
      record->plan_wanted.push_back(Blanks(words[i].substr(6)));
    } else if (words[i].rfind("-plan:", 0) == 0) {
      record->plan_unwanted.push_back(Blanks(words[i].substr(6)));
    } else {
      return arrow::Status::Invalid("unknown word \"", words[i], "\" behind query");
    }
  }
  return arrow::Status::OK();
}

// Reads the record's head line; false when the line begins none.
arrow::Result<bool> ParseHead(const std::string& line, SltRecord* record) {
  const std::vector<std::string> words = Words(line);
  if (words[0] == "require") {
    record->kind = SltRecord::Kind::kRequire;
    record->requirement = words.size() > 1 ? words[1] : "";
    return true;
  }
  if (words[0] == "query") {
    record->kind = SltRecord::Kind::kQuery;
    ARROW_RETURN_NOT_OK(ParseQueryHead(words, record));
    return true;
  }
  if (words[0] == "statement" && words.size() >= 2 && words[1] == "ok") {
    record->kind = SltRecord::Kind::kStatementOk;
    return true;
  }
  if (words[0] == "statement" && words.size() >= 3 && words[1] == "error") {
    record->kind = SltRecord::Kind::kStatementError;
    record->error_kind = words[2].substr(0, words[2].find(':'));
    const size_t colon = line.find(": ");
    record->error_text = colon == std::string::npos ? "" : line.substr(colon + 2);
    return true;
  }
  return false;
}

}  // namespace

arrow::Result<std::vector<SltRecord>> ParseSltFile(const std::vector<std::string>& lines) {
  std::vector<SltRecord> records;
  size_t at = 0;
  const auto is_blank = [&](size_t i) { return Words(lines[i]).empty(); };
  while (at < lines.size()) {
    if (is_blank(at) || lines[at][0] == '#') {
      ++at;
      continue;
    }
    SltRecord record;
    record.line = static_cast<int64_t>(at) + 1;
    ARROW_ASSIGN_OR_RAISE(const bool known, ParseHead(lines[at], &record));
    if (!known) {
      return arrow::Status::Invalid("line ", at + 1, ": no record begins with \"", lines[at], "\"");
    }
    ++at;
    if (record.kind != SltRecord::Kind::kRequire) {
      while (at < lines.size() && !is_blank(at) && lines[at] != "----") {
        record.sql += (record.sql.empty() ? "" : "\n") + lines[at++];
      }
    }
    if (record.kind == SltRecord::Kind::kQuery) {
      if (at < lines.size() && lines[at] == "----") {
        ++at;
      }
      record.rows_begin = static_cast<int64_t>(at);
      while (at < lines.size() && !is_blank(at)) {
        std::string row = lines[at++];
        std::replace(row.begin(), row.end(), '\t', ' ');
        record.rows.push_back(std::move(row));
      }
      record.rows_end = static_cast<int64_t>(at);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace keepone
