// SPDX-License-Identifier: Apache-2.0
#include "engine/session_catalog.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/letter_case.h"
#include "io/open.h"

namespace keepone {

namespace {

// The entry that a name means: the exact one, else the first that differs in case only.
template <typename Map>
typename Map::const_iterator FindName(const Map& map, const std::string& name) {
  const auto exact = map.find(name);
  if (exact != map.end()) {
    return exact;
  }
  return std::find_if(map.begin(), map.end(),
                      [&](const auto& entry) { return EqualWithoutCase(entry.first, name); });
}

}  // namespace

std::shared_ptr<const Source> SessionCatalog::FindTable(const std::string& name) const {
  const Table* table = GetTable(name);
  return table == nullptr ? nullptr : table->source;
}

std::shared_ptr<const ViewDefinition> SessionCatalog::FindView(const std::string& name) const {
  const auto found = FindName(views_, name);
  return found == views_.end() ? nullptr : found->second;
}

std::vector<std::string> SessionCatalog::TableNames() const {
  std::vector<std::string> names;
  for (const auto& [name, table] : tables_) {
    names.push_back(name);
  }
  for (const auto& [name, view] : views_) {
    names.push_back(name);
  }
  return names;
}

arrow::Result<std::shared_ptr<const Source>> SessionCatalog::OpenFiles(
    const std::vector<std::string>& paths, const std::string& reader, ReaderOptions options) const {
  if (reader != "json" && reader != "csv") {
    ARROW_RETURN_NOT_OK(options.CheckAllTaken("read_" + reader));
  }
  // Footers live as long as the source, which may outlive any one statement.
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  if (reader.empty()) {
    return keepone::OpenFiles(paths, pool);
  }
  if (reader == "parquet") {
    return OpenParquet(paths, pool);
  }
  if (reader == "arrow") {
    return OpenArrow(paths, pool);
  }
  if (reader == "csv") {
    return OpenCsv(paths, std::move(options));
  }
  return MakeError(ErrorKind::kUnsupported, std::nullopt,
                   JoinMessage("read_", reader, " is not supported;",
                               " read_parquet, read_arrow and read_csv are"));
}

const SessionCatalog::Table* SessionCatalog::GetTable(const std::string& name) const {
  const auto found = FindName(tables_, name);
  return found == tables_.end() ? nullptr : &found->second;
}

void SessionCatalog::Forget(const std::string& name) {
  DropTable(name);
  DropView(name);
}

void SessionCatalog::PutTable(const std::string& name, std::shared_ptr<arrow::Schema> schema,
                              std::vector<std::shared_ptr<arrow::RecordBatch>> batches) {
  Forget(name);
  auto source = MakeMemorySource(name, schema, batches);
  tables_[name] = Table{name, std::move(schema), std::move(batches), std::move(source)};
}

void SessionCatalog::PutView(ViewDefinition view) {
  Forget(view.name);
  const std::string name = view.name;
  views_[name] = std::make_shared<ViewDefinition>(std::move(view));
}

bool SessionCatalog::DropTable(const std::string& name) {
  const auto found = FindName(tables_, name);
  if (found == tables_.end()) {
    return false;
  }
  tables_.erase(found);
  return true;
}

bool SessionCatalog::DropView(const std::string& name) {
  const auto found = FindName(views_, name);
  if (found == views_.end()) {
    return false;
  }
  views_.erase(found);
  return true;
}

}  // namespace keepone
