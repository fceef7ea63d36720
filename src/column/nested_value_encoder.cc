// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <arrow/array/data.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "column/value_encoder.h"

namespace keepone {

using arrow::internal::checked_cast;

namespace {

// Ends a list: below the marker of a further element, so that the shorter list comes first.
constexpr uint8_t kListEnd = 0;

struct ElementRange {
  int64_t begin;
  int64_t end;
};

// Where the elements of a list lie in the child.
template <typename Offset>
class OffsetLists {
 public:
  explicit OffsetLists(const arrow::DataType&) {}
  void Bind(const arrow::ArrayData& data) { offsets_ = data.GetValues<Offset>(1); }
  ElementRange Get(int64_t row) const { return {offsets_[row], offsets_[row + 1]}; }

 private:
  const Offset* offsets_ = nullptr;
};

template <typename Offset>
class ViewLists {
 public:
  explicit ViewLists(const arrow::DataType&) {}
  void Bind(const arrow::ArrayData& data) {
    offsets_ = data.GetValues<Offset>(1);
    sizes_ = data.GetValues<Offset>(2);
  }
  ElementRange Get(int64_t row) const { return {offsets_[row], offsets_[row] + sizes_[row]}; }

 private:
  const Offset* offsets_ = nullptr;
  const Offset* sizes_ = nullptr;
};

template <typename Lists>
class ListEncoder final : public ColumnLoops<ListEncoder<Lists>> {
 public:
  ListEncoder(const arrow::DataType& type, std::unique_ptr<ValueEncoder> child)
      : ColumnLoops<ListEncoder<Lists>>(-1), lists_(type), child_(std::move(child)) {}

  void Bind(const arrow::ArrayData& data) override {
    validity_.Bind(data);
    lists_.Bind(data);
    child_->Bind(*data.child_data[0]);
  }
  bool IsNull(int64_t row) const override { return validity_.IsNull(row); }
  int64_t Size(int64_t row) const override {
    const ElementRange range = lists_.Get(row);
    if (child_->fixed_width() >= 0) {
      return 1 + (range.end - range.begin) * (1 + child_->fixed_width());
    }
    int64_t size = 1;
    for (int64_t i = range.begin; i < range.end; ++i) {
      size += child_->MarkedSize(i);
    }
    return size;
  }
  uint8_t* Write(int64_t row, uint8_t* out) const override {
    const ElementRange range = lists_.Get(row);
    for (int64_t i = range.begin; i < range.end; ++i) {
      out = child_->WriteMarked(i, out);
    }
    *out = kListEnd;
    return out + 1;
  }

 private:
  Validity validity_;
  Lists lists_;
  std::unique_ptr<ValueEncoder> child_;
};

class FixedSizeListEncoder final : public ColumnLoops<FixedSizeListEncoder> {
 public:
  FixedSizeListEncoder(int64_t list_size, std::unique_ptr<ValueEncoder> child)
      : ColumnLoops(list_size == 0              ? 0
                    : child->fixed_width() >= 0 ? list_size * (1 + child->fixed_width())
                                                : -1),
        list_size_(list_size),
        child_(std::move(child)) {}

  void Bind(const arrow::ArrayData& data) override {
    validity_.Bind(data);
    offset_ = data.offset;
    child_->Bind(*data.child_data[0]);
  }
  bool IsNull(int64_t row) const override { return validity_.IsNull(row); }
  int64_t Size(int64_t row) const override {
    if (fixed_width_ >= 0) {
      return fixed_width_;
    }
    const int64_t begin = (offset_ + row) * list_size_;
    int64_t size = 0;
    for (int64_t i = begin; i < begin + list_size_; ++i) {
      size += child_->MarkedSize(i);
    }
    return size;
  }
  uint8_t* Write(int64_t row, uint8_t* out) const override {
    const int64_t begin = (offset_ + row) * list_size_;
    for (int64_t i = begin; i < begin + list_size_; ++i) {
      out = child_->WriteMarked(i, out);
    }
    return out;
  }

 private:
  Validity validity_;
  int64_t offset_ = 0;
  int64_t list_size_;
  std::unique_ptr<ValueEncoder> child_;
};

using Encoders = std::vector<std::unique_ptr<ValueEncoder>>;

int64_t StructWidth(const Encoders& fields) {
  int64_t width = 0;
  for (const auto& field : fields) {
    if (field->fixed_width() < 0) {
      return -1;
    }
    width += 1 + field->fixed_width();
  }
  return width;
}

class StructEncoder final : public ColumnLoops<StructEncoder> {
 public:
  explicit StructEncoder(Encoders fields)
      : ColumnLoops(StructWidth(fields)), fields_(std::move(fields)) {}

