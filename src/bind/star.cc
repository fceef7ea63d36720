// SPDX-License-Identifier: Apache-2.0
#include "bind/star.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <arrow/type.h>

#include "base/error.h"
#include "function/cast.h"

namespace keepone {
namespace {

struct StarColumn {
  std::vector<const ScopeTable*> tables;  // that have it; none for the field of a struct
  OutputItem item;
};

class StarExpander {
 public:
  StarExpander(BindContext* context, const ast::StarExpr& star, const ExprScope& scope)
      : context_(context), star_(star), scope_(scope), binder_(context) {}

  arrow::Result<std::vector<OutputItem>> Expand() {
    ARROW_RETURN_NOT_OK(Collect());
    // The names in the lists are those of the input, whatever another list does.
    ARROW_ASSIGN_OR_RAISE(const std::vector<bool> excluded, Excluded());
    ARROW_RETURN_NOT_OK(Replace());
    ARROW_RETURN_NOT_OK(Rename());
    std::vector<OutputItem> items;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!excluded[i]) {
        items.push_back(std::move(columns_[i].item));
      }
    }
    if (items.empty() && !star_.exclude.empty()) {
      return BindError(context_->Place(star_.span), "* is empty after EXCLUDE");
    }
    return items;
  }

 private:
  arrow::Status Collect() {
    const std::vector<ScopeTable>& tables = scope_.columns->tables();
    if (star_.qualifier.empty()) {
      if (tables.empty()) {
        return BindError(context_->Place(star_.span),
                         "SELECT * with no tables specified is not valid");
      }
      for (const ShownColumn& shown : scope_.columns->shown()) {
        std::vector<const ScopeTable*> owners;
        for (size_t table : shown.tables) {
          owners.push_back(&tables[table]);
        }
        AddColumn(shown.column, std::move(owners));
      }
    } else if (const ScopeTable* table = star_.qualifier.size() == 1
                                             ? scope_.columns->FindTable(star_.qualifier[0])
                                             : nullptr) {
      for (const Column& column : table->columns) {
        AddColumn(column, {table});
      }
    } else {
      ARROW_RETURN_NOT_OK(AddStruct());
    }
    names_.reserve(columns_.size());
    for (const StarColumn& column : columns_) {
      names_.push_back(column.item.name);
    }
    return arrow::Status::OK();
  }

  void AddColumn(const Column& column, std::vector<const ScopeTable*> tables) {
    const SourceSpan place = context_->Place(star_.span);
    columns_.push_back(
        {std::move(tables),
         {column.name, MakeColumnExpr(column.id, column.name, column.type, place), place, {}}});
  }

  arrow::Status AddStruct() {
    ast::ColumnExpr path(PathSpan(star_.qualifier));
    path.path = star_.qualifier;
    auto bound = binder_.Bind(path, scope_);
    if (!bound.ok()) {
      return star_.qualifier.size() > 1
                 ? bound.status()
                 : BindError(context_->Place(path.span), "missing FROM-clause entry for table ",
                             Quoted(star_.qualifier[0].text));
    }
    if ((*bound)->type->id() != arrow::Type::STRUCT) {
      return BindError(context_->Place(star_.span), PathText(star_.qualifier),
                       ".* needs a table or a struct, not type ", SqlTypeName(*(*bound)->type));
    }
    for (const auto& field : (*bound)->type->fields()) {
      const ast::Identifier name{field->name(), /*quoted=*/true, star_.span};
      ARROW_ASSIGN_OR_RAISE(ExprPtr value, binder_.ExtractField(*bound, name));
      columns_.push_back({{}, {field->name(), std::move(value), context_->Place(star_.span), {}}});
    }
    return arrow::Status::OK();
  }

  static bool IsOf(const StarColumn& column, std::string_view table) {
    return std::any_of(column.tables.begin(), column.tables.end(),
                       [table](const ScopeTable* each) { return EqualNames(each->name, table); });
  }

  // The columns of this name; an error when there is none.
  arrow::Result<std::vector<size_t>> Find(const ast::NamePath& path, std::string_view list) const {
    std::vector<size_t> matches = MatchName(path.back(), names_.size(),
                                            [&](size_t i) { return std::string_view(names_[i]); });
    if (path.size() > 1) {
      matches.erase(
          std::remove_if(matches.begin(), matches.end(),
                         [&](size_t i) { return !IsOf(columns_[i], path[path.size() - 2].text); }),
          matches.end());
    }
    if (matches.empty()) {
      const arrow::Status status =
          BindError(context_->Place(PathSpan(path)), "column ", Quoted(PathText(path)), " in ",
                    list, " list does not exist");
      const std::string nearest = NearestName(path.back().text, names_);
      return nearest.empty() ? status : WithHint(status, "there is a column " + Quoted(nearest));
    }
    return matches;
  }

  arrow::Result<std::vector<bool>> Excluded() const {
    std::vector<bool> excluded(columns_.size());
    for (const ast::NamePath& path : star_.exclude) {
      ARROW_ASSIGN_OR_RAISE(const std::vector<size_t> matches, Find(path, "EXCLUDE"));
      for (size_t i : matches) {
        excluded[i] = true;
      }
    }
    return excluded;
  }

  arrow::Status Replace() {
    for (const ast::StarReplacement& replacement : star_.replace) {
      ARROW_ASSIGN_OR_RAISE(const std::vector<size_t> matches,
                            Find({replacement.column}, "REPLACE"));
      ARROW_ASSIGN_OR_RAISE(const ExprPtr value, binder_.Bind(*replacement.expr, scope_));
      for (size_t i : matches) {
        columns_[i].item.expr = value;
        columns_[i].item.span = context_->Place(replacement.expr->span);
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status Rename() {
    for (const ast::StarRename& rename : star_.rename) {
      ARROW_ASSIGN_OR_RAISE(const std::vector<size_t> matches, Find({rename.from}, "RENAME"));
      for (size_t i : matches) {
        columns_[i].item.name = rename.to.text;
      }
    }
    return arrow::Status::OK();
  }

  BindContext* context_;
  const ast::StarExpr& star_;
  const ExprScope& scope_;
  ExprBinder binder_;
  std::vector<StarColumn> columns_;
  std::vector<std::string> names_;
};

}  // namespace

arrow::Result<std::vector<OutputItem>> ExpandStar(BindContext* context, const ast::StarExpr& star,
                                                  const ExprScope& scope) {
  return StarExpander(context, star, scope).Expand();
}

}  // namespace keepone
