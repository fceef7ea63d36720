// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include <arrow/result.h>
#include <arrow/status.h>

#include "bind/binder.h"
#include "optimize/optimizer.h"

namespace keepone {

// What SET changes; a session has one.
struct Settings {
  Settings();

  int64_t threads;  // the cores that the process may use
  int64_t memory_bytes_max = -1;
  int64_t batch_rows_max = 8192;
  int64_t batch_bytes_max = int64_t{1} << 20;
  NullOrder null_order = NullOrder::kLast;
  OptimizerSettings optimizer;
  int64_t random_seed = 0;
  std::string temp_directory;   // empty: TMPDIR, or /tmp
  int64_t temp_bytes_max = -1;  // < 0: no limit
  bool force_spill = false;
};

// One row of the table of settings.
struct SettingRow {
  std::string name;
  std::string values;  // what may be given, for documents and messages: "1 to 1024"
  std::string doc;
  arrow::Status (*set)(Settings* settings, const std::string& value);
  std::string (*get)(const Settings& settings);
};

// All settings, sorted by name.
std::span<const SettingRow> SettingRows();

// The row of a name, without regard to case; an unknown one is a bind error with the nearest name.
arrow::Result<const SettingRow*> FindSetting(const std::string& name);

// Sets a value given as text. A bad one is a bind error that says what may be given.
arrow::Status ApplySetting(Settings* settings, const std::string& name, const std::string& value);

}  // namespace keepone
