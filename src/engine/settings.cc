// SPDX-License-Identifier: Apache-2.0
#include "engine/settings.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/letter_case.h"
#include "optimize/optimizer.h"

namespace keepone {

namespace {

constexpr int64_t kThreadsMax = 1024;

int64_t UsableCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) {
    return 1;
  }
  return std::max<int64_t>(1, CPU_COUNT(&cores));
}

arrow::Result<int64_t> ParseInteger(std::string_view value, int64_t min, int64_t max) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < min || number > max) {
    return arrow::Status::Invalid("");
  }
  return number;
}

// The choices of a setting that is one of a few words.
template <typename Value, size_t count>
using Choices = std::array<std::pair<std::string_view, Value>, count>;

template <typename Value, size_t count>
arrow::Status Choose(const Choices<Value, count>& choices, const std::string& text, Value* out) {
  const std::string lower = LowerCase(text);
  for (const auto& [name, value] : choices) {
    if (name == lower) {
      *out = value;
      return arrow::Status::OK();
    }
  }
  return arrow::Status::Invalid("");
}

template <typename Value, size_t count>
std::string NameOf(const Choices<Value, count>& choices, Value wanted) {
  for (const auto& [name, value] : choices) {
    if (value == wanted) {
      return std::string(name);
    }
  }
  return "";
}

constexpr Choices<NullOrder, 4> kNullOrders = {{{"nulls_last", NullOrder::kLast},
                                                {"nulls_first", NullOrder::kFirst},
                                                {"nulls_max", NullOrder::kMax},
                                                {"nulls_min", NullOrder::kMin}}};
constexpr Choices<bool, 6> kFlags = {
    {{"true", true}, {"false", false}, {"on", true}, {"off", false}, {"1", true}, {"0", false}}};
constexpr Choices<OptimizerSettings::Form, 3> kForms = {
    {{"auto", OptimizerSettings::Form::kAuto},
     {"fetch", OptimizerSettings::Form::kFetch},
     {"carry", OptimizerSettings::Form::kCarry}}};

arrow::Status SetDisabledRules(Settings* settings, const std::string& value) {
  const std::vector<std::string_view> known = OptimizerRuleNames();
  std::set<std::string> disabled;
  std::string_view rest = value;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    std::string name = LowerCase(rest.substr(0, comma));
    name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (name.empty()) {
      continue;
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string names;
      for (const std::string_view rule : known) {
        names += (names.empty() ? "" : ", ") + std::string(rule);
      }
      return WithHint(BindError({}, "there is no optimizer rule \"", name, "\""),
                      "the rules are " + names);
    }
    disabled.insert(std::move(name));
  }
  settings->optimizer.disabled_rules = std::move(disabled);
  return arrow::Status::OK();
}

std::string DisabledRules(const Settings& settings) {
  std::string names;
  for (const std::string& name : settings.optimizer.disabled_rules) {
    names += (names.empty() ? "" : ",") + name;
  }
  return names;
}

// Sets a limit that may be none, which is told as -1.
arrow::Status SetByteLimit(int64_t* limit, const std::string& value) {
  const std::string lower = LowerCase(value);
  if (lower == "none" || lower == "unlimited" || lower == "-1") {
    *limit = -1;
    return arrow::Status::OK();
  }
  return ParseByteSize(value).Value(limit);
}

std::string ByteLimit(int64_t limit) {
  return limit < 0 ? std::string("none") : FormatByteSize(limit);
}

