// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup_sql.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include <arrow/api.h>

#include "base/error.h"

namespace keepone {

namespace {

std::string Quote(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == quote) {
      quoted += quote;
    }
    quoted += c;
  }
  return quoted + quote;
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    while (!part.empty() && part.front() == ' ') {
      part.remove_prefix(1);
    }
    while (!part.empty() && part.back() == ' ') {
      part.remove_suffix(1);
    }
    if (!part.empty()) {
      parts.emplace_back(part);
    }
    if (comma == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(comma + 1);
  }
}

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

// "ts:desc" as an ORDER BY item; NULLs lose, whichever end wins.
arrow::Result<std::string> OrderItem(const std::string& text, bool keeps_last) {
  const size_t colon = text.rfind(':');
  std::string direction = colon == std::string::npos ? "asc" : text.substr(colon + 1);
  std::transform(direction.begin(), direction.end(), direction.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (direction != "asc" && direction != "desc") {
    return WithHint(BindError({}, "\"", direction, "\" in --by is neither asc nor desc"),
                    "--by takes columns like ts:desc,seq");
  }
  const std::string column = Quote(text.substr(0, colon), '"');
  return column + (direction == "desc" ? " DESC" : "") +
         (keeps_last ? " NULLS FIRST" : " NULLS LAST");
}

// The names of the files' columns.
arrow::Result<std::vector<std::string>> ColumnNames(const std::string& files, Session* session) {
  ARROW_ASSIGN_OR_RAISE(auto result, session->Execute("DESCRIBE SELECT * FROM " + files));
  std::vector<std::string> names;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, result->Next());
    if (batch == nullptr) {
      return names;
    }
    const auto& column = static_cast<const arrow::StringArray&>(*batch->column(0));
    for (int64_t row = 0; row < column.length(); ++row) {
      names.push_back(column.GetString(row));
    }
  }
}

}  // namespace

arrow::Result<std::string> DedupSql(const DedupArguments& arguments, Session* session) {
  std::vector<std::string> files;
  for (const std::string& file : arguments.files) {
    files.push_back(Quote(file, '\''));
  }
  const std::string from = files.size() == 1 ? files[0] : "[" + Join(files) + "]";
  std::vector<std::string> keys;
  for (const std::string& key : SplitAtCommas(arguments.keys)) {
    keys.push_back(Quote(key, '"'));
  }
  if (keys.empty()) {
    return BindError({}, "--key names no column");
  }
  const bool keeps_last = arguments.keep == "last";
  std::vector<std::string> order;
  for (const std::string& item : SplitAtCommas(arguments.order)) {
    ARROW_ASSIGN_OR_RAISE(std::string sql, OrderItem(item, keeps_last));
    order.push_back(std::move(sql));
  }
  const std::string order_by = order.empty() ? "" : " ORDER BY " + Join(order);
  if (!keeps_last) {
    return "SELECT * FROM " + from + " QUALIFY row_number() OVER (PARTITION BY " + Join(keys) +
           order_by + ") = 1";
  }
  // Of equal rows the last one wins here, which is what last_value means and row_number does not.
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> names, ColumnNames(from, session));
  std::vector<std::string> items;
  for (const std::string& name : names) {
    const std::string column = Quote(name, '"');
    items.push_back("last_value(" + column + order_by + ") AS " + column);
  }
  return "SELECT " + Join(items) + " FROM " + from + " GROUP BY " + Join(keys);
}

}  // namespace keepone