  void Bind(const arrow::ArrayData& data) override {
    validity_.Bind(data);
    offset_ = data.offset;
    for (size_t i = 0; i < fields_.size(); ++i) {
      fields_[i]->Bind(*data.child_data[i]);
    }
  }
  bool IsNull(int64_t row) const override { return validity_.IsNull(row); }
  int64_t Size(int64_t row) const override {
    if (fixed_width_ >= 0) {
      return fixed_width_;
    }
    int64_t size = 0;
    for (const auto& field : fields_) {
      size += field->MarkedSize(offset_ + row);
    }
    return size;
  }
  uint8_t* Write(int64_t row, uint8_t* out) const override {
    for (const auto& field : fields_) {
      out = field->WriteMarked(offset_ + row, out);
    }
    return out;
  }

 private:
  Validity validity_;
  int64_t offset_ = 0;
  Encoders fields_;
};

// The type code, then the child's value.
class UnionEncoder final : public ColumnLoops<UnionEncoder> {
 public:
  UnionEncoder(const arrow::UnionType& type, Encoders children)
      : ColumnLoops(-1),
        dense_(type.mode() == arrow::UnionMode::DENSE),
        children_(std::move(children)) {
    child_of_code_.fill(0);
    for (size_t i = 0; i < type.type_codes().size(); ++i) {
      child_of_code_[static_cast<size_t>(type.type_codes()[i])] = i;
    }
  }

  void Bind(const arrow::ArrayData& data) override {
    codes_ = data.GetValues<int8_t>(1);
    offsets_ = dense_ ? data.GetValues<int32_t>(2) : nullptr;
    offset_ = data.offset;
    for (size_t i = 0; i < children_.size(); ++i) {
      children_[i]->Bind(*data.child_data[i]);
    }
  }
  bool IsNull(int64_t row) const override { return Child(row).IsNull(ChildRow(row)); }
  int64_t Size(int64_t row) const override { return 1 + Child(row).Size(ChildRow(row)); }
  uint8_t* Write(int64_t row, uint8_t* out) const override {
    *out = static_cast<uint8_t>(codes_[row]);
    return Child(row).Write(ChildRow(row), out + 1);
  }

 private:
  const ValueEncoder& Child(int64_t row) const {
    return *children_[child_of_code_[static_cast<size_t>(codes_[row])]];
  }
  int64_t ChildRow(int64_t row) const { return dense_ ? offsets_[row] : offset_ + row; }

  bool dense_;
  std::array<size_t, 128> child_of_code_;
  Encoders children_;
  const int8_t* codes_ = nullptr;
  const int32_t* offsets_ = nullptr;
  int64_t offset_ = 0;
};

template <typename Index>
class DictionaryEncoder final : public ColumnLoops<DictionaryEncoder<Index>> {
 public:
  explicit DictionaryEncoder(std::unique_ptr<ValueEncoder> values)
      : ColumnLoops<DictionaryEncoder<Index>>(values->fixed_width()), values_(std::move(values)) {}

  void Bind(const arrow::ArrayData& data) override {
    validity_.Bind(data);
    indices_ = data.GetValues<Index>(1);
    values_->Bind(*data.dictionary);
  }
  bool IsNull(int64_t row) const override {
    return validity_.IsNull(row) || values_->IsNull(static_cast<int64_t>(indices_[row]));
  }
  int64_t Size(int64_t row) const override {
    return values_->Size(static_cast<int64_t>(indices_[row]));
  }
  uint8_t* Write(int64_t row, uint8_t* out) const override {
    return values_->Write(static_cast<int64_t>(indices_[row]), out);
  }
  void OmitEnd() override { values_->OmitEnd(); }

 private:
  Validity validity_;
  const Index* indices_ = nullptr;
  std::unique_ptr<ValueEncoder> values_;
};

template <typename RunEnd>
class RunEndEncoder final : public ColumnLoops<RunEndEncoder<RunEnd>> {
 public:
  explicit RunEndEncoder(std::unique_ptr<ValueEncoder> values)
      : ColumnLoops<RunEndEncoder<RunEnd>>(values->fixed_width()), values_(std::move(values)) {}

  void Bind(const arrow::ArrayData& data) override {
    run_ends_ = data.child_data[0]->template GetValues<RunEnd>(1);
    runs_ = data.child_data[0]->length;
    offset_ = data.offset;
    run_ = 0;
    values_->Bind(*data.child_data[1]);
  }
  bool IsNull(int64_t row) const override { return values_->IsNull(RunOf(row)); }
  int64_t Size(int64_t row) const override { return values_->Size(RunOf(row)); }
  uint8_t* Write(int64_t row, uint8_t* out) const override {
    return values_->Write(RunOf(row), out);
  }
  void OmitEnd() override { values_->OmitEnd(); }

