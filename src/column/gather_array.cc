// SPDX-License-Identifier: Apache-2.0
#include "column/gather_array.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <arrow/array/data.h>
#include <arrow/buffer.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/binary_view_util.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/checked_cast.h>

#include "column/value_encoder.h"

namespace keepone {

using arrow::internal::checked_cast;

namespace {

// Copies bits; for one bit much faster than the general function.
void CopyBits(const uint8_t* from, int64_t from_bit, int64_t count, uint8_t* to, int64_t to_bit) {
  if (count == 1) {
    arrow::bit_util::SetBitTo(to, to_bit,
                              arrow::bit_util::GetBit(from, static_cast<uint64_t>(from_bit)));
  } else {
    arrow::internal::CopyBitmap(from, from_bit, count, to, to_bit);
  }
}

template <int kWidth>
void CopyFixed(const ArrayGather::Chunks& chunks, const ArrayGather::Ranges& ranges, int64_t width,
               uint8_t* out) {
  // Ranges of one row may jump about: their values are found by as few steps as can be.
  std::vector<const uint8_t*> values;
  values.reserve(chunks.size());
  for (const arrow::ArrayData* chunk : chunks) {
    const auto& buffer = chunk->buffers[1];
    values.push_back(buffer == nullptr ? nullptr : buffer->data() + chunk->offset * width);
  }
  for (const ChunkRange& range : ranges) {
    const int64_t bytes = range.count * width;
    if (bytes == 0) {
      continue;
    }
    if (range.chunk == ChunkRange::kNullChunk) {
      std::memset(out, 0, static_cast<size_t>(bytes));
      out += bytes;
      continue;
    }
    const uint8_t* from = values[static_cast<size_t>(range.chunk)] + range.begin * width;
    if (kWidth > 0 && range.count == 1) {
      std::memcpy(out, from, kWidth);  // a constant width needs no call
    } else {
      std::memcpy(out, from, static_cast<size_t>(bytes));
    }
    out += bytes;
  }
}

}  // namespace

arrow::Status ArrayGather::Overflow() {
  overflowed_ = true;
  return arrow::Status::CapacityError("offsets overflow");
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ArrayGather::Allocate(int64_t bytes) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(bytes, pool_));
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

void ArrayGather::AppendRange(const ChunkRange& range, Ranges* ranges) {
  if (range.count == 0) {
    return;
  }
  if (!ranges->empty()) {
    ChunkRange& last = ranges->back();
    if (last.chunk == range.chunk &&
        (range.chunk == ChunkRange::kNullChunk || last.begin + last.count == range.begin)) {
      last.count += range.count;
      return;
    }
  }
  ranges->push_back(range);
}

int64_t ArrayGather::CountRows(const Ranges& ranges) {
  int64_t rows = 0;
  for (const ChunkRange& range : ranges) {
    rows += range.count;
  }
  return rows;
}

arrow::Result<ArrayGather::Data> ArrayGather::Gather(const std::shared_ptr<arrow::DataType>& type,
                                                     const Chunks& chunks, const Ranges& ranges,
                                                     int64_t rows) {
  if (type->id() == arrow::Type::EXTENSION) {
    const auto& storage = checked_cast<const arrow::ExtensionType&>(*type).storage_type();
    ARROW_ASSIGN_OR_RAISE(Data data, Gather(storage, chunks, ranges, rows));
    data->type = type;
    return data;
  }
  auto out = std::make_shared<arrow::ArrayData>(type, rows, 0);
  out->buffers.resize(1);
  switch (type->id()) {
    case arrow::Type::NA:
      out->null_count = rows;
      return out;
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
    case arrow::Type::RUN_END_ENCODED:
      ARROW_RETURN_NOT_OK(GatherNested(chunks, ranges, out.get()));
      return out;
    default:
      break;
  }
  ARROW_RETURN_NOT_OK(GatherValidity(chunks, ranges, rows, out.get()));
  switch (type->id()) {
    case arrow::Type::BOOL:
      ARROW_RETURN_NOT_OK(GatherBits(chunks, ranges, out.get()));
      break;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      ARROW_RETURN_NOT_OK(GatherStrings<int32_t>(chunks, ranges, out.get()));
      break;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      ARROW_RETURN_NOT_OK(GatherStrings<int64_t>(chunks, ranges, out.get()));
      break;
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      ARROW_RETURN_NOT_OK(GatherViews(chunks, ranges, out.get()));
      break;
    case arrow::Type::DICTIONARY:
      ARROW_RETURN_NOT_OK(GatherDictionary(chunks, ranges, out.get()));
      break;
    default:
      if (arrow::is_nested(type->id())) {
        ARROW_RETURN_NOT_OK(GatherNested(chunks, ranges, out.get()));
      } else {
        const int bits = checked_cast<const arrow::FixedWidthType&>(*type).bit_width();
        ARROW_RETURN_NOT_OK(GatherFixed(bits / 8, chunks, ranges, out.get()));
      }
  }
  return out;
}

arrow::Status ArrayGather::GatherValidity(const Chunks& chunks, const Ranges& ranges, int64_t rows,
                                          arrow::ArrayData* out) {
  out->null_count = 0;
  std::vector<const uint8_t*> bitmaps;
  for (const arrow::ArrayData* chunk : chunks) {
    const bool has_bitmap = chunk->MayHaveNulls() && chunk->buffers[0] != nullptr;
    bitmaps.push_back(has_bitmap ? chunk->buffers[0]->data() : nullptr);
  }
  const bool may_have_nulls =
      std::any_of(ranges.begin(), ranges.end(), [&](const ChunkRange& range) {
        return range.chunk == ChunkRange::kNullChunk ||
               bitmaps[static_cast<size_t>(range.chunk)] != nullptr;
      });
  if (!may_have_nulls) {
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(auto buffer, Allocate(arrow::bit_util::BytesForBits(rows)));
  uint8_t* bits = buffer->mutable_data();
  std::memset(bits, 0, static_cast<size_t>(buffer->size()));
  int64_t at = 0;
  for (const ChunkRange& range : ranges) {
    if (range.chunk != ChunkRange::kNullChunk) {
      const auto chunk = static_cast<size_t>(range.chunk);
      if (bitmaps[chunk] == nullptr) {
        arrow::bit_util::SetBitsTo(bits, at, range.count, true);
      } else {
        CopyBits(bitmaps[chunk], chunks[chunk]->offset + range.begin, range.count, bits, at);
      }
    }
    at += range.count;
  }
  out->null_count = rows - arrow::internal::CountSetBits(bits, 0, rows);
  if (out->null_count > 0) {
    out->buffers[0] = std::move(buffer);
  }
  return arrow::Status::OK();
}

arrow::Status ArrayGather::GatherBits(const Chunks& chunks, const Ranges& ranges,
                                      arrow::ArrayData* out) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, Allocate(arrow::bit_util::BytesForBits(out->length)));
  uint8_t* bits = buffer->mutable_data();
  std::memset(bits, 0, static_cast<size_t>(buffer->size()));
  int64_t at = 0;
  for (const ChunkRange& range : ranges) {
    if (range.chunk != ChunkRange::kNullChunk && range.count > 0) {
      const arrow::ArrayData& chunk = *chunks[static_cast<size_t>(range.chunk)];
      CopyBits(chunk.buffers[1]->data(), chunk.offset + range.begin, range.count, bits, at);
    }
    at += range.count;
  }
  out->buffers.push_back(std::move(buffer));
  return arrow::Status::OK();
}

