// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/checked_cast.h>

#include "column/gather_array.h"
#include "column/key_encoder.h"
#include "column/value_encoder.h"

namespace keepone {

using arrow::internal::checked_cast;

arrow::Status ArrayGather::GatherNested(const Chunks& chunks, const Ranges& ranges,
                                        arrow::ArrayData* out) {
  switch (out->type->id()) {
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return GatherLists<int32_t>(chunks, ranges, out);
    case arrow::Type::LARGE_LIST:
      return GatherLists<int64_t>(chunks, ranges, out);
    case arrow::Type::LIST_VIEW:
      return GatherListViews<int32_t>(chunks, ranges, out);
    case arrow::Type::LARGE_LIST_VIEW:
      return GatherListViews<int64_t>(chunks, ranges, out);
    case arrow::Type::FIXED_SIZE_LIST:
      return GatherFixedSizeLists(chunks, ranges, out);
    case arrow::Type::STRUCT:
      return GatherStructs(chunks, ranges, out);
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
      return GatherUnions(chunks, ranges, out);
    case arrow::Type::RUN_END_ENCODED:
      break;
    default:
      return arrow::Status::NotImplemented("gathering rows of type ", out->type->ToString());
  }
  switch (checked_cast<const arrow::RunEndEncodedType&>(*out->type).run_end_type()->id()) {
    case arrow::Type::INT16:
      return GatherRunEnds<int16_t>(chunks, ranges, out);
    case arrow::Type::INT32:
      return GatherRunEnds<int32_t>(chunks, ranges, out);
    default:
      return GatherRunEnds<int64_t>(chunks, ranges, out);
  }
}

arrow::Status ArrayGather::GatherChild(size_t child, const Chunks& chunks, const Ranges& ranges,
                                       arrow::ArrayData* out) {
  Chunks child_chunks;
  for (const arrow::ArrayData* chunk : chunks) {
    child_chunks.push_back(chunk->child_data[child].get());
  }
  ARROW_ASSIGN_OR_RAISE(Data data, Gather(out->type->field(static_cast<int>(child))->type(),
                                          child_chunks, ranges, CountRows(ranges)));
  out->child_data.push_back(std::move(data));
  return arrow::Status::OK();
}

template <typename Offset>
arrow::Status ArrayGather::GatherLists(const Chunks& chunks, const Ranges& ranges,
                                       arrow::ArrayData* out) {
  ARROW_ASSIGN_OR_RAISE(auto buffer,
                        Allocate((out->length + 1) * static_cast<int64_t>(sizeof(Offset))));
  auto* offsets = reinterpret_cast<Offset*>(buffer->mutable_data());
  Ranges child_ranges;
  int64_t total = 0;
  *offsets++ = 0;
  for (const ChunkRange& range : ranges) {
    if (range.chunk == ChunkRange::kNullChunk || range.count == 0) {
      offsets = std::fill_n(offsets, range.count, static_cast<Offset>(total));
      continue;
    }
    const Offset* from =
        chunks[static_cast<size_t>(range.chunk)]->GetValues<Offset>(1) + range.begin;
    const int64_t elements = from[range.count] - from[0];
    if (elements > std::numeric_limits<Offset>::max() - total) {
      return Overflow();
    }
    for (int64_t i = 1; i <= range.count; ++i) {
      *offsets++ = static_cast<Offset>(total + (from[i] - from[0]));
    }
    AppendRange({range.chunk, from[0], elements}, &child_ranges);
    total += elements;
  }
  out->buffers.push_back(std::move(buffer));
  return GatherChild(0, chunks, child_ranges, out);
}

template <typename Offset>
arrow::Status ArrayGather::GatherListViews(const Chunks& chunks, const Ranges& ranges,
                                           arrow::ArrayData* out) {
  const int64_t bytes = out->length * static_cast<int64_t>(sizeof(Offset));
  ARROW_ASSIGN_OR_RAISE(auto offset_buffer, Allocate(bytes));
  ARROW_ASSIGN_OR_RAISE(auto size_buffer, Allocate(bytes));
  auto* offsets = reinterpret_cast<Offset*>(offset_buffer->mutable_data());
  auto* sizes = reinterpret_cast<Offset*>(size_buffer->mutable_data());
  Ranges child_ranges;
  int64_t total = 0;
  for (const ChunkRange& range : ranges) {
    if (range.chunk == ChunkRange::kNullChunk) {
      offsets = std::fill_n(offsets, range.count, static_cast<Offset>(total));
      sizes = std::fill_n(sizes, range.count, Offset{0});
      continue;
    }
    const arrow::ArrayData& chunk = *chunks[static_cast<size_t>(range.chunk)];
    const Offset* from = chunk.GetValues<Offset>(1) + range.begin;
    const Offset* from_sizes = chunk.GetValues<Offset>(2) + range.begin;
    Validity validity;
    validity.Bind(chunk);
    for (int64_t i = 0; i < range.count; ++i) {
      const Offset size = validity.IsNull(range.begin + i) ? Offset{0} : from_sizes[i];
      if (size > std::numeric_limits<Offset>::max() - total) {
        return Overflow();
      }
      *offsets++ = static_cast<Offset>(total);
      *sizes++ = size;
      AppendRange({range.chunk, int64_t{from[i]}, int64_t{size}}, &child_ranges);
      total += size;
    }
  }
  out->buffers.push_back(std::move(offset_buffer));
  out->buffers.push_back(std::move(size_buffer));
  return GatherChild(0, chunks, child_ranges, out);
}

arrow::Status ArrayGather::GatherFixedSizeLists(const Chunks& chunks, const Ranges& ranges,
                                                arrow::ArrayData* out) {
  const int64_t size = checked_cast<const arrow::FixedSizeListType&>(*out->type).list_size();
  Ranges child_ranges;
  for (const ChunkRange& range : ranges) {
    const int64_t offset = range.chunk == ChunkRange::kNullChunk
                               ? 0
                               : chunks[static_cast<size_t>(range.chunk)]->offset;
    AppendRange({range.chunk, (offset + range.begin) * size, range.count * size}, &child_ranges);
  }
  return GatherChild(0, chunks, child_ranges, out);
}

arrow::Status ArrayGather::GatherStructs(const Chunks& chunks, const Ranges& ranges,
                                         arrow::ArrayData* out) {
  Ranges child_ranges = ranges;
  for (ChunkRange& range : child_ranges) {
    if (range.chunk != ChunkRange::kNullChunk) {
      range.begin += chunks[static_cast<size_t>(range.chunk)]->offset;
    }
  }
  for (int i = 0; i < out->type->num_fields(); ++i) {
    ARROW_RETURN_NOT_OK(GatherChild(static_cast<size_t>(i), chunks, child_ranges, out));
  }
  return arrow::Status::OK();
}

// A NULL row of a union is a NULL of its first child.
arrow::Status ArrayGather::GatherUnions(const Chunks& chunks, const Ranges& ranges,
                                        arrow::ArrayData* out) {
  const auto& type = checked_cast<const arrow::UnionType&>(*out->type);
  const bool dense = type.mode() == arrow::UnionMode::DENSE;
  out->null_count = 0;
  ARROW_ASSIGN_OR_RAISE(auto code_buffer, Allocate(out->length));
  auto* codes = reinterpret_cast<int8_t*>(code_buffer->mutable_data());
  int64_t at = 0;
  for (const ChunkRange& range : ranges) {
    if (range.chunk == ChunkRange::kNullChunk) {
      std::fill_n(codes + at, range.count,
                  type.num_fields() > 0 ? type.type_codes()[0] : int8_t{0});
    } else {
      const auto* from =
          chunks[static_cast<size_t>(range.chunk)]->GetValues<int8_t>(1) + range.begin;
      std::copy_n(from, range.count, codes + at);
    }
    at += range.count;
  }
  out->buffers.push_back(std::move(code_buffer));
  if (!dense) {
    return GatherStructs(chunks, ranges, out);
  }
  ARROW_ASSIGN_OR_RAISE(auto offset_buffer, Allocate(out->length * 4));
  auto* offsets = reinterpret_cast<int32_t*>(offset_buffer->mutable_data());
  std::vector<Ranges> child_ranges(static_cast<size_t>(type.num_fields()));
  std::vector<int64_t> child_rows(child_ranges.size(), 0);
  at = 0;
  for (const ChunkRange& range : ranges) {
    const int32_t* from =
        range.chunk == ChunkRange::kNullChunk
            ? nullptr
            : chunks[static_cast<size_t>(range.chunk)]->GetValues<int32_t>(2) + range.begin;
    for (int64_t i = 0; i < range.count; ++i, ++at) {
      const auto child = static_cast<size_t>(type.child_ids()[static_cast<size_t>(codes[at])]);
      if (child_rows[child] == std::numeric_limits<int32_t>::max()) {
        return Overflow();
      }
      offsets[at] = static_cast<int32_t>(child_rows[child]++);
      AppendRange({range.chunk, from == nullptr ? 0 : int64_t{from[i]}, 1}, &child_ranges[child]);
    }
  }
  out->buffers.push_back(std::move(offset_buffer));
  for (size_t i = 0; i < child_ranges.size(); ++i) {
    ARROW_RETURN_NOT_OK(GatherChild(i, chunks, child_ranges[i], out));
  }
  return arrow::Status::OK();
}

template <typename RunEnd>
arrow::Status ArrayGather::GatherRunEnds(const Chunks& chunks, const Ranges& ranges,
                                         arrow::ArrayData* out) {
  out->null_count = 0;
  if (out->length > std::numeric_limits<RunEnd>::max()) {
    return Overflow();
  }
  std::vector<RunEnd> ends;
  Ranges value_ranges;
  int64_t at = 0;
  const auto append_run = [&](int32_t chunk, int64_t run, int64_t count) {
    at += count;
    ends.push_back(static_cast<RunEnd>(at));
    AppendRange({chunk, run, 1}, &value_ranges);
  };
  int32_t last_chunk = ChunkRange::kNullChunk;
  int64_t last_run = -1;
  for (const ChunkRange& range : ranges) {
    if (range.count == 0) {
      continue;
    }
    if (range.chunk == ChunkRange::kNullChunk) {
      append_run(range.chunk, 0, range.count);
      last_run = -1;
      continue;
    }
    const arrow::ArrayData& chunk = *chunks[static_cast<size_t>(range.chunk)];
    const auto* from = chunk.child_data[0]->GetValues<RunEnd>(1);
    const int64_t runs = chunk.child_data[0]->length;
    int64_t row = chunk.offset + range.begin;
    const int64_t end = row + range.count;
    for (int64_t run = std::upper_bound(from, from + runs, row) - from; row < end; ++run) {
      const int64_t run_end = std::min<int64_t>(end, from[run]);
      if (range.chunk == last_chunk && run == last_run) {
        at += run_end - row;
        ends.back() = static_cast<RunEnd>(at);
      } else {
        append_run(range.chunk, run, run_end - row);
      }
      last_chunk = range.chunk;
      last_run = run;
      row = run_end;
    }
  }
  const auto runs = static_cast<int64_t>(ends.size());
  ARROW_ASSIGN_OR_RAISE(auto buffer, Allocate(runs * static_cast<int64_t>(sizeof(RunEnd))));
  std::copy(ends.begin(), ends.end(), reinterpret_cast<RunEnd*>(buffer->mutable_data()));
  out->child_data.push_back(
      arrow::ArrayData::Make(out->type->field(0)->type(), runs, {nullptr, std::move(buffer)}, 0));
  return GatherChild(1, chunks, value_ranges, out);
}

namespace {

bool HoldsFloats(const arrow::DataType& type) {
  if (arrow::is_floating(type.id())) {
    return true;
  }
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [](const auto& field) { return HoldsFloats(*field->type()); });
}

// The new number of every dictionary value that occurs.
class DictionaryMap {
 public:
  // Values of several dictionaries are joined by value, as writers expect no value twice; not
  // where that could change the bits of a float.
  static arrow::Result<DictionaryMap> Make(const std::shared_ptr<arrow::DataType>& value_type,
                                           const ArrayGather::Chunks& chunks, int64_t rows,
                                           arrow::MemoryPool* pool) {
    DictionaryMap map;
    for (const arrow::ArrayData* chunk : chunks) {
      const auto found =
          std::find(map.dictionaries_.begin(), map.dictionaries_.end(), chunk->dictionary.get());
      map.dictionary_of_chunk_.push_back(static_cast<int32_t>(found - map.dictionaries_.begin()));
      if (found == map.dictionaries_.end()) {
        map.dictionaries_.push_back(chunk->dictionary.get());
        // A map where a list of all values would cost more than the rows at hand.
        const bool sparse = chunk->dictionary->length / 8 > rows;
        map.dense_.emplace_back(sparse ? 0 : static_cast<size_t>(chunk->dictionary->length), -1);
        map.sparse_.emplace_back();
      }
    }
    if (map.dictionaries_.size() > 1 && !HoldsFloats(*value_type)) {
      ARROW_ASSIGN_OR_RAISE(map.encoder_, KeyEncoder::Make({KeyField{value_type}}));
      map.keys_ = std::make_unique<EncodedKeys>(pool);
    }
    return map;
  }