std::vector<SettingRow> MakeRows() {
  std::vector<SettingRow> rows = {
      {"batch_bytes", "a size of at least 1KiB",
       "Bytes at which a batch that operators pass on ends.",
       [](Settings* s, const std::string& v) {
         ARROW_ASSIGN_OR_RAISE(const int64_t bytes, ParseByteSize(v));
         if (bytes < 1024) {
           return arrow::Status::Invalid("");
         }
         s->batch_bytes_max = bytes;
         return arrow::Status::OK();
       },
       [](const Settings& s) { return FormatByteSize(s.batch_bytes_max); }},
      {"batch_rows", "1 to 1048576", "Most rows of a batch that operators pass on.",
       [](Settings* s, const std::string& v) {
         return ParseInteger(v, 1, 1 << 20).Value(&s->batch_rows_max);
       },
       [](const Settings& s) { return std::to_string(s.batch_rows_max); }},
      {"default_null_order", "nulls_last, nulls_first, nulls_max or nulls_min",
       "Where NULLs stand in an ordering that does not say it: behind all values (nulls_last), "
       "before them (nulls_first), as if greater than all (nulls_max, as in PostgreSQL) or less "
       "(nulls_min, as in Spark).",
       [](Settings* s, const std::string& v) { return Choose(kNullOrders, v, &s->null_order); },
       [](const Settings& s) { return NameOf(kNullOrders, s.null_order); }},
      {"disabled_optimizers", "names of rules, with commas",
       "Rules of the optimizer that are left out.", SetDisabledRules, DisabledRules},
      {"force_spill", "true or false",
       "Whether operators that can put rows aside in temporary files do so however few they are; "
       "for tests.",
       [](Settings* s, const std::string& v) { return Choose(kFlags, v, &s->force_spill); },
       [](const Settings& s) { return NameOf(kFlags, s.force_spill); }},
      {"form", "auto, fetch or carry",
       "How the kept rows get their other columns: read again by address (fetch), kept while "
       "reading (carry), or whichever costs less (auto). A form that is not possible is not "
       "forced.",
       [](Settings* s, const std::string& v) { return Choose(kForms, v, &s->optimizer.form); },
       [](const Settings& s) { return NameOf(kForms, s.optimizer.form); }},
      {"memory_limit", "a size, or none",
       "Most memory that the buffers of one statement take together. Near it rows are put aside in "
       "temporary files; where that is not enough the statement fails.",
       [](Settings* s, const std::string& v) { return SetByteLimit(&s->memory_bytes_max, v); },
       [](const Settings& s) { return ByteLimit(s.memory_bytes_max); }},
      {"optimizer", "true or false", "Whether plans are rewritten at all.",
       [](Settings* s, const std::string& v) { return Choose(kFlags, v, &s->optimizer.enabled); },
       [](const Settings& s) { return NameOf(kFlags, s.optimizer.enabled); }},
      {"random_seed", "an integer of at least 0",
       "Where random() begins; the same seed gives the same rows.",
       [](Settings* s, const std::string& v) {
         return ParseInteger(v, 0, INT64_MAX).Value(&s->random_seed);
       },
       [](const Settings& s) { return std::to_string(s.random_seed); }},
      {"temp_directory", "a directory, or nothing for TMPDIR or /tmp",
       "Where rows that do not fit the memory are put aside: in a directory that a statement makes "
       "there and removes.",
       [](Settings* s, const std::string& v) {
         s->temp_directory = v;
         return arrow::Status::OK();
       },
       [](const Settings& s) { return s.temp_directory; }},
      {"temp_directory_limit", "a size, or none",
       "Most bytes that the temporary files of one statement take at once.",
       [](Settings* s, const std::string& v) { return SetByteLimit(&s->temp_bytes_max, v); },
       [](const Settings& s) { return ByteLimit(s.temp_bytes_max); }},
      {"threads", "1 to 1024", "Threads that work on a statement; the rows do not depend on it.",
       [](Settings* s, const std::string& v) {
         return ParseInteger(v, 1, kThreadsMax).Value(&s->threads);
       },
       [](const Settings& s) { return std::to_string(s.threads); }},
      {"verify_plans", "true or false",
       "Whether plans are checked after every rule of the optimizer; for finding faults in rules.",
       [](Settings* s, const std::string& v) { return Choose(kFlags, v, &s->optimizer.verify); },
       [](const Settings& s) { return NameOf(kFlags, s.optimizer.verify); }},
  };
  return rows;
}

}  // namespace

Settings::Settings() : threads(UsableCores()) {}

std::span<const SettingRow> SettingRows() {
  static const std::vector<SettingRow> rows = MakeRows();
  return rows;
}

arrow::Result<const SettingRow*> FindSetting(const std::string& name) {
  const std::string lower = LowerCase(name);
  std::vector<std::string> names;
  for (const SettingRow& row : SettingRows()) {
    if (row.name == lower) {
      return &row;
    }
    names.push_back(row.name);
  }
  const arrow::Status error = BindError({}, "there is no setting \"", name, "\"");
  const std::string nearest = NearestName(name, names);
  return WithHint(
      error, nearest.empty() ? "SHOW ALL lists the settings" : "did you mean \"" + nearest + "\"?");
}

arrow::Status ApplySetting(Settings* settings, const std::string& name, const std::string& value) {
  ARROW_ASSIGN_OR_RAISE(const SettingRow* row, FindSetting(name));
  const arrow::Status status = row->set(settings, value);
  if (!status.ok() &&
      (GetErrorDetail(status) == nullptr || GetErrorDetail(status)->hint().empty())) {
    return BindError({}, "setting \"", row->name, "\" cannot be \"", value, "\": it takes ",
                     row->values);
  }
  return status;
}

}  // namespace keepone