arrow::Status ArrayGather::GatherFixed(int64_t width, const Chunks& chunks, const Ranges& ranges,
                                       arrow::ArrayData* out) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, Allocate(out->length * width));
  uint8_t* bytes = buffer->mutable_data();
  switch (width) {
    case 1:
      CopyFixed<1>(chunks, ranges, width, bytes);
      break;
    case 2:
      CopyFixed<2>(chunks, ranges, width, bytes);
      break;
    case 4:
      CopyFixed<4>(chunks, ranges, width, bytes);
      break;
    case 8:
      CopyFixed<8>(chunks, ranges, width, bytes);
      break;
    case 16:
      CopyFixed<16>(chunks, ranges, width, bytes);
      break;
    default:
      CopyFixed<0>(chunks, ranges, width, bytes);
  }
  out->buffers.push_back(std::move(buffer));
  return arrow::Status::OK();
}

template <typename Offset>
arrow::Status ArrayGather::GatherStrings(const Chunks& chunks, const Ranges& ranges,
                                         arrow::ArrayData* out) {
  ARROW_ASSIGN_OR_RAISE(auto offset_buffer,
                        Allocate((out->length + 1) * static_cast<int64_t>(sizeof(Offset))));
  auto* offsets = reinterpret_cast<Offset*>(offset_buffer->mutable_data());
  int64_t total = 0;
  *offsets++ = 0;
  for (const ChunkRange& range : ranges) {
    if (range.chunk == ChunkRange::kNullChunk) {
      offsets = std::fill_n(offsets, range.count, static_cast<Offset>(total));
      continue;
    }
    const arrow::ArrayData& chunk = *chunks[static_cast<size_t>(range.chunk)];
    const Offset* from = chunk.GetValues<Offset>(1) + range.begin;
    if (range.count > 0 &&
        total + (from[range.count] - from[0]) > std::numeric_limits<Offset>::max()) {
      return Overflow();
    }
    for (int64_t i = 1; i <= range.count; ++i) {
      *offsets++ = static_cast<Offset>(total + (from[i] - from[0]));
    }
    total += range.count > 0 ? from[range.count] - from[0] : 0;
  }
  ARROW_ASSIGN_OR_RAISE(auto byte_buffer, Allocate(total));
  uint8_t* bytes = byte_buffer->mutable_data();
  for (const ChunkRange& range : ranges) {
    if (range.chunk == ChunkRange::kNullChunk || range.count == 0) {
      continue;
    }
    const arrow::ArrayData& chunk = *chunks[static_cast<size_t>(range.chunk)];
    const Offset* from = chunk.GetValues<Offset>(1) + range.begin;
    const auto length = static_cast<size_t>(from[range.count] - from[0]);
    if (length > 0) {
      std::memcpy(bytes, chunk.buffers[2]->data() + from[0], length);
      bytes += length;
    }
  }
  out->buffers.push_back(std::move(offset_buffer));
  out->buffers.push_back(std::move(byte_buffer));
  return arrow::Status::OK();
}

