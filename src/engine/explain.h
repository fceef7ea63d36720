// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/run_query.h"

namespace keepone {

// The plan as a tree, then the rules' notes, a line each.
std::string ExplainText(const PreparedQuery& query);

// {"plan": {"operator": .., "inputs": [..]}, "notes": [..]}.
std::string ExplainJson(const PreparedQuery& query);

// The same of a query that has run, with what each operator did, the time and the peak memory.
std::string AnalyzeText(const RunningQuery& query, double seconds);
std::string AnalyzeJson(const RunningQuery& query, double seconds);

}  // namespace keepone
