// SPDX-License-Identifier: Apache-2.0
#include "io/schema_union.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <arrow/type.h>
#include <arrow/type_traits.h>

#include "base/error.h"
#include "column/sql_type_name.h"

namespace keepone {

namespace {

using TypePointer = std::shared_ptr<arrow::DataType>;

TypePointer SignedOfWidth(int bits) {
  switch (bits) {
    case 8:
      return arrow::int8();
    case 16:
      return arrow::int16();
    case 32:
      return arrow::int32();
    case 64:
      return arrow::int64();
    default:
      return nullptr;
  }
}

TypePointer WidenIntegers(const TypePointer& a, const TypePointer& b) {
  const int a_bits = a->bit_width();
  const int b_bits = b->bit_width();
  const bool a_signed = arrow::is_signed_integer(a->id());
  const bool b_signed = arrow::is_signed_integer(b->id());
  if (a_signed == b_signed) {
    return a_bits >= b_bits ? a : b;
  }
  // An unsigned one fits into a signed one of twice its width.
  return SignedOfWidth(a_signed ? std::max(a_bits, 2 * b_bits) : std::max(b_bits, 2 * a_bits));
}

// Whether every integer of the type is a number of the floating type.
bool FitsInto(const arrow::DataType& integer, const arrow::DataType& floating) {
  const int mantissa_bits = floating.id() == arrow::Type::DOUBLE  ? 53
                            : floating.id() == arrow::Type::FLOAT ? 24
                                                                  : 11;
  return integer.bit_width() <= mantissa_bits;
}

TypePointer WidenNumbers(const TypePointer& a, const TypePointer& b) {
  const bool a_floating = arrow::is_floating(a->id());
  const bool b_floating = arrow::is_floating(b->id());
  if (a_floating && b_floating) {
    return a->bit_width() >= b->bit_width() ? a : b;
  }
  if (!a_floating && !b_floating) {
    return WidenIntegers(a, b);
  }
  const TypePointer& integer = a_floating ? b : a;
  const TypePointer& floating = a_floating ? a : b;
  if (FitsInto(*integer, *floating)) {
    return floating;
  }
  return FitsInto(*integer, *arrow::float64()) ? arrow::float64() : nullptr;
}

bool IsNumber(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || arrow::is_floating(type.id());
}

std::shared_ptr<arrow::Field> WidenFields(const arrow::Field& a, const arrow::Field& b) {
  const TypePointer type = WidenTypes(a.type(), b.type());
  return type == nullptr ? nullptr
                         : arrow::field(a.name(), type, a.nullable() || b.nullable(), a.metadata());
}

TypePointer WidenNested(const TypePointer& a, const TypePointer& b) {
  if (a->id() != b->id() || a->num_fields() != b->num_fields()) {
    return nullptr;
  }
  arrow::FieldVector fields;
  for (int i = 0; i < a->num_fields(); ++i) {
    auto field = WidenFields(*a->field(i), *b->field(i));
    if (field == nullptr ||
        (a->id() == arrow::Type::STRUCT && a->field(i)->name() != b->field(i)->name())) {
      return nullptr;
    }
    fields.push_back(std::move(field));
  }
  switch (a->id()) {
    case arrow::Type::STRUCT:
      return arrow::struct_(std::move(fields));
    case arrow::Type::LIST:
      return arrow::list(fields[0]);
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(fields[0]);
    default:
      return nullptr;
  }
}

bool IsEither(const arrow::DataType& a, const arrow::DataType& b, arrow::Type::type one,
              arrow::Type::type other) {
  return (a.id() == one && b.id() == other) || (a.id() == other && b.id() == one);
}

}  // namespace

TypePointer WidenTypes(const TypePointer& a, const TypePointer& b) {
  if (a->Equals(*b)) {
    return a;
  }
  if (a->id() == arrow::Type::NA) {
    return b;
  }
  if (b->id() == arrow::Type::NA) {
    return a;
  }
  if (a->id() == arrow::Type::DICTIONARY) {
    return WidenTypes(static_cast<const arrow::DictionaryType&>(*a).value_type(), b);
  }
  if (b->id() == arrow::Type::DICTIONARY) {
    return WidenTypes(a, static_cast<const arrow::DictionaryType&>(*b).value_type());
  }
  if (IsNumber(*a) && IsNumber(*b)) {
    return WidenNumbers(a, b);
  }
  if (IsEither(*a, *b, arrow::Type::STRING, arrow::Type::LARGE_STRING)) {
    return arrow::large_utf8();
  }
  if (IsEither(*a, *b, arrow::Type::BINARY, arrow::Type::LARGE_BINARY)) {
    return arrow::large_binary();
  }
  return WidenNested(a, b);
}

arrow::Status SchemaUnion::Merge(const std::string& path,
                                 const std::shared_ptr<arrow::Field>& field, Column* column) const {
  const TypePointer type = WidenTypes(column->field->type(), field->type());
  if (type == nullptr) {
    return DataError("column \"", field->name(), "\" is ", SqlTypeName(*column->field->type()),
                     " in ", column->path, " and ", SqlTypeName(*field->type()), " in ", path);
  }
  if (!type->Equals(*column->field->type())) {
    column->path = path;
  }
  ++column->files;
  column->field = arrow::field(field->name(), type, column->field->nullable() || field->nullable(),
                               column->field->metadata());
  return arrow::Status::OK();
}

arrow::Status SchemaUnion::Add(const std::string& path, const arrow::Schema& schema) {
  std::unordered_set<std::string> seen;
  for (const auto& field : schema.fields()) {
    if (!seen.insert(field->name()).second && ambiguous_path_.empty()) {
      ambiguous_path_ = path;
      ambiguous_name_ = field->name();
    }
    const auto [place, is_new] = places_.try_emplace(field->name(), columns_.size());
    if (is_new || files_ == 0) {
      columns_.push_back({field, path, 1});
    } else {
      ARROW_RETURN_NOT_OK(Merge(path, field, &columns_[place->second]));
    }
  }
  ++files_;
  if (files_ > 1 && !ambiguous_path_.empty()) {
    return DataError(ambiguous_path_, " has two columns called \"", ambiguous_name_,
                     "\"; such files cannot be read together with others");
  }
  return arrow::Status::OK();
}

std::shared_ptr<arrow::Schema> SchemaUnion::Finish() const {
  arrow::FieldVector fields;
  for (const Column& column : columns_) {
    fields.push_back(column.files == files_ ? column.field : column.field->WithNullable(true));
  }
  return arrow::schema(std::move(fields));
}

std::vector<int> SchemaUnion::FieldsOf(const arrow::Schema& schema) const {
  std::vector<int> fields;
  for (size_t i = 0; i < columns_.size(); ++i) {
    // With one file the columns are its fields, whatever their names.
    fields.push_back(files_ == 1 ? static_cast<int>(i)
                                 : schema.GetFieldIndex(columns_[i].field->name()));
  }
  return fields;
}

}  // namespace keepone
