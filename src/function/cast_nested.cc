// SPDX-License-Identifier: Apache-2.0
#include "function/cast_nested.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/api.h>
#include <arrow/extension_type.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "function/arrow_call.h"
#include "function/cast.h"
#include "function/scalar_row.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;
using ArrayPtr = std::shared_ptr<arrow::Array>;

// The lists of any list array as lengths and the values of all of them, one after the other.
struct FlatLists {
  std::vector<int64_t> lengths;  // 0 for NULL
  ArrayPtr values;
  std::shared_ptr<arrow::Buffer> validity;  // from bit 0; nullptr: none is NULL
  int64_t null_count = 0;
};

arrow::Result<std::shared_ptr<arrow::Buffer>> CopyValidity(const arrow::Array& array,
                                                           arrow::MemoryPool* pool) {
  if (array.null_count() == 0 || array.null_bitmap_data() == nullptr) {
    return nullptr;
  }
  return arrow::internal::CopyBitmap(pool, array.null_bitmap_data(), array.offset(),
                                     array.length());
}

template <typename ListArrayType>
arrow::Result<FlatLists> Flatten(const ListArrayType& array, arrow::MemoryPool* pool) {
  FlatLists out;
  out.lengths.reserve(static_cast<size_t>(array.length()));
  for (int64_t row = 0; row < array.length(); ++row) {
    out.lengths.push_back(array.IsNull(row) ? 0 : static_cast<int64_t>(array.value_length(row)));
  }
  ARROW_ASSIGN_OR_RAISE(out.values, array.Flatten(pool));
  ARROW_ASSIGN_OR_RAISE(out.validity, CopyValidity(array, pool));
  out.null_count = array.null_count();
  return out;
}

arrow::Result<FlatLists> FlattenAny(const arrow::Array& array, arrow::MemoryPool* pool) {
  switch (array.type_id()) {
    case arrow::Type::LARGE_LIST:
      return Flatten(checked_cast<const arrow::LargeListArray&>(array), pool);
    case arrow::Type::LIST_VIEW:
      return Flatten(checked_cast<const arrow::ListViewArray&>(array), pool);
    case arrow::Type::LARGE_LIST_VIEW:
      return Flatten(checked_cast<const arrow::LargeListViewArray&>(array), pool);
    case arrow::Type::FIXED_SIZE_LIST:
      return Flatten(checked_cast<const arrow::FixedSizeListArray&>(array), pool);
    default:
      return Flatten(checked_cast<const arrow::ListArray&>(array), pool);
  }
}

// offsets and, for views, sizes.
template <typename Offset>
arrow::Result<ArrayPtr> BuildLists(const FlatLists& lists, const TypePtr& type,
                                   arrow::MemoryPool* pool) {
  arrow::TypedBufferBuilder<Offset> offsets(pool);
  arrow::TypedBufferBuilder<Offset> sizes(pool);
  const auto count = static_cast<int64_t>(lists.lengths.size());
  ARROW_RETURN_NOT_OK(offsets.Reserve(count + 1));
  ARROW_RETURN_NOT_OK(sizes.Reserve(count));
  int64_t position = 0;
  for (const int64_t length : lists.lengths) {
    offsets.UnsafeAppend(static_cast<Offset>(position));
    sizes.UnsafeAppend(static_cast<Offset>(length));
    position += length;
    if (position > std::numeric_limits<Offset>::max()) {
      return arrow::Status::CapacityError("lists of more than 2^31 values in one array");
    }
  }
  const bool is_view =
      type->id() == arrow::Type::LIST_VIEW || type->id() == arrow::Type::LARGE_LIST_VIEW;
  std::shared_ptr<arrow::Buffer> size_buffer;
  if (is_view) {
    ARROW_ASSIGN_OR_RAISE(size_buffer, sizes.Finish());
  } else {
    offsets.UnsafeAppend(static_cast<Offset>(position));
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offset_buffer, offsets.Finish());
  std::vector<std::shared_ptr<arrow::Buffer>> buffers = {lists.validity, std::move(offset_buffer)};
  if (is_view) {
    buffers.push_back(std::move(size_buffer));
  }
  return arrow::MakeArray(arrow::ArrayData::Make(type, count, std::move(buffers),
                                                 {lists.values->data()}, lists.null_count));
}

