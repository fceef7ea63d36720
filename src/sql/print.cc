// SPDX-License-Identifier: Apache-2.0
#include "sql/print.h"

#include <utility>

#include "sql/printer.h"

namespace keepone {

std::string Print(const ast::Statement& statement) {
  ast::Printer printer;
  printer.PrintStatement(statement);
  return std::move(printer).Finish();
}

std::string Print(const ast::Query& query) {
  ast::Printer printer;
  printer.PrintQuery(query);
  return std::move(printer).Finish();
}

std::string Print(const ast::Expr& expr) {
  ast::Printer printer;
  printer.PrintExpr(expr);
  return std::move(printer).Finish();
}

std::string Print(const ast::TypeName& type) {
  ast::Printer printer;
  printer.PrintType(type);
  return std::move(printer).Finish();
}

}  // namespace keepone
