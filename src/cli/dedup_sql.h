// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <arrow/result.h>

#include "cli/arguments.h"
#include "keepone/session.h"

namespace keepone {

// The statement that `keepone dedup` stands for. `session` tells the files' columns, which keeping
// the last row spells out. Rows without a value to order by never win over those with one.
arrow::Result<std::string> DedupSql(const DedupArguments& arguments, Session* session);

}  // namespace keepone
