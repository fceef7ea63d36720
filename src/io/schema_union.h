// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

namespace keepone {

// The narrowest type that holds the values of both without loss, or nullptr when there is none.
std::shared_ptr<arrow::DataType> WidenTypes(const std::shared_ptr<arrow::DataType>& a,
                                            const std::shared_ptr<arrow::DataType>& b);

// Unites the schemas of files by name. Columns stand in the order in which they appear first; one
// that a file lacks is nullable.
class SchemaUnion {
 public:
  // Types that cannot be united, and a name that a file has twice when there are several files, are
  // a data error that names the files.
  arrow::Status Add(const std::string& path, const arrow::Schema& schema);

  std::shared_ptr<arrow::Schema> Finish() const;
  // For each column of the union its field in `schema`, or -1. REQUIRES: `schema` was added.
  std::vector<int> FieldsOf(const arrow::Schema& schema) const;

 private:
  struct Column {
    std::shared_ptr<arrow::Field> field;
    std::string path;  // the file that the type comes from
    int files = 0;
  };

  arrow::Status Merge(const std::string& path, const std::shared_ptr<arrow::Field>& field,
                      Column* column) const;

  std::vector<Column> columns_;
  std::unordered_map<std::string, size_t> places_;  // of the names in columns_
  std::string ambiguous_path_;                      // the first file, when a name is in it twice
  std::string ambiguous_name_;
  int files_ = 0;
};

}  // namespace keepone
