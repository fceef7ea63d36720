// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <arrow/result.h>

#include "optimize/optimizer.h"
#include "optimize/rewrite.h"
#include "plan/fetch_node.h"
#include "plan/leaf_nodes.h"
#include "plan/node.h"

namespace keepone {

// Whether the node's rows come in the order of the addresses of the source below it.
bool IsInAddressOrder(const Node& node);

// Filters, Projects and the left sides of semi and anti joins, which drop rows as a filter does,
// over something whose fields can be read by row address: a Scan of a source that can fetch, or a
// Fetch that keeps its input's order.
struct RowChain {
  std::vector<const Node*> steps;  // FilterNode, ProjectNode and JoinNode, the top one first
  NodePtr base;                    // ScanNode without an address, or FetchNode
  NodePtr top;                     // keeps the steps alive

  // The fields that the base reads.
  const std::vector<ScanNode::Field>& fields() const;
  const Source& source() const;
};

// The chain that ends in `node`, or why it is none, in words that follow "carry: ".
struct RowChainSearch {
  std::optional<RowChain> chain;
  std::string reason;
};
RowChainSearch FindRowChain(const NodePtr& node);

// How the rows of a chain are split: a narrow part that something picks from, and what is read for
// the picked rows alone.
//
//   Project: k, f(w) AS p          wide:   Project: k, p
//     Filter: x > 0                          Project: k, f(w) AS p
//       Scan: [k, o, w, x]   =>                Fetch: [k, w] by row_address
//                                                ...what picks...
//                                  narrow:         Project: k', o', row_address
//                                                    Filter: x' > 0
//                                                      Scan: [k', o', x'] with row addresses
//
// The narrow part has ids of its own, so that the wide part can give the payload under its own ids.
// Nothing that is not deterministic is computed twice: such columns are carried.
class RowSplit {
 public:
  struct Request {
    std::vector<ColumnId> keys;     // what the picking reads
    std::vector<ColumnId> payload;  // what is wanted of the picked rows
    std::vector<ColumnId> given;    // the keys that the picking gives on anyway: not read again
  };
  RowSplit(RowChain chain, Request request);

  // Bytes a row, by the source's statistics.
  int64_t narrow_bytes() const {
    return narrow_bytes_;
  }  // of the fields that the narrow part reads
  int64_t wide_bytes() const { return wide_bytes_; }  // of those that only the wide part reads
  // Whether the wide part reads a field that the narrow one does not.
  bool saves_fields() const { return saves_fields_; }
  bool fetches_nothing() const { return fetch_fields_.empty(); }

  struct Narrow {
    NodePtr node;
    ColumnId address;
    std::unordered_map<ColumnId, ColumnId> ids;  // of keys: what they are called in `node`
    // What the picking has to give on beside the address.
    std::vector<ColumnId> carried;
  };
  Narrow MakeNarrow(ColumnIdGenerator* ids) const;

  // The payload and, behind it, `extras` (columns of `picked`), over the picked rows of `narrow`.
  NodePtr MakeWide(const Narrow& narrow, NodePtr picked, const std::vector<Column>& extras,
                   bool keeps_input_order) const;

 private:
  // The columns needed above each step, and of the base (the last).
  using NeededColumns = std::vector<ColumnSet>;
  NeededColumns WalkDown(ColumnSet needed, bool with_filters) const;
  void FindVolatile();
  void CountBytes();

  RowChain chain_;
  Request request_;
  ColumnSet volatile_;             // columns of the chain that may not be computed twice
  std::vector<ColumnId> carried_;  // their ids in the chain
  NeededColumns narrow_needed_;
  NeededColumns wide_needed_;
  std::vector<ScanNode::Field> narrow_fields_;
  std::vector<ScanNode::Field> fetch_fields_;
  int64_t narrow_bytes_ = 0;
  int64_t wide_bytes_ = 0;
  bool saves_fields_ = false;
};

// Bytes that a field takes in a row: by the source's statistics, else by its type.
int64_t FieldBytesPerRow(const Source& source, const SourceStatistics& statistics, int field);

}  // namespace keepone
