// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "base/letter_case.h"
#include "function/arrow_call.h"
#include "function/cast.h"
#include "function/scalar_function.h"
#include "function/scalar_row.h"
#include "function/unplaced_error.h"

namespace keepone {

namespace {

class ScalarTable {
 public:
  ScalarTable() {
    for (auto topic :
         {ArithmeticRows, ComparisonRows, BooleanRows, PatternRows, TextRows, TextEditRows,
          MathRows, DateTimeRows, ExtractRows, ListRows, StructRows, SystemRows}) {
      std::vector<ScalarRow> rows = topic();
      std::move(rows.begin(), rows.end(), std::back_inserter(rows_));
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      by_name_.emplace(rows_[i].name, i);
      for (const std::string& alias : rows_[i].aliases) {
        by_name_.emplace(alias, i);
      }
    }
  }

  const ScalarRow* Find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &rows_[found->second];
  }
  const std::vector<ScalarRow>& rows() const { return rows_; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : by_name_) {
      if (std::isalpha(static_cast<unsigned char>(entry.first[0])) != 0) {
        names.push_back(entry.first);
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::vector<ScalarRow> rows_;
  std::unordered_map<std::string, size_t> by_name_;
};

const ScalarTable& Table() {
  static const ScalarTable table;
  return table;
}

// The operator that a row stands for, as it is written, or an empty string.
std::string OperatorOf(const ScalarRow& row) {
  if (row.name == "negate") {
    return "-";  // as an alias it is the subtraction
  }
  for (const std::string& alias : row.aliases) {
    if (std::isalpha(static_cast<unsigned char>(alias[0])) == 0 && alias[0] != '_') {
      return alias;
    }
  }
  return "";
}

arrow::Status NoMatch(const ScalarRow& row, std::string_view name, ScalarArguments arguments) {
  const std::string op = OperatorOf(row);
  if (!op.empty() && arguments.size() == 2) {
    return WithHint(UnplacedBindError("\"", op, "\" cannot take ", SqlTypeName(*arguments[0].type),
                                      " and ", SqlTypeName(*arguments[1].type)),
                    "cast one side: CAST(x AS TYPE) or x::TYPE");
  }
  if (!op.empty() && arguments.size() == 1) {
    return UnplacedBindError("\"", op, "\" cannot take ", SqlTypeName(*arguments[0].type));
  }
  return WithHint(UnplacedBindError("no function \"", LowerCase(name), "\" takes (",
                                    SqlTypeNames(arguments), ")"),
                  "it is " + row.signature);
}

}  // namespace

arrow::Result<std::shared_ptr<const BoundScalarFunction>> BindScalarFunction(
    std::string_view name, std::span<const ScalarArgument> arguments) {
  ARROW_RETURN_NOT_OK(PrepareArrowKernels());
  const ScalarRow* row = Table().Find(LowerCase(name));
  if (row == nullptr) {
    const arrow::Status status = UnplacedBindError("function \"", name, "\" does not exist");
    const std::string nearest = NearestName(name, Table().names());
    return nearest.empty() ? status : WithHint(status, "the nearest function is " + nearest);
  }
  ARROW_ASSIGN_OR_RAISE(std::optional<ScalarResolution> resolution, row->resolve(arguments));
  if (!resolution.has_value()) {
    return NoMatch(*row, name, arguments);
  }
  auto function = std::make_shared<BoundScalarFunction>();
  function->name = row->name;
  function->argument_types = std::move(resolution->argument_types);
  function->result_type = std::move(resolution->result_type);
  function->deterministic = resolution->deterministic;
  function->run = std::move(resolution->run);
  return function;
}

bool IsScalarFunction(std::string_view name) {
  return Table().Find(LowerCase(name)) != nullptr;
}

std::vector<FunctionDoc> ScalarFunctionDocs() {
  std::vector<FunctionDoc> docs;
  for (const ScalarRow& row : Table().rows()) {
    std::string text = row.text;
    std::string also;
    for (const std::string& alias : row.aliases) {
      also += (also.empty() ? "" : ", ") + alias;
    }
    docs.push_back({row.name, row.signature, also.empty() ? text : text + " (also: " + also + ")"});
  }
  return docs;
}

}  // namespace keepone
