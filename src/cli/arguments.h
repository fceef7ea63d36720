// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

namespace keepone {

// What `keepone dedup` was asked for.
struct DedupArguments {
  std::vector<std::string> files;
  std::string keys;   // "id,region"
  std::string order;  // "ts:desc,seq"; may be empty
  std::string keep = "first";
  bool print_sql = false;
};

// The command line, checked for form and not for meaning.
struct Arguments {
  std::optional<std::string> sql;  // of the command line; may be several statements
  std::optional<std::string> sql_file;
  std::optional<DedupArguments> dedup;
  std::string format;  // empty: by what the output is
  std::string output;  // empty: standard output
  std::map<std::string, std::string> settings;
  bool timing = false;
  std::optional<bool> progress;  // unset: only on a terminal
  std::string color = "auto";
  int64_t table_rows_max = 40;
};

// Reads the command line. Where there is nothing to run (help, version, wrong usage) prints what is
// to be said and gives the exit code.
struct ParsedArguments {
  Arguments arguments;
  std::optional<int> exit_code;
};
ParsedArguments ParseArguments(int argc, const char* const* argv);

}  // namespace keepone
