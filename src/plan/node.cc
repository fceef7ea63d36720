// SPDX-License-Identifier: Apache-2.0
#include "plan/node.h"

namespace keepone {

const Column* FindColumn(const std::vector<Column>& columns, ColumnId id) {
  for (const Column& column : columns) {
    if (column.id == id) {
      return &column;
    }
  }
  return nullptr;
}

Column PassedColumn(const Node& input, ColumnId id) {
  const Column* column = FindColumn(input.columns(), id);
  return column != nullptr ? *column : Column{id, "?", nullptr};
}

}  // namespace keepone
