// SPDX-License-Identifier: Apache-2.0
#include "optimize/default_rules.h"

#include "optimize/rules/extremes_to_winners.h"
#include "optimize/rules/fold_constants.h"
#include "optimize/rules/group_limit.h"
#include "optimize/rules/late_fetch.h"
#include "optimize/rules/limit_into_sort.h"
#include "optimize/rules/max_window_to_keep_rows.h"
#include "optimize/rules/merge_projects.h"
#include "optimize/rules/prune_columns.h"
#include "optimize/rules/push_down_filters.h"
#include "optimize/rules/remove_empty.h"
#include "optimize/rules/scan_bounds.h"
#include "optimize/rules/window_to_keep_rows.h"
#include "optimize/rules/winners_to_keep_rows.h"

namespace keepone {
namespace {

constexpr Rule kRules[] = {
    // First: every later rule matches literals, so `rn < 1 + 1` must read `rn < 2` by then.
    {"fold_constants", FoldConstants},
    // Before the pushing, which stops at a window that nobody reads.
    {"prune_columns", PruneColumns},
    // Before the matching of windows: brings a filter on a row number down to its window.
    {"push_down_filters", PushDownFilters},
    // Again: pushing puts expressions in place of columns, as `rn - 1` for `x` in `x = 0`.
    {"fold_constants", FoldConstants},
    // After the pushing: filters stand on their windows now.
    {"window_to_keep_rows", WindowToKeepRows},
    {"max_window_to_keep_rows", MaxWindowToKeepRows},
    // Before winners_to_keep_rows: the list_extract of an array_agg stands right above it then, and
    // the calls are of one winner alone.
    {"merge_projects", MergeProjects},
    {"extremes_to_winners", ExtremesToWinners},
    {"winners_to_keep_rows", WinnersToKeepRows},
    // Again: what stayed above a window may pass the KeepRows in its place, and what is FALSE is
    // known by now.
    {"push_down_filters", PushDownFilters},
    {"remove_empty", RemoveEmpty},
    // Before the limiting of groups, which looks for limits in sorts.
    {"limit_into_sort", LimitIntoSort},
    {"group_limit", GroupLimit},
    // Before late_fetch, so that it weighs only what is read.
    {"prune_columns", PruneColumns},
    {"late_fetch", LateFetch},
    // Again: a filter on a row's number goes below the fetch that has just been made.
    {"push_down_filters", PushDownFilters},
    // Cleans up behind late_fetch.
    {"merge_projects", MergeProjects},
    {"prune_columns", PruneColumns},
    // Last: by now every filter that can is right above its scan.
    {"scan_bounds", ScanBounds},
};

}  // namespace

std::span<const Rule> DefaultRules() {
  return kRules;
}

}  // namespace keepone