arrow::Status ArrayGather::GatherViews(const Chunks& chunks, const Ranges& ranges,
                                       arrow::ArrayData* out) {
  using View = arrow::BinaryViewType::c_type;
  ARROW_ASSIGN_OR_RAISE(auto view_buffer,
                        Allocate(out->length * static_cast<int64_t>(sizeof(View))));
  auto* views = reinterpret_cast<View*>(view_buffer->mutable_data());
  // What a view holds where it is NULL is not defined, so those are never followed.
  int64_t total = 0;
  int64_t at = 0;
  for (const ChunkRange& range : ranges) {
    Validity validity;
    const View* from = nullptr;
    if (range.chunk != ChunkRange::kNullChunk) {
      validity.Bind(*chunks[static_cast<size_t>(range.chunk)]);
      from = chunks[static_cast<size_t>(range.chunk)]->GetValues<View>(1) + range.begin;
    }
    for (int64_t i = 0; i < range.count; ++i, ++at) {
      if (from == nullptr || validity.IsNull(range.begin + i)) {
        std::memset(&views[at], 0, sizeof(View));
        continue;
      }
      views[at] = from[i];
      total += from[i].is_inline() ? 0 : from[i].size();
    }
  }
  out->buffers.push_back(std::move(view_buffer));
  at = 0;
  int64_t used = 0;
  uint8_t* bytes = nullptr;
  int64_t capacity = 0;
  for (const ChunkRange& range : ranges) {
    for (int64_t i = 0; total > 0 && i < range.count; ++i) {
      View& view = views[at + i];
      if (view.is_inline()) {
        continue;
      }
      const int64_t size = view.size();
      if (used + size > capacity) {
        capacity = std::min<int64_t>(std::max(total, size), std::numeric_limits<int32_t>::max());
        ARROW_ASSIGN_OR_RAISE(auto buffer, Allocate(capacity));
        bytes = buffer->mutable_data();
        out->buffers.push_back(std::move(buffer));
        used = 0;
      }
      const auto& from_buffers = chunks[static_cast<size_t>(range.chunk)]->buffers;
      std::memcpy(
          bytes + used,
          from_buffers[static_cast<size_t>(view.ref.buffer_index) + 2]->data() + view.ref.offset,
          static_cast<size_t>(size));
      view.ref.buffer_index = static_cast<int32_t>(out->buffers.size()) - 3;
      view.ref.offset = static_cast<int32_t>(used);
      used += size;
      total -= size;
    }
    at += range.count;
  }
  return arrow::Status::OK();
}

}  // namespace keepone
