// SPDX-License-Identifier: Apache-2.0
#include "bind/scope.h"

#include <algorithm>
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

const ScopeTable* Scope::FindTable(const ast::Identifier& name) const {
  const std::vector<size_t> matches =
      MatchName(name, tables_.size(), [&](size_t i) { return std::string_view(tables_[i].name); });
  return matches.empty() || name.text.empty() ? nullptr : &tables_[matches[0]];
}

arrow::Result<const Column*> Scope::FindColumn(const ast::Identifier& name,
                                               const ScopeTable* table) const {
  std::vector<std::pair<const ScopeTable*, const Column*>> candidates;
  for (const ScopeTable& each : tables_) {
    if (table != nullptr && table != &each) {
      continue;
    }
    for (const Column& column : each.columns) {
      candidates.emplace_back(&each, &column);
    }
  }
  const std::vector<size_t> matches = MatchName(name, candidates.size(), [&](size_t i) {
    return std::string_view(candidates[i].second->name);
  });
  if (matches.empty()) {
    return nullptr;
  }
  const auto& [first_table, first] = candidates[matches[0]];
  if (matches.size() > 1) {
    const auto& [second_table, second] = candidates[matches[1]];
    const arrow::Status status = BindError(
        name.span, "column reference ", Quoted(name.text), " is ambiguous: it could be ",
        QualifiedName(*first_table, *first), " or ", QualifiedName(*second_table, *second));
    if (first->name != second->name) {
      return WithHint(status, "put the name into double quotes, spelt exactly, to choose one");
    }
    return status;
  }
  return first;
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
