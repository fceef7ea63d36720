// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "io/reader_options.h"
#include "io/source.h"
#include "sql/ast_query.h"

namespace keepone {

// A stored query. Its spans point into the statement that made it, not into the one that uses it.
struct ViewDefinition {
  std::string name;                  // as it was written
  std::vector<std::string> columns;  // names for the first columns of the query; may be empty
  std::shared_ptr<const ast::Query> query;
};

// What the names in a FROM clause stand for. Used by one thread at a time.
// Names match exactly if that is possible, else without regard to case.
class Catalog {
 public:
  virtual ~Catalog() = default;
  // Nullptr when there is no such table.
  virtual std::shared_ptr<const Source> FindTable(const std::string& name) const = 0;
  // Nullptr when there is no such view.
  virtual std::shared_ptr<const ViewDefinition> FindView(const std::string& name) const = 0;
  // The names of all tables and views, for hints.
  virtual std::vector<std::string> TableNames() const = 0;
  // Opens files or patterns of files as one source. `reader` is "parquet", "csv", "json" or "arrow"
  // where the statement says so, and empty where the files' names decide. `options` are
  // the named arguments of read_parquet(..) and so on.
  // Errors name the file or the option; the binder adds the place.
  virtual arrow::Result<std::shared_ptr<const Source>> OpenFiles(
      const std::vector<std::string>& paths, const std::string& reader,
      ReaderOptions options) const = 0;
};

}  // namespace keepone
