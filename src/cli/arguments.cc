// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <limits>

#include "cli/exit_code.h"
#include "engine/settings.h"
#include "keepone/version.h"

namespace keepone {

namespace {

constexpr char kDescription[] =
    "keepone keeps one row per group and picks the winner by an ordering, over files larger than "
    "memory.";

constexpr char kExamples[] = R"(Examples:
  keepone "SELECT DISTINCT ON (id) * FROM 'events.parquet' ORDER BY id, ts DESC"
  keepone dedup events/*.parquet --key id --by ts:desc -o newest.parquet
  keepone "SELECT id, max_by(payload, ts) FROM 'events.parquet' GROUP BY id" -o newest.parquet
  keepone "EXPLAIN ANALYZE SELECT DISTINCT ON (id) * FROM 'events.parquet' ORDER BY id, ts DESC"
  echo "SELECT count(*) FROM 'events.parquet'" | keepone --format json

A file stands in FROM by its name in quotes; patterns ('logs/*.parquet') and lists (['a.parquet',
'b.parquet']) work too. Settings are also read from the environment: KEEPONE_THREADS,
KEEPONE_MEMORY_LIMIT and so on; SHOW ALL lists them.

Exit codes: 0 success, 2 wrong usage, 3 the statement, 4 an input file or its data, 5 memory or
disk, 130 interrupted.)";

// The settings that the environment gives; what the command line says comes later and wins.
void ReadEnvironment(std::map<std::string, std::string>* settings) {
  for (const SettingRow& row : SettingRows()) {
    std::string name = "KEEPONE_" + row.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (const char* value = std::getenv(name.c_str()); value != nullptr && *value != '\0') {
      (*settings)[row.name] = value;
    }
  }
}

struct RawOptions {
  std::string sql;
  std::string command;
  std::string file;
  std::string threads;
  std::string memory_limit;
  std::vector<std::string> sets;
  bool progress = false;
  bool no_progress = false;
};

void AddSharedOptions(CLI::App* app, Arguments* arguments, RawOptions* raw) {
  app->add_option("-o,--output", arguments->output,
                  "Write the rows to this file; its extension says the format")
      ->type_name("FILE");
  app->add_option("--format", arguments->format,
                  "table, csv, tsv, json, ndjson, markdown, parquet, arrow or arrows; without it a "
                  "table on a terminal and CSV in a pipe")
      ->type_name("NAME");
  app->add_option("--threads", raw->threads, "Threads to work with; all cores without it")
      ->type_name("N");
  app->add_option("--memory-limit", raw->memory_limit, "Most memory for buffers, as in 512MiB")
      ->type_name("SIZE");
  app->add_option("--set", raw->sets, "Set a setting, as SET does; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app->add_flag("--timing", arguments->timing, "Say on standard error what the run took");
  app->add_flag("--progress", raw->progress, "Show a progress bar on standard error");
  app->add_flag("--no-progress", raw->no_progress, "Show none, not even on a terminal");
  app->add_option("--color", arguments->color, "Colour messages: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  app->add_option("--max-rows", arguments->table_rows_max,
                  "Most rows that a table shows; 40 without it")
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
      ->type_name("N");
}

// Wrong usage that CLI11 does not see, or an empty string.
std::string FinishArguments(const RawOptions& raw, Arguments* arguments) {
  if (!raw.threads.empty()) {
    arguments->settings["threads"] = raw.threads;
  }
  if (!raw.memory_limit.empty()) {
    arguments->settings["memory_limit"] = raw.memory_limit;
  }
  for (const std::string& set : raw.sets) {
    const size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      return "--set takes NAME=VALUE, not \"" + set + "\"";
    }
    arguments->settings[set.substr(0, equals)] = set.substr(equals + 1);
  }
  if (raw.progress || raw.no_progress) {
    arguments->progress = raw.progress && !raw.no_progress;
  }
  const int sources = (raw.sql.empty() ? 0 : 1) + (raw.command.empty() ? 0 : 1) +
                      (raw.file.empty() ? 0 : 1) + (arguments->dedup.has_value() ? 1 : 0);
  if (sources > 1) {
    return "the statement can come from one place only: the command line, -c or -f";
  }
  if (!raw.sql.empty() || !raw.command.empty()) {
    arguments->sql = raw.sql.empty() ? raw.command : raw.sql;
  }
  if (!raw.file.empty()) {
    arguments->sql_file = raw.file;
  }
  return "";
}

}  // namespace

ParsedArguments ParseArguments(int argc, const char* const* argv) {
  ParsedArguments parsed;
  Arguments& arguments = parsed.arguments;
  ReadEnvironment(&arguments.settings);

  RawOptions raw;
  CLI::App app(kDescription, "keepone");
  app.footer(kExamples);
  app.get_formatter()->column_width(32);
  app.set_version_flag("--version", "keepone " + Version() + " (Arrow " + ArrowVersion() + ")");
  app.add_option("SQL", raw.sql, "Statements to run, with semicolons between them");
  app.add_option("-c,--command", raw.command, "The same, as an option")->type_name("SQL");
  app.add_option("-f,--file", raw.file, "Run the statements of a file; - is standard input")
      ->type_name("FILE");
  AddSharedOptions(&app, &arguments, &raw);

  DedupArguments dedup;
  CLI::App* dedup_command =
      app.add_subcommand("dedup", "Keep one row per key of Parquet files, in input order");
  dedup_command->add_option("FILES", dedup.files, "Files, or patterns in quotes")->required();
  dedup_command->add_option("--key", dedup.keys, "The columns that make a group")
      ->required()
      ->type_name("COL[,COL]");
  dedup_command
      ->add_option("--by", dedup.order,
                   "The order within a group, as in ts:desc,seq; without it, that of the input")
      ->type_name("COL[:desc][,..]");
  dedup_command
      ->add_option("--keep", dedup.keep,
                   "Which row of that order to keep: first, as without it, or last")
      ->check(CLI::IsMember({"first", "last"}))
      ->type_name("WHICH");
  dedup_command->add_flag("--print-sql", dedup.print_sql, "Print the statement and do not run it");
  AddSharedOptions(dedup_command, &arguments, &raw);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    parsed.exit_code = app.exit(error) == 0 ? kExitSuccess : kExitUsage;
    return parsed;
  }
  if (dedup_command->parsed()) {
    arguments.dedup = dedup;
  }
  const std::string mistake = FinishArguments(raw, &arguments);
  if (!mistake.empty()) {
    std::cerr << mistake << "\nRun with --help for more information.\n";
    parsed.exit_code = kExitUsage;
  }
  return parsed;
}

}  // namespace keepone
