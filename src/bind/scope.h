// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
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

// A column that * shows and that a name without its table finds.
struct ShownColumn {
  Column column;
  // Positions of the tables that have it: two or more where USING made one column of theirs.
  std::vector<size_t> tables;
};

// The columns that an expression may name. All columns of the tables can be named with their
// table, also those that USING has put into one.
class Scope {
 public:
  Scope() = default;
  explicit Scope(ScopeTable table);

  // Columns of the two sides of a join that are shown as one.
  struct Merged {
    size_t left;  // positions among the shown columns of the sides
    size_t right;
    Column column;
  };
  // What the two sides of a join show together: what is merged, then what else the left side shows,
  // then the right.
  static Scope Join(Scope left, Scope right, const std::vector<Merged>& merged);

  const std::vector<ScopeTable>& tables() const { return tables_; }
  const std::vector<ShownColumn>& shown() const { return shown_; }
  // The table of this name, or nullptr.
  const ScopeTable* FindTable(const ast::Identifier& name) const;
  // The column of this name in `table`, or among the shown ones where that is nullptr; nullptr when
  // there is none. A name that fits two columns is an error that names both.
  arrow::Result<const Column*> FindColumn(const ast::Identifier& name,
                                          const ScopeTable* table) const;
  // The position of the shown column of this name; nothing when there is none.
  arrow::Result<std::optional<size_t>> FindShown(const ast::Identifier& name) const;
  // "items has a column "price"" for a name that is nearly one, else what columns there are.
  std::string HintFor(const ast::Identifier& name, const ScopeTable* table) const;

 private:
  // A column and the table by which messages name it.
  struct Candidate {
    const ScopeTable* table;
    const Column* column;
  };
  static arrow::Result<std::optional<size_t>> Choose(const ast::Identifier& name,
                                                     const std::vector<Candidate>& candidates);

  std::vector<ScopeTable> tables_;
  std::vector<ShownColumn> shown_;
};

// The name between double quotes, as messages show it.
std::string Quoted(std::string_view name);
// t.a.b as it was written.
std::string PathText(const ast::NamePath& path);
// From the first to the last part.
SourceSpan PathSpan(const ast::NamePath& path);

}  // namespace keepone