// Each list must have the size; NULL lists get room of NULL values.
arrow::Result<ArrayPtr> BuildFixedSizeLists(QueryContext* context, const FlatLists& lists,
                                            const TypePtr& type) {
  const int32_t size = checked_cast<const arrow::FixedSizeListType&>(*type).list_size();
  const auto count = static_cast<int64_t>(lists.lengths.size());
  arrow::Int64Builder indices(PoolOf(context));
  ARROW_RETURN_NOT_OK(indices.Reserve(count * size));
  int64_t position = 0;
  for (int64_t row = 0; row < count; ++row) {
    const bool is_null =
        lists.validity != nullptr &&
        !arrow::bit_util::GetBit(lists.validity->data(), static_cast<uint64_t>(row));
    if (!is_null && lists.lengths[static_cast<size_t>(row)] != size) {
      return arrow::Status::Invalid("list of another size");
    }
    for (int32_t i = 0; i < size; ++i) {
      if (is_null) {
        indices.UnsafeAppendNull();
      } else {
        indices.UnsafeAppend(position++);
      }
    }
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr index_array, indices.Finish());
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken,
                        CallArrow(context, "take", {lists.values, index_array}));
  return arrow::MakeArray(arrow::ArrayData::Make(type, count, {lists.validity},
                                                 {taken.make_array()->data()}, lists.null_count));
}

arrow::Result<ArrayPtr> CastLists(QueryContext* context, const ArrayPtr& array, const TypePtr& type,
                                  bool try_cast) {
  ARROW_ASSIGN_OR_RAISE(FlatLists lists, FlattenAny(*array, PoolOf(context)));
  ARROW_ASSIGN_OR_RAISE(lists.values,
                        CastWhole(context, lists.values, type->field(0)->type(), try_cast));
  switch (type->id()) {
    case arrow::Type::FIXED_SIZE_LIST:
      return BuildFixedSizeLists(context, lists, type);
    case arrow::Type::LARGE_LIST:
    case arrow::Type::LARGE_LIST_VIEW:
      return BuildLists<int64_t>(lists, type, PoolOf(context));
    default:
      return BuildLists<int32_t>(lists, type, PoolOf(context));
  }
}

// Fields by name; one that the source does not have is NULL.
arrow::Result<ArrayPtr> CastStructs(QueryContext* context, const ArrayPtr& array,
                                    const TypePtr& type, bool try_cast) {
  const auto& source = checked_cast<const arrow::StructArray&>(*array);
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  for (const auto& field : type->fields()) {
    const int index = FieldIndexByName(*array->type(), field->name());
    ArrayPtr child;
    if (index < 0) {
      ARROW_ASSIGN_OR_RAISE(
          child, arrow::MakeArrayOfNull(field->type(), array->length(), PoolOf(context)));
    } else {
      // What stands below a NULL struct does not count, and must not fail the cast.
      ARROW_ASSIGN_OR_RAISE(child, source.GetFlattenedField(index, PoolOf(context)));
      ARROW_ASSIGN_OR_RAISE(child, CastWhole(context, child, field->type(), try_cast));
    }
    children.push_back(child->data());
  }
  ARROW_ASSIGN_OR_RAISE(auto validity, CopyValidity(*array, PoolOf(context)));
  return arrow::MakeArray(arrow::ArrayData::Make(type, array->length(), {std::move(validity)},
                                                 std::move(children), array->null_count()));
}

arrow::Result<ArrayPtr> CastMaps(QueryContext* context, const ArrayPtr& array, const TypePtr& type,
                                 bool try_cast) {
  const auto& map_type = checked_cast<const arrow::MapType&>(*type);
  ARROW_ASSIGN_OR_RAISE(FlatLists lists, FlattenAny(*array, PoolOf(context)));
  const auto& entries = checked_cast<const arrow::StructArray&>(*lists.values);
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr keys,
                        CastWhole(context, entries.field(0), map_type.key_type(), try_cast));
  if (keys->null_count() > 0) {
    return arrow::Status::Invalid("map key that cannot be cast");
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr items,
                        CastWhole(context, entries.field(1), map_type.item_type(), try_cast));
  lists.values = std::make_shared<arrow::StructArray>(map_type.value_type(), keys->length(),
                                                      arrow::ArrayVector{keys, items});
  return BuildLists<int32_t>(lists, type, PoolOf(context));
}

}  // namespace