 private:
  // Rows mostly come in order, so the last run or the next one is tried before a search.
  int64_t RunOf(int64_t row) const {
    const int64_t at = offset_ + row;
    if (!Holds(run_, at)) {
      run_ = run_ + 1 < runs_ && Holds(run_ + 1, at)
                 ? run_ + 1
                 : std::upper_bound(run_ends_, run_ends_ + runs_, at) - run_ends_;
    }
    return run_;
  }
  bool Holds(int64_t run, int64_t at) const {
    return at < static_cast<int64_t>(run_ends_[run]) &&
           (run == 0 || at >= static_cast<int64_t>(run_ends_[run - 1]));
  }

  const RunEnd* run_ends_ = nullptr;
  int64_t runs_ = 0;
  int64_t offset_ = 0;
  mutable int64_t run_ = 0;
  std::unique_ptr<ValueEncoder> values_;
};

arrow::Result<Encoders> MakeFieldEncoders(const arrow::DataType& type) {
  Encoders encoders;
  for (const auto& field : type.fields()) {
    ARROW_ASSIGN_OR_RAISE(auto encoder, MakeValueEncoder(*field->type()));
    encoders.push_back(std::move(encoder));
  }
  return encoders;
}

template <typename Lists>
arrow::Result<std::unique_ptr<ValueEncoder>> MakeListEncoder(const arrow::DataType& type) {
  ARROW_ASSIGN_OR_RAISE(auto child, MakeValueEncoder(*type.field(0)->type()));
  return std::make_unique<ListEncoder<Lists>>(type, std::move(child));
}

arrow::Result<std::unique_ptr<ValueEncoder>> MakeDictionaryEncoder(
    const arrow::DictionaryType& type) {
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<ValueEncoder> values, MakeValueEncoder(*type.value_type()));
  switch (type.index_type()->id()) {
    case arrow::Type::INT8:
      return std::make_unique<DictionaryEncoder<int8_t>>(std::move(values));
    case arrow::Type::UINT8:
      return std::make_unique<DictionaryEncoder<uint8_t>>(std::move(values));
    case arrow::Type::INT16:
      return std::make_unique<DictionaryEncoder<int16_t>>(std::move(values));
    case arrow::Type::UINT16:
      return std::make_unique<DictionaryEncoder<uint16_t>>(std::move(values));
    case arrow::Type::INT32:
      return std::make_unique<DictionaryEncoder<int32_t>>(std::move(values));
    case arrow::Type::UINT32:
      return std::make_unique<DictionaryEncoder<uint32_t>>(std::move(values));
    case arrow::Type::INT64:
      return std::make_unique<DictionaryEncoder<int64_t>>(std::move(values));
    default:
      return std::make_unique<DictionaryEncoder<uint64_t>>(std::move(values));
  }
}

arrow::Result<std::unique_ptr<ValueEncoder>> MakeRunEndEncoder(
    const arrow::RunEndEncodedType& type) {
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<ValueEncoder> values, MakeValueEncoder(*type.value_type()));
  switch (type.run_end_type()->id()) {
    case arrow::Type::INT16:
      return std::make_unique<RunEndEncoder<int16_t>>(std::move(values));
    case arrow::Type::INT32:
      return std::make_unique<RunEndEncoder<int32_t>>(std::move(values));
    default:
      return std::make_unique<RunEndEncoder<int64_t>>(std::move(values));
  }
}

}  // namespace

arrow::Result<std::unique_ptr<ValueEncoder>> MakeNestedValueEncoder(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return MakeListEncoder<OffsetLists<int32_t>>(type);
    case arrow::Type::LARGE_LIST:
      return MakeListEncoder<OffsetLists<int64_t>>(type);
    case arrow::Type::LIST_VIEW:
      return MakeListEncoder<ViewLists<int32_t>>(type);
    case arrow::Type::LARGE_LIST_VIEW:
      return MakeListEncoder<ViewLists<int64_t>>(type);
    case arrow::Type::FIXED_SIZE_LIST: {
      ARROW_ASSIGN_OR_RAISE(auto child, MakeValueEncoder(*type.field(0)->type()));
      return std::make_unique<FixedSizeListEncoder>(
          checked_cast<const arrow::FixedSizeListType&>(type).list_size(), std::move(child));
    }
    case arrow::Type::STRUCT: {
      ARROW_ASSIGN_OR_RAISE(Encoders fields, MakeFieldEncoders(type));
      return std::make_unique<StructEncoder>(std::move(fields));
    }
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION: {
      ARROW_ASSIGN_OR_RAISE(Encoders children, MakeFieldEncoders(type));
      return std::make_unique<UnionEncoder>(checked_cast<const arrow::UnionType&>(type),
                                            std::move(children));
    }
    case arrow::Type::DICTIONARY:
      return MakeDictionaryEncoder(checked_cast<const arrow::DictionaryType&>(type));
    case arrow::Type::RUN_END_ENCODED:
      return MakeRunEndEncoder(checked_cast<const arrow::RunEndEncodedType&>(type));
    default:
      return MakeError(ErrorKind::kUnsupported, std::nullopt,
                       "a column of type " + type.ToString() + " cannot be a key");
  }
}

}  // namespace keepone
