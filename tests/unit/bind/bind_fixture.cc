// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/bind/bind_fixture.h"

#include <utility>

#include <arrow/type.h>

#include "base/error.h"
#include "bind/scope.h"
#include "function/cast.h"
#include "io/open.h"
#include "plan/print_plan.h"
#include "plan/verify_plan.h"
#include "sql/parser.h"

namespace keepone {
namespace {

arrow::Result<BoundQuery> Bind(const std::string& sql, const Catalog& catalog,
                               NullOrder null_order) {
  ARROW_ASSIGN_OR_RAISE(const auto statements, ParseStatements(sql));
  ColumnIdGenerator ids;
  ARROW_ASSIGN_OR_RAISE(BoundQuery bound,
                        BindQuery(*statements.at(0)->As<ast::QueryStatement>().query, catalog,
                                  BindOptions{null_order}, &ids));
  ARROW_RETURN_NOT_OK(VerifyPlan(*bound.plan));
  return bound;
}

template <typename Map>
auto Find(const Map& map, const std::string& name) -> typename Map::mapped_type {
  for (const auto& [key, value] : map) {
    if (EqualNames(key, name)) {
      return value;
    }
  }
  return nullptr;
}

}  // namespace

TestCatalog::TestCatalog() {
  AddTable("t",
           arrow::schema({arrow::field("k", arrow::int64()), arrow::field("ts", arrow::int64()),
                          arrow::field("v", arrow::utf8()), arrow::field("x", arrow::float64()),
                          arrow::field("b", arrow::boolean())}));
  AddTable("items", arrow::schema({arrow::field("sku", arrow::utf8()),
                                   arrow::field("price", arrow::float64()),
                                   arrow::field("ts", arrow::timestamp(arrow::TimeUnit::MICRO))}));
  AddTable("nested",
           arrow::schema({arrow::field("id", arrow::int32()),
                          arrow::field("s", arrow::struct_({arrow::field("a", arrow::int64()),
                                                            arrow::field("b", arrow::utf8())})),
                          arrow::field("l", arrow::list(arrow::int64()))}));
  AddView("v", "SELECT sku AS code, price FROM items WHERE price > 1.5");
  AddView("broken", "SELECT prise FROM items");
}

void TestCatalog::AddTable(const std::string& name, std::shared_ptr<arrow::Schema> schema) {
  tables_[name] = MakeMemorySource(name, std::move(schema), {});
}

void TestCatalog::AddView(const std::string& name, const std::string& query) {
  auto statements = ParseStatements(query).ValueOrDie();
  auto view = std::make_shared<ViewDefinition>();
  view->name = name;
  view->query = std::move(statements.at(0)->As<ast::QueryStatement>().query);
  views_[name] = std::move(view);
}

std::shared_ptr<const Source> TestCatalog::FindTable(const std::string& name) const {
  return Find(tables_, name);
}

std::shared_ptr<const ViewDefinition> TestCatalog::FindView(const std::string& name) const {
  return Find(views_, name);
}

std::vector<std::string> TestCatalog::TableNames() const {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables_) {
    names.push_back(name);
  }
  for (const auto& [name, view] : views_) {
    names.push_back(name);
  }
  return names;
}

arrow::Result<std::shared_ptr<const Source>> TestCatalog::OpenFiles(
    const std::vector<std::string>& paths, const std::string& reader, ReaderOptions options) const {
  opened_ = reader + ":";
  for (const std::string& path : paths) {
    if (path.starts_with("missing")) {
      return DataError(path, ": no such file");
    }
    opened_ += " " + path;
  }
  if (!options.empty()) {
    opened_ += "; " + options.ToString();
  }
  return FindTable("items");
}

std::string PlanOf(const std::string& sql, const Catalog& catalog, NullOrder null_order) {
  const auto bound = Bind(sql, catalog, null_order);
  return bound.ok() ? PrintPlan(*bound->plan) : FormatError(bound.status(), sql);
}

std::string PlanOf(const std::string& sql, NullOrder null_order) {
  return PlanOf(sql, TestCatalog(), null_order);
}

std::string OutputOf(const std::string& sql) {
  const auto bound = Bind(sql, TestCatalog(), NullOrder::kLast);
  if (!bound.ok()) {
    return FormatError(bound.status(), sql);
  }
  std::string text;
  for (const Column& column : bound->plan->columns()) {
    text += (text.empty() ? "" : ", ") + column.name + " " + SqlTypeName(*column.type);
  }
  return text;
}

std::string ErrorOf(const std::string& sql, const Catalog& catalog) {
  const auto bound = Bind(sql, catalog, NullOrder::kLast);
  if (bound.ok()) {
    return "no error";
  }
  std::string text(ErrorKindName(GetErrorKind(bound.status())));
  text += ": " + bound.status().message();
  const ErrorDetail* detail = GetErrorDetail(bound.status());
  if (detail != nullptr && detail->span().has_value()) {
    text += " @ " + sql.substr(static_cast<size_t>(detail->span()->offset),
                               static_cast<size_t>(detail->span()->length));
  }
  if (detail != nullptr && !detail->hint().empty()) {
    text += " | " + detail->hint();
  }
  return text;
}

std::string ErrorOf(const std::string& sql) {
  return ErrorOf(sql, TestCatalog());
}

}  // namespace keepone
