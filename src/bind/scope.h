// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "plan/node.h"
#include "sql/ast_node.h"

namespace keepone {

// Whether two names are the same without regard to the case of ASCII letters.
bool EqualNames(std::string_view left, std::string_view right);

// The positions of the names that `name` fits: without regard to case, and exactly where it is
// quoted and that tells several apart.
std::vector<size_t> MatchName(const ast::Identifier& name, size_t count,
                              const std::function<std::string_view(size_t)>& name_at);

// What stands in FROM: a name and columns.
struct ScopeTable {
  std::string name;  // empty where there is none
  std::vector<Column> columns;
};

// The columns that an expression may name.
class Scope {
 public:
  Scope() = default;
  explicit Scope(ScopeTable table) { tables_.push_back(std::move(table)); }

  const std::vector<ScopeTable>& tables() const { return tables_; }
  // The table of this name, or nullptr.
  const ScopeTable* FindTable(const ast::Identifier& name) const;
  // The column of this name in `table`, or in any where that is nullptr; nullptr when there is
  // none. A name that fits two columns is an error that names both.
  arrow::Result<const Column*> FindColumn(const ast::Identifier& name,
                                          const ScopeTable* table) const;
  // "items has a column "price"" for a name that is nearly one, else what columns there are.
  std::string HintFor(const ast::Identifier& name, const ScopeTable* table) const;

 private:
  std::vector<ScopeTable> tables_;
};

// The name between double quotes, as messages show it.
std::string Quoted(std::string_view name);
// t.a.b as it was written.
std::string PathText(const ast::NamePath& path);
// From the first to the last part.
SourceSpan PathSpan(const ast::NamePath& path);

}  // namespace keepone