  arrow::Result<int64_t> Number(int32_t chunk, int64_t index) {
    const int32_t dictionary = dictionary_of_chunk_[static_cast<size_t>(chunk)];
    auto& dense = dense_[static_cast<size_t>(dictionary)];
    int64_t& number =
        dense.empty()
            ? sparse_[static_cast<size_t>(dictionary)].try_emplace(index, -1).first->second
            : dense[static_cast<size_t>(index)];
    if (number < 0) {
      ARROW_ASSIGN_OR_RAISE(number, NewNumber(dictionary, index));
    }
    return number;
  }

  const ArrayGather::Chunks& dictionaries() const { return dictionaries_; }
  const ArrayGather::Ranges& ranges() const { return ranges_; }
  int64_t size() const { return size_; }

 private:
  arrow::Result<int64_t> NewNumber(int32_t dictionary, int64_t index) {
    if (encoder_ != nullptr) {
      if (bound_ != dictionary) {
        ARROW_RETURN_NOT_OK(encoder_->Bind(
            {arrow::MakeArray(dictionaries_[static_cast<size_t>(dictionary)]->Copy())}));
        bound_ = dictionary;
      }
      ARROW_RETURN_NOT_OK(
          encoder_->EncodeRows(index, 1, std::numeric_limits<int64_t>::max(), keys_.get()));
      const auto [entry, is_new] = by_key_.try_emplace(std::string((*keys_)[0]), size_);
      if (!is_new) {
        return entry->second;
      }
    }
    ArrayGather::AppendRange({dictionary, index, 1}, &ranges_);
    return size_++;
  }

