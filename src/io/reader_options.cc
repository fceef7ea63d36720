// SPDX-License-Identifier: Apache-2.0
#include "io/reader_options.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "column/sql_type_name.h"

namespace keepone {

namespace {

arrow::Status WrongValue(const std::string& name, const char* wanted, const arrow::Scalar& value) {
  return BindError({}, "option \"", name, "\" takes ", wanted, ", not ",
                   value.is_valid ? SqlTypeName(*value.type) : "NULL");
}

bool IsText(const arrow::Scalar& value) {
  return value.is_valid && value.type->id() == arrow::Type::STRING;
}

}  // namespace

std::shared_ptr<arrow::Scalar> ReaderOptions::Take(const std::string& name) {
  asked_.insert(name);
  const auto found = values_.find(name);
  if (found == values_.end()) {
    return nullptr;
  }
  auto value = std::move(found->second);
  values_.erase(found);
  return value;
}

arrow::Result<std::optional<bool>> ReaderOptions::TakeBool(const std::string& name) {
  const auto value = Take(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_valid || value->type->id() != arrow::Type::BOOL) {
    return WrongValue(name, "true or false", *value);
  }
  return static_cast<const arrow::BooleanScalar&>(*value).value;
}

arrow::Result<std::optional<int64_t>> ReaderOptions::TakeInteger(const std::string& name) {
  const auto value = Take(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_valid || value->type->id() != arrow::Type::INT64) {
    return WrongValue(name, "an integer", *value);
  }
  return static_cast<const arrow::Int64Scalar&>(*value).value;
}

arrow::Result<std::optional<std::string>> ReaderOptions::TakeText(const std::string& name) {
  const auto value = Take(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!IsText(*value)) {
    return WrongValue(name, "a text", *value);
  }
  return value->ToString();
}

arrow::Result<std::optional<std::vector<std::string>>> ReaderOptions::TakeTexts(
    const std::string& name) {
  const auto value = Take(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  std::vector<std::string> texts;
  if (IsText(*value)) {
    texts.push_back(value->ToString());
    return texts;
  }
  if (!value->is_valid || value->type->id() != arrow::Type::LIST) {
    return WrongValue(name, "a text or a list of texts", *value);
  }
  const arrow::Array& elements = *static_cast<const arrow::ListScalar&>(*value).value;
  for (int64_t i = 0; i < elements.length(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const auto element, elements.GetScalar(i));
    if (!IsText(*element)) {
      return WrongValue(name, "a text or a list of texts", *value);
    }
    texts.push_back(element->ToString());
  }
  return texts;
}

std::optional<arrow::FieldVector> ReaderOptions::TakeColumns() {
  asked_.insert("columns");
  return std::exchange(columns_, std::nullopt);
}

std::string ReaderOptions::ToString() const {
  std::string text;
  for (const auto& [name, value] : values_) {
    text += JoinMessage(text.empty() ? "" : "; ", name, "=", value->ToString());
  }
  if (columns_.has_value()) {
    text += text.empty() ? "columns=" : "; columns=";
    for (const auto& field : *columns_) {
      text += JoinMessage(field == columns_->front() ? "" : ", ", field->name(), " ",
                          SqlTypeName(*field->type()));
    }
  }
  return text;
}

arrow::Status ReaderOptions::CheckAllTaken(const std::string& reader) const {
  std::string name;
  if (!values_.empty()) {
    name = values_.begin()->first;
  } else if (columns_.has_value()) {
    name = "columns";
  } else {
    return arrow::Status::OK();
  }
  const arrow::Status status = BindError({}, reader, " has no option \"", name, "\"");
  const std::string nearest = NearestName(name, {asked_.begin(), asked_.end()});
  return nearest.empty() ? status : WithHint(status, "it has an option " + nearest);
}

}  // namespace keepone
