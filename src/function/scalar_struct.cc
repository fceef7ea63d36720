// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "function/arrow_call.h"
#include "function/cast.h"
#include "function/operand.h"
#include "function/scalar_row.h"
#include "function/unplaced_error.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using Resolved = arrow::Result<std::optional<ScalarResolution>>;

// The field that a literal names, or counts from 1.
arrow::Result<std::optional<int>> FieldOf(const arrow::DataType& type,
                                          const ScalarArgument& argument) {
  if (const std::optional<std::string> name = LiteralText(argument)) {
    const int index = FieldIndexByName(type, *name);
    if (index >= 0) {
      return index;
    }
    std::vector<std::string> names;
    for (const auto& field : type.fields()) {
      names.push_back(field->name());
    }
    const arrow::Status status = UnplacedBindError("the struct has no field \"", *name, "\"");
    const std::string nearest = NearestName(*name, names);
    return WithHint(status, nearest.empty() ? "it is " + SqlTypeName(type)
                                            : "the nearest field is \"" + nearest + "\"");
  }
  if (const std::optional<int64_t> number = LiteralInteger(argument)) {
    if (*number < 1 || *number > type.num_fields()) {
      return UnplacedBindError("the struct has ", type.num_fields(), " fields, no field ", *number);
    }
    return static_cast<int>(*number) - 1;
  }
  return std::nullopt;
}

Resolved ResolveFieldExtract(ScalarArguments arguments) {
  const TypePtr type = arguments.size() == 2 ? PlainType(arguments[0].type) : nullptr;
  if (type == nullptr || type->id() != arrow::Type::STRUCT) {
    return std::nullopt;
  }
  ARROW_ASSIGN_OR_RAISE(const std::optional<int> index, FieldOf(*type, arguments[1]));
  if (!index.has_value()) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types = {type, arguments[1].type};
  resolution.result_type = type->field(*index)->type();
  resolution.run = [index = *index](const ScalarCall& call,
                                    const std::vector<arrow::Datum>& values) {
    const auto field =
        RowWise([index](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
          const auto structs = operands.At<arrow::StructArray>(0);
          return structs.array().GetFlattenedField(index, operands.pool());
        });
    return field(call, {values[0]});
  };
  return resolution;
}

// {name: value, ...}; fields without a name are f1, f2, ... by their place.
Resolved ResolvePack(ScalarArguments arguments) {
  if (arguments.empty()) {
    return std::nullopt;
  }
  arrow::FieldVector fields;
  ScalarResolution resolution;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i].name;
    fields.push_back(
        arrow::field(name.empty() ? "f" + std::to_string(i + 1) : name, arguments[i].type));
    resolution.argument_types.push_back(arguments[i].type);
  }
  const TypePtr type = arrow::struct_(std::move(fields));
  resolution.result_type = type;
  resolution.run =
      RowWise([type](const ScalarCall& call, const Operands& operands) -> arrow::Result<ArrayPtr> {
        arrow::ArrayVector children;
        for (size_t i = 0; i < operands.size(); ++i) {
          ArrayPtr child = operands.array(i);
          if (operands.At<arrow::Array>(i).Position(1) == 0 && operands.length() != 1) {
            ARROW_ASSIGN_OR_RAISE(const auto scalar, child->GetScalar(0));
            ARROW_ASSIGN_OR_RAISE(child, DatumToArray(call.context, scalar, operands.length()));
          }
          children.push_back(std::move(child));
        }
        return std::make_shared<arrow::StructArray>(type, operands.length(), std::move(children));
      });
  return resolution;
}

}  // namespace

std::vector<ScalarRow> StructRows() {
  return {
      {"struct_extract",
       {"get_field"},
       "struct_extract(STRUCT, VARCHAR name | BIGINT place) -> ANY",
       "the field of a literal name, or at a place counted from 1",
       ResolveFieldExtract},
      {"struct_pack",
       {"row"},
       "struct_pack(name := ANY, ...) -> STRUCT",
       "{name: value, ...}",
       ResolvePack},
  };
}

}  // namespace keepone