arrow::Result<ArrayPtr> CastNested(QueryContext* context, const ArrayPtr& array,
                                   const TypePtr& type, bool try_cast) {
  if (array->type_id() == arrow::Type::STRUCT) {
    return CastStructs(context, array, type, try_cast);
  }
  if (array->type_id() == arrow::Type::MAP) {
    return CastMaps(context, array, type, try_cast);
  }
  return CastLists(context, array, type, try_cast);
}

arrow::Result<ArrayPtr> CastToEncoded(QueryContext* context, const ArrayPtr& array,
                                      const TypePtr& type) {
  if (type->id() == arrow::Type::EXTENSION) {
    const auto& extension = checked_cast<const arrow::ExtensionType&>(*type);
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr storage,
                          CastWhole(context, array, extension.storage_type(), false));
    return arrow::ExtensionType::WrapArray(type, storage);
  }
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum cast,
                        CallArrowCast(context, array, type, ArrowCast::kSafe));
  return cast.make_array();
}

bool CanCast(const arrow::DataType& from_type, const arrow::DataType& to_type) {
  const TypePtr from = PlainType(from_type.GetSharedPtr());
  const TypePtr to = PlainType(to_type.GetSharedPtr());
  if (from->Equals(*to) || from->id() == arrow::Type::NA) {
    return true;
  }
  const auto is_union = [](const arrow::DataType& type) { return arrow::is_union(type.id()); };
  if (IsTextType(*to)) {
    return !is_union(*from);
  }
  if (IsTextType(*from)) {
    return IsNumberType(*to) || to->id() == arrow::Type::BOOL || IsBlobType(*to) ||
           to->id() == arrow::Type::INTERVAL_MONTH_DAY_NANO || arrow::is_date(to->id()) ||
           arrow::is_time(to->id()) || to->id() == arrow::Type::TIMESTAMP;
  }
  if (IsListType(*from) && IsListType(*to)) {
    return CanCast(*from->field(0)->type(), *to->field(0)->type());
  }
  if (from->id() == arrow::Type::STRUCT && to->id() == arrow::Type::STRUCT) {
    // A field that would be dropped is more likely a mistake than a wish.
    for (const auto& field : from->fields()) {
      const int index = FieldIndexByName(*to, field->name());
      if (index < 0 || !CanCast(*field->type(), *to->field(index)->type())) {
        return false;
      }
    }
    return true;
  }
  if (from->id() == arrow::Type::MAP && to->id() == arrow::Type::MAP) {
    const auto& a = checked_cast<const arrow::MapType&>(*from);
    const auto& b = checked_cast<const arrow::MapType&>(*to);
    return CanCast(*a.key_type(), *b.key_type()) && CanCast(*a.item_type(), *b.item_type());
  }
  const auto is_boolean_or_number = [](const arrow::DataType& type) {
    return IsNumberType(type) || type.id() == arrow::Type::BOOL;
  };
  if (is_boolean_or_number(*from)) {
    return is_boolean_or_number(*to) &&
           !(from->id() == arrow::Type::BOOL && arrow::is_decimal(to->id()));
  }
  if (IsBlobType(*from)) {
    return IsBlobType(*to);
  }
  const bool from_date = arrow::is_date(from->id());
  if (from_date || from->id() == arrow::Type::TIMESTAMP) {
    return arrow::is_date(to->id()) || to->id() == arrow::Type::TIMESTAMP ||
           (!from_date && arrow::is_time(to->id()));
  }
  if (arrow::is_time(from->id())) {
    return arrow::is_time(to->id());
  }
  return IsIntervalType(*from) &&
         (to->id() == arrow::Type::INTERVAL_MONTH_DAY_NANO ||
          (from->id() == arrow::Type::DURATION && to->id() == arrow::Type::DURATION));
}

}  // namespace keepone
