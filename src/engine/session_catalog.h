// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/memory_pool.h>

#include "bind/catalog.h"

namespace keepone {

// The tables and views of a session. A name is one or the other, matched without regard to case
// when it is not there exactly.
class SessionCatalog final : public Catalog {
 public:
  // A table in memory, with what later INSERTs need.
  struct Table {
    std::string name;
    std::shared_ptr<arrow::Schema> schema;
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    std::shared_ptr<const Source> source;
  };

  std::shared_ptr<const Source> FindTable(const std::string& name) const override;
  std::shared_ptr<const ViewDefinition> FindView(const std::string& name) const override;
  std::vector<std::string> TableNames() const override;
  arrow::Result<std::shared_ptr<const Source>> OpenFiles(const std::vector<std::string>& paths,
                                                         const std::string& reader,
                                                         ReaderOptions options) const override;

  // Nullptr when there is no table of the name.
  const Table* GetTable(const std::string& name) const;
  // Both replace what has the name.
  void PutTable(const std::string& name, std::shared_ptr<arrow::Schema> schema,
                std::vector<std::shared_ptr<arrow::RecordBatch>> batches);
  void PutView(ViewDefinition view);
  // False when there is none.
  bool DropTable(const std::string& name);
  bool DropView(const std::string& name);

  const std::map<std::string, Table>& tables() const { return tables_; }
  const std::map<std::string, std::shared_ptr<const ViewDefinition>>& views() const {
    return views_;
  }

 private:
  void Forget(const std::string& name);

  std::map<std::string, Table> tables_;
  std::map<std::string, std::shared_ptr<const ViewDefinition>> views_;
};

}  // namespace keepone
