// SPDX-License-Identifier: Apache-2.0
#include "bind/scope.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/error.h"

namespace keepone {
namespace {

// Hints list the columns of a table that has no more than these.
constexpr size_t kListedColumnsMax = 8;

char ToLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string QualifiedName(const ScopeTable& table, const Column& column) {
  return Quoted(table.name.empty() ? column.name : table.name + "." + column.name);
}

}  // namespace

bool EqualNames(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return ToLower(a) == ToLower(b); });
}

std::vector<size_t> MatchName(const ast::Identifier& name, size_t count,
                              const std::function<std::string_view(size_t)>& name_at) {
  std::vector<size_t> matches;
  for (size_t i = 0; i < count; ++i) {
    if (EqualNames(name.text, name_at(i))) {
      matches.push_back(i);
    }
  }
  if (matches.size() < 2 || !name.quoted) {
    return matches;
  }
  std::vector<size_t> exact;
  std::copy_if(matches.begin(), matches.end(), std::back_inserter(exact),
               [&](size_t i) { return name_at(i) == name.text; });
  return exact.empty() ? matches : exact;
}

Scope::Scope(ScopeTable table) {
  for (const Column& column : table.columns) {
    shown_.push_back({column, {0}});
  }
  tables_.push_back(std::move(table));
}

Scope Scope::Join(Scope left, Scope right, const std::vector<Merged>& merged) {
  Scope scope;
  const size_t left_tables = left.tables_.size();
  for (ShownColumn& shown : right.shown_) {
    for (size_t& table : shown.tables) {
      table += left_tables;
    }
  }
  std::vector<bool> left_is_merged(left.shown_.size());
  std::vector<bool> right_is_merged(right.shown_.size());
  for (const Merged& each : merged) {
    left_is_merged[each.left] = true;
    right_is_merged[each.right] = true;
    ShownColumn shown{each.column, left.shown_[each.left].tables};
    const std::vector<size_t>& others = right.shown_[each.right].tables;
    shown.tables.insert(shown.tables.end(), others.begin(), others.end());
    scope.shown_.push_back(std::move(shown));
  }
  const auto add_others = [&scope](std::vector<ShownColumn>& shown,
                                   const std::vector<bool>& is_merged) {
    for (size_t i = 0; i < shown.size(); ++i) {
      if (!is_merged[i]) {
        scope.shown_.push_back(std::move(shown[i]));
      }
    }
  };
  add_others(left.shown_, left_is_merged);
  add_others(right.shown_, right_is_merged);
  scope.tables_ = std::move(left.tables_);
  std::move(right.tables_.begin(), right.tables_.end(), std::back_inserter(scope.tables_));
  return scope;
}

const ScopeTable* Scope::FindTable(const ast::Identifier& name) const {
  const std::vector<size_t> matches =
      MatchName(name, tables_.size(), [&](size_t i) { return std::string_view(tables_[i].name); });
  return matches.empty() || name.text.empty() ? nullptr : &tables_[matches[0]];
}

arrow::Result<std::optional<size_t>> Scope::Choose(const ast::Identifier& name,
                                                   const std::vector<Candidate>& candidates) {
  const std::vector<size_t> matches = MatchName(name, candidates.size(), [&](size_t i) {
    return std::string_view(candidates[i].column->name);
  });
  if (matches.empty()) {
    return std::nullopt;
  }
  if (matches.size() == 1) {
    return matches[0];
  }
  const Candidate& first = candidates[matches[0]];
  const Candidate& second = candidates[matches[1]];
  std::string first_name = QualifiedName(*first.table, *first.column);
  std::string second_name = QualifiedName(*second.table, *second.column);
  if (first_name == second_name) {
    first_name += " (column " + std::to_string(matches[0] + 1) + ")";
    second_name += " (column " + std::to_string(matches[1] + 1) + ")";
  }
  const arrow::Status status =
      BindError(name.span, "column reference ", Quoted(name.text), " is ambiguous: it could be ",
                first_name, " or ", second_name);
  if (first.column->name != second.column->name) {
    return WithHint(status, "put the name into double quotes, spelt exactly, to choose one");
  }
  return status;
}

arrow::Result<const Column*> Scope::FindColumn(const ast::Identifier& name,
                                               const ScopeTable* table) const {
  if (table == nullptr) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<size_t> position, FindShown(name));
    return position.has_value() ? &shown_[*position].column : nullptr;
  }
  std::vector<Candidate> candidates;
  for (const Column& column : table->columns) {
    candidates.push_back({table, &column});
  }
  ARROW_ASSIGN_OR_RAISE(const std::optional<size_t> position, Choose(name, candidates));
  return position.has_value() ? &table->columns[*position] : nullptr;
}

arrow::Result<std::optional<size_t>> Scope::FindShown(const ast::Identifier& name) const {
  std::vector<Candidate> candidates;
  for (const ShownColumn& shown : shown_) {
    candidates.push_back({&tables_[shown.tables[0]], &shown.column});
  }
  return Choose(name, candidates);
}

std::string Scope::HintFor(const ast::Identifier& name, const ScopeTable* table) const {
  for (const ScopeTable& each : tables_) {
    if (table != nullptr && table != &each) {
      continue;
    }
    std::vector<std::string> names;
    for (const Column& column : each.columns) {
      names.push_back(column.name);
    }
    const std::string owner = each.name.empty() ? "the input" : each.name;
    const std::string nearest = NearestName(name.text, names);
    if (!nearest.empty()) {
      return owner + " has a column " + Quoted(nearest);
    }
    if (tables_.size() == 1 && !names.empty() && names.size() <= kListedColumnsMax) {
      std::string list;
      for (const std::string& each_name : names) {
        list += (list.empty() ? "" : ", ") + Quoted(each_name);
      }
      return owner + (names.size() == 1 ? " has only the column " : " has the columns ") + list;
    }
  }
  return "";
}

std::string Quoted(std::string_view name) {
  return "\"" + std::string(name) + "\"";
}

std::string PathText(const ast::NamePath& path) {
  std::string text;
  for (const ast::Identifier& part : path) {
    text += (text.empty() ? "" : ".") + part.text;
  }
  return text;
}

SourceSpan PathSpan(const ast::NamePath& path) {
  const SourceSpan first = path.front().span;
  const SourceSpan last = path.back().span;
  return {first.offset, last.offset + last.length - first.offset};
}

}  // namespace keepone
