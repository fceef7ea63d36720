// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace keepone {

// How a session begins. The settings are those of SET, by name with their values as text:
// {"threads", "4"}, {"memory_limit", "512MiB"}, {"default_null_order", "nulls_max"}; SHOW ALL lists
// them, docs/sql.md explains them.
struct SessionOptions {
  std::map<std::string, std::string> settings;
};

}  // namespace keepone
