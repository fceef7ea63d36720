// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bind/binder.h"
#include "bind/catalog.h"

namespace keepone {

// The tables t and items, the views v (of items) and broken, and every file whose name does not
// begin with "missing".
class TestCatalog final : public Catalog {
 public:
  TestCatalog();
  std::shared_ptr<const Source> FindTable(const std::string& name) const override;
  std::shared_ptr<const ViewDefinition> FindView(const std::string& name) const override;
  std::vector<std::string> TableNames() const override;
  arrow::Result<std::shared_ptr<const Source>> OpenFiles(const std::vector<std::string>& paths,
                                                         const std::string& reader,
                                                         ReaderOptions options) const override;

  // "reader: paths; options" of the last call.
  const std::string& opened() const { return opened_; }
  void AddTable(const std::string& name, std::shared_ptr<arrow::Schema> schema);
  void AddView(const std::string& name, const std::string& query);

 private:
  std::map<std::string, std::shared_ptr<const Source>> tables_;
  std::map<std::string, std::shared_ptr<const ViewDefinition>> views_;
  mutable std::string opened_;
};

// The plan of a query as text, after verifying it; or its error as a user reads it.
std::string PlanOf(const std::string& sql, NullOrder null_order = NullOrder::kLast);
std::string PlanOf(const std::string& sql, const Catalog& catalog,
                   NullOrder null_order = NullOrder::kLast);
// "name TYPE, name TYPE" of the output; or the error.
std::string OutputOf(const std::string& sql);
// The error as a user reads it, without the statement: "bind: message @ place | hint".
std::string ErrorOf(const std::string& sql);
std::string ErrorOf(const std::string& sql, const Catalog& catalog);

}  // namespace keepone
