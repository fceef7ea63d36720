// SPDX-License-Identifier: Apache-2.0
#include "sql/printer.h"

namespace keepone::ast {

void Printer::PrintQuery(const Query& query) {
  PrintWith(query);
  PrintBody(*query.body);
  if (!query.order_by.empty()) {
    Put(" ORDER BY ");
    PrintOrderItems(query.order_by);
  } else if (query.order_by_all.has_value()) {
    Put(" ORDER BY ALL");
    PrintSortOrder(*query.order_by_all);
  }
  PrintLimits(query);
}

void Printer::PrintWith(const Query& query) {
  if (query.with.empty()) {
    return;
  }
  Put(query.recursive ? "WITH RECURSIVE " : "WITH ");
  PutList(query.with, [this](const CommonTable& table) {
    PutIdentifier(table.name);
    if (!table.columns.empty()) {
      PutIdentifiers(table.columns);
    }
    Put(" AS ");
    PutIf(table.materialization == Materialization::kMaterialized, "MATERIALIZED ");
    PutIf(table.materialization == Materialization::kNotMaterialized, "NOT MATERIALIZED ");
    Put("(");
    PrintQuery(*table.query);
    Put(")");
  });
  Put(" ");
}

void Printer::PrintBody(const QueryBody& body) {
  switch (body.kind) {
    case QueryBodyKind::kSelect:
      return PrintSelect(body.As<SelectBody>());
    case QueryBodyKind::kSetOperation:
      return PrintSetOperation(body.As<SetOperationBody>());
    case QueryBodyKind::kValues:
      return PrintValues(body.As<ValuesBody>());
    case QueryBodyKind::kNested:
      Put("(");
      PrintQuery(*body.As<NestedBody>().query);
      return Put(")");
  }
}

void Printer::PrintSetOperation(const SetOperationBody& operation) {
  const bool is_intersect = operation.op == SetOperator::kIntersect;
  const auto* left = operation.left->If<SetOperationBody>();
  PrintSetOperand(*operation.left,
                  left != nullptr && is_intersect && left->op != SetOperator::kIntersect);
  switch (operation.op) {
    case SetOperator::kUnion:
      Put(" UNION ");
      break;
    case SetOperator::kIntersect:
      Put(" INTERSECT ");
      break;
    case SetOperator::kExcept:
      Put(" EXCEPT ");
      break;
  }
  PutIf(operation.all, "ALL ");
  PutIf(operation.by_name, "BY NAME ");
  const auto* right = operation.right->If<SetOperationBody>();
  PrintSetOperand(*operation.right,
                  right != nullptr && (is_intersect || right->op != SetOperator::kIntersect));
}

void Printer::PrintSetOperand(const QueryBody& operand, bool in_parentheses) {
  const bool in_any = in_parentheses || (parentheses_ == Parentheses::kAll &&
                                         operand.kind == QueryBodyKind::kSetOperation);
  PutIf(in_any, "(");
  PrintBody(operand);
  PutIf(in_any, ")");
}

void Printer::PrintSelect(const SelectBody& select) {
  Put("SELECT ");
  if (select.distinct == DistinctKind::kDistinct) {
    Put("DISTINCT ");
  } else if (select.distinct == DistinctKind::kDistinctOn) {
    Put("DISTINCT ON (");
    PutExprs(select.distinct_on);
    Put(") ");
  }
  PutList(select.items, [this](const SelectItem& item) {
    PrintExpr(*item.expr);
    if (item.alias.has_value()) {
      Put(" AS ");
      PutIdentifier(*item.alias);
    }
  });
  if (!select.from.empty()) {
    Put(" FROM ");
    PutList(select.from, [this](const TableRefPtr& table) { PrintTable(*table); });
  }
  if (select.where != nullptr) {
    Put(" WHERE ");
    PrintExpr(*select.where);
  }
  PutIf(select.group_by_all, " GROUP BY ALL");
  if (!select.group_by.empty()) {
    Put(" GROUP BY ");
    PutExprs(select.group_by);
  }
  if (select.having != nullptr) {
    Put(" HAVING ");
    PrintExpr(*select.having);
  }
  if (!select.windows.empty()) {
    Put(" WINDOW ");
    PutList(select.windows, [this](const NamedWindow& window) {
      PutIdentifier(window.name);
      Put(" AS ");
      PrintWindowSpec(window.spec);
    });
  }
  if (select.qualify != nullptr) {
    Put(" QUALIFY ");
    PrintExpr(*select.qualify);
  }
}

void Printer::PrintValues(const ValuesBody& values) {
  Put("VALUES ");
  PutList(values.rows, [this](const std::vector<ExprPtr>& row) {
    Put("(");
    PutExprs(row);
    Put(")");
  });
}

void Printer::PrintLimits(const Query& query) {
  if (query.limit_by.has_value()) {
    Put(" LIMIT ");
    PrintExpr(*query.limit_by->limit);
    if (query.limit_by->offset != nullptr) {
      Put(" OFFSET ");
      PrintExpr(*query.limit_by->offset);
    }
    Put(" BY ");
    PutExprs(query.limit_by->keys);
  }
  if (query.offset != nullptr && query.with_ties) {
    Put(" OFFSET ");
    PrintExpr(*query.offset);
  }
  if (query.with_ties) {
    Put(" FETCH FIRST ");
    PrintExpr(*query.limit);
    return Put(" ROWS WITH TIES");
  }
  if (query.limit != nullptr) {
    Put(" LIMIT ");
    PrintExpr(*query.limit);
  }
  if (query.offset != nullptr) {
    Put(" OFFSET ");
    PrintExpr(*query.offset);
  }
}

}  // namespace keepone::ast