  std::vector<int32_t> dictionary_of_chunk_;
  ArrayGather::Chunks dictionaries_;
  std::vector<std::vector<int64_t>> dense_;
  std::vector<std::unordered_map<int64_t, int64_t>> sparse_;
  std::unique_ptr<KeyEncoder> encoder_;
  std::unique_ptr<EncodedKeys> keys_;
  int32_t bound_ = -1;
  std::unordered_map<std::string, int64_t> by_key_;
  ArrayGather::Ranges ranges_;
  int64_t size_ = 0;
};

template <typename Index>
int64_t LoadIndex(const uint8_t* indices, int64_t at) {
  return static_cast<int64_t>(LoadAs<Index>(indices + at * static_cast<int64_t>(sizeof(Index))));
}

// Indices are unsigned by value wherever they are valid.
int64_t ReadIndex(const uint8_t* indices, int64_t width, int64_t at) {
  switch (width) {
    case 1:
      return LoadIndex<uint8_t>(indices, at);
    case 2:
      return LoadIndex<uint16_t>(indices, at);
    case 4:
      return LoadIndex<uint32_t>(indices, at);
    default:
      return LoadIndex<uint64_t>(indices, at);
  }
}

}  // namespace

arrow::Status ArrayGather::GatherDictionary(const Chunks& chunks, const Ranges& ranges,
                                            arrow::ArrayData* out) {
  const auto& type = checked_cast<const arrow::DictionaryType&>(*out->type);
  const int64_t width = type.index_type()->byte_width();
  const bool is_signed = arrow::is_signed_integer(type.index_type()->id());
  const int64_t size_max = width == 8 ? std::numeric_limits<int64_t>::max()
                                      : int64_t{1} << (8 * width - (is_signed ? 1 : 0));
  ARROW_ASSIGN_OR_RAISE(DictionaryMap map,
                        DictionaryMap::Make(type.value_type(), chunks, out->length, pool_));
  ARROW_ASSIGN_OR_RAISE(auto buffer, Allocate(out->length * width));
  uint8_t* to = buffer->mutable_data();
  std::memset(to, 0, static_cast<size_t>(buffer->size()));
  for (const ChunkRange& range : ranges) {
    if (range.chunk == ChunkRange::kNullChunk) {
      to += range.count * width;
      continue;
    }
    const arrow::ArrayData& chunk = *chunks[static_cast<size_t>(range.chunk)];
    Validity validity;
    validity.Bind(chunk);
    for (int64_t i = 0; i < range.count; ++i, to += width) {
      if (!validity.IsNull(range.begin + i)) {
        const int64_t index =
            ReadIndex(chunk.buffers[1]->data(), width, chunk.offset + range.begin + i);
        ARROW_ASSIGN_OR_RAISE(const int64_t number, map.Number(range.chunk, index));
        if (number >= size_max) {
          return Overflow();
        }
        std::memcpy(to, &number, static_cast<size_t>(width));
      }
    }
  }
  out->buffers.push_back(std::move(buffer));
  ARROW_ASSIGN_OR_RAISE(out->dictionary,
                        Gather(type.value_type(), map.dictionaries(), map.ranges(), map.size()));
  return arrow::Status::OK();
}

}  // namespace keepone
