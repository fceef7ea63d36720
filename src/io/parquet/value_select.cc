// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/value_select.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include <arrow/util/bit_util.h>
#include <parquet/encoding.h>

#include "io/parquet/chunk_dictionary.h"
#include "io/parquet/hybrid_reader.h"

namespace keepone {

namespace {

using parquet::Encoding;

constexpr int64_t kOutputBytesMax = std::numeric_limits<int32_t>::max() - (1 << 20);

arrow::Status TooFewValues() {
  return arrow::Status::Invalid("corrupt page: it has fewer values than its header says");
}

// Values up to and with the last one taken.
int64_t CountTouched(std::span<const ValueRun> runs) {
  int64_t count = 0;
  for (const ValueRun& run : runs) {
    count += run.skip + run.take;
  }
  return count;
}

arrow::Status SelectFixedWidth(const EncodedValues& values, int64_t width,
                               std::span<const ValueRun> runs, arrow::BufferBuilder* out) {
  ARROW_RETURN_NOT_OK(values.body->Require(values.offset + CountTouched(runs) * width));
  const uint8_t* source = values.body->data() + values.offset;
  for (const ValueRun& run : runs) {
    source += run.skip * width;
    ARROW_RETURN_NOT_OK(out->Append(source, run.take * width));
    source += run.take * width;
  }
  return arrow::Status::OK();
}

// Each length tells where the next one is, and a page is larger than the nearer caches: the lines
// that come are asked for this far ahead, whether or not a length lies in them.
constexpr int64_t kPrefetchBytes = 2 << 10;
constexpr int64_t kCacheLineBytes = 64;

// Behind `count` byte arrays, each a length of four bytes and that many bytes, from `position` on.
arrow::Result<int64_t> WalkByteArrays(PageBody* body, int64_t position, int64_t count) {
  const uint8_t* const data = body->data();
  int64_t available = body->available();
  for (int64_t i = 0; i < count; ++i) {
    if (position + 4 > available) [[unlikely]] {
      ARROW_RETURN_NOT_OK(body->Require(position + 4));
      available = body->available();
    }
    uint32_t length;
    std::memcpy(&length, data + position, sizeof(length));
    const int64_t bytes = 4 + static_cast<int64_t>(length);
    const int64_t ahead = position + kPrefetchBytes;
    const int64_t ahead_end = std::min(ahead + std::min(bytes, kPrefetchBytes), body->size());
    for (int64_t line = ahead; line < ahead_end; line += kCacheLineBytes) {
      __builtin_prefetch(data + line);
    }
    position += bytes;
  }
  return position;
}

arrow::Status SelectByteArrays(const EncodedValues& values, std::span<const ValueRun> runs,
                               arrow::BufferBuilder* out) {
  PageBody* const body = values.body;
  int64_t position = values.offset;
  for (const ValueRun& run : runs) {
    ARROW_ASSIGN_OR_RAISE(const int64_t begin, WalkByteArrays(body, position, run.skip));
    ARROW_ASSIGN_OR_RAISE(position, WalkByteArrays(body, begin, run.take));
    ARROW_RETURN_NOT_OK(body->Require(position));
    ARROW_RETURN_NOT_OK(out->Append(body->data() + begin, position - begin));
  }
  return arrow::Status::OK();
}

// Collects booleans and gives them as PLAIN has them: bits, the lowest first.
arrow::Status AppendBits(std::span<const uint32_t> bits, arrow::BufferBuilder* out) {
  const auto bytes = arrow::bit_util::BytesForBits(static_cast<int64_t>(bits.size()));
  ARROW_RETURN_NOT_OK(out->Reserve(bytes));
  uint8_t* const target = out->mutable_data() + out->length();
  std::memset(target, 0, static_cast<size_t>(bytes));
  for (size_t i = 0; i < bits.size(); ++i) {
    target[i / 8] = static_cast<uint8_t>(target[i / 8] | (bits[i] & 1) << (i % 8));
  }
  out->UnsafeAdvance(bytes);
  return arrow::Status::OK();
}

arrow::Status SelectPlainBooleans(const EncodedValues& values, std::span<const ValueRun> runs,
                                  PageScratch* scratch, arrow::BufferBuilder* out) {
  ARROW_RETURN_NOT_OK(
      values.body->Require(values.offset + arrow::bit_util::BytesForBits(CountTouched(runs))));
  const uint8_t* const source = values.body->data() + values.offset;
  scratch->indices.clear();
  int64_t position = 0;
  for (const ValueRun& run : runs) {
    position += run.skip;
    for (int64_t i = 0; i < run.take; ++i, ++position) {
      scratch->indices.push_back(
          arrow::bit_util::GetBit(source, static_cast<uint64_t>(position)) ? 1 : 0);
    }
  }
  return AppendBits(scratch->indices, out);
}

arrow::Status ReadHybrid(HybridReader reader, std::span<const ValueRun> runs,
                         std::vector<uint32_t>* out) {
  out->clear();
  for (const ValueRun& run : runs) {
    if (!reader.Skip(run.skip) || !reader.Read(run.take, out)) {
      return TooFewValues();
    }
  }
  return arrow::Status::OK();
}

arrow::Status SelectRleBooleans(const EncodedValues& values, std::span<const ValueRun> runs,
                                PageScratch* scratch, arrow::BufferBuilder* out) {
  ARROW_RETURN_NOT_OK(values.body->Require(values.body->size()));
  const int64_t begin = values.offset + 4;
  if (begin > values.body->size()) {
    return TooFewValues();
  }
  uint32_t length;
  std::memcpy(&length, values.body->data() + values.offset, sizeof(length));
  const int64_t bytes = std::min<int64_t>(length, values.body->size() - begin);
  const HybridReader reader({values.body->data() + begin, static_cast<size_t>(bytes)}, 1);
  ARROW_RETURN_NOT_OK(ReadHybrid(reader, runs, &scratch->indices));
  return AppendBits(scratch->indices, out);
}

arrow::Status SelectIndices(const EncodedValues& values, std::span<const ValueRun> runs,
                            PageScratch* scratch, arrow::BufferBuilder* out) {
  ARROW_RETURN_NOT_OK(values.body->Require(values.body->size()));
  if (values.offset >= values.body->size()) {
    return TooFewValues();
  }
  const uint8_t* const data = values.body->data() + values.offset;
  const int bit_width = data[0];
  if (bit_width > 32) {
    return arrow::Status::Invalid("corrupt page: dictionary indices of ", bit_width, " bits");
  }
  const auto bytes = static_cast<size_t>(values.body->size() - values.offset - 1);
  ARROW_RETURN_NOT_OK(
      ReadHybrid(HybridReader({data + 1, bytes}, bit_width), runs, &scratch->indices));
  if (values.dictionary != nullptr) {
    return values.dictionary->Append(scratch->indices, out);
  }
  const int out_width = std::max(bit_width, 1);
  scratch->bytes.assign(1, static_cast<uint8_t>(out_width));
  AppendBitPacked(scratch->indices, out_width, &scratch->bytes);
  return out->Append(scratch->bytes.data(), static_cast<int64_t>(scratch->bytes.size()));
}

// Byte k of value i lies at k * count + i, where `count` is the number of values in the page.
arrow::Status SelectByteStreamSplit(const EncodedValues& values, int64_t width,
                                    std::span<const ValueRun> runs, arrow::BufferBuilder* out) {
  ARROW_RETURN_NOT_OK(values.body->Require(values.body->size()));
  const int64_t count = (values.body->size() - values.offset) / width;
  if (CountTouched(runs) > count) {
    return TooFewValues();
  }
  const uint8_t* source = values.body->data() + values.offset;
  for (const ValueRun& run : runs) {
    source += run.skip;
    ARROW_RETURN_NOT_OK(out->Reserve(run.take * width));
    uint8_t* const target = out->mutable_data() + out->length();
    for (int64_t i = 0; i < run.take; ++i) {
      for (int64_t k = 0; k < width; ++k) {
        target[i * width + k] = source[k * count + i];
      }
    }
    out->UnsafeAdvance(run.take * width);
    source += run.take;
  }
  return arrow::Status::OK();
}

template <typename Type>
arrow::Status AppendDecoded(const typename Type::c_type* decoded, int count,
                            const parquet::ColumnDescriptor& column, arrow::BufferBuilder* out) {
  if constexpr (std::is_same_v<Type, parquet::ByteArrayType>) {
    for (int i = 0; i < count; ++i) {
      ARROW_RETURN_NOT_OK(out->Append(&decoded[i].len, sizeof(decoded[i].len)));
      ARROW_RETURN_NOT_OK(out->Append(decoded[i].ptr, decoded[i].len));
    }
    return out->length() <= kOutputBytesMax
               ? arrow::Status::OK()
               : arrow::Status::NotImplemented("more than 2 GiB of values in one encoded page");
  } else if constexpr (std::is_same_v<Type, parquet::FLBAType>) {
    for (int i = 0; i < count; ++i) {
      ARROW_RETURN_NOT_OK(out->Append(decoded[i].ptr, column.type_length()));
    }
    return arrow::Status::OK();
  } else {
    return out->Append(decoded, count * static_cast<int64_t>(sizeof(*decoded)));
  }
}

// The delta encodings, whose values build on the ones before: by Arrow's decoders.
template <typename Type>
arrow::Status SelectDecoded(const parquet::ColumnDescriptor& column, const EncodedValues& values,
                            std::span<const ValueRun> runs, PageScratch* scratch,
                            arrow::BufferBuilder* out) {
  constexpr int kStepValues = 1024;
  ARROW_RETURN_NOT_OK(values.body->Require(values.body->size()));
  const auto decoder = parquet::MakeTypedDecoder<Type>(values.encoding, &column, scratch->pool());
  decoder->SetData(static_cast<int>(values.count), values.body->data() + values.offset,
                   static_cast<int>(values.body->size() - values.offset));
  std::vector<typename Type::c_type> decoded(kStepValues);
  const auto decode = [&](int64_t count, bool take) -> arrow::Status {
    while (count > 0) {
      const int step =
          decoder->Decode(decoded.data(), static_cast<int>(std::min<int64_t>(count, kStepValues)));
      if (step <= 0) {
        return TooFewValues();
      }
      if (take) {
        ARROW_RETURN_NOT_OK(AppendDecoded<Type>(decoded.data(), step, column, out));
      }
      count -= step;
    }
    return arrow::Status::OK();
  };
  for (const ValueRun& run : runs) {
    ARROW_RETURN_NOT_OK(decode(run.skip, false));
    ARROW_RETURN_NOT_OK(decode(run.take, true));
  }
  return arrow::Status::OK();
}

arrow::Status Unsupported(const parquet::ColumnDescriptor& column, Encoding::type encoding) {
  return arrow::Status::NotImplemented("encoding ", parquet::EncodingToString(encoding), " of ",
                                       parquet::TypeToString(column.physical_type()), " values");
}

arrow::Status SelectDelta(const parquet::ColumnDescriptor& column, const EncodedValues& values,
                          std::span<const ValueRun> runs, PageScratch* scratch,
                          arrow::BufferBuilder* out) {
  switch (column.physical_type()) {
    case parquet::Type::INT32:
      return SelectDecoded<parquet::Int32Type>(column, values, runs, scratch, out);
    case parquet::Type::INT64:
      return SelectDecoded<parquet::Int64Type>(column, values, runs, scratch, out);
    case parquet::Type::BYTE_ARRAY:
      return SelectDecoded<parquet::ByteArrayType>(column, values, runs, scratch, out);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return SelectDecoded<parquet::FLBAType>(column, values, runs, scratch, out);
    default:
      return Unsupported(column, values.encoding);
  }
}

arrow::Status SelectPlain(const parquet::ColumnDescriptor& column, const EncodedValues& values,
                          std::span<const ValueRun> runs, PageScratch* scratch,
                          arrow::BufferBuilder* out) {
  switch (column.physical_type()) {
    case parquet::Type::BOOLEAN:
      return SelectPlainBooleans(values, runs, scratch, out);
    case parquet::Type::BYTE_ARRAY:
      return SelectByteArrays(values, runs, out);
    case parquet::Type::UNDEFINED:
      return Unsupported(column, values.encoding);
    default:
      return SelectFixedWidth(values, PlainWidth(column), runs, out);
  }
}

}  // namespace

int64_t PlainWidth(const parquet::ColumnDescriptor& column) {
  switch (column.physical_type()) {
    case parquet::Type::INT32:
    case parquet::Type::FLOAT:
      return 4;
    case parquet::Type::INT64:
    case parquet::Type::DOUBLE:
      return 8;
    case parquet::Type::INT96:
      return 12;
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return column.type_length();
    default:
      return 0;
  }
}

arrow::Result<Encoding::type> SelectValues(const parquet::ColumnDescriptor& column,
                                           const EncodedValues& values,
                                           std::span<const ValueRun> runs, PageScratch* scratch,
                                           arrow::BufferBuilder* out) {
  switch (values.encoding) {
    case Encoding::PLAIN:
      ARROW_RETURN_NOT_OK(SelectPlain(column, values, runs, scratch, out));
      return Encoding::PLAIN;
    case Encoding::PLAIN_DICTIONARY:
    case Encoding::RLE_DICTIONARY:
      ARROW_RETURN_NOT_OK(SelectIndices(values, runs, scratch, out));
      return values.dictionary != nullptr ? Encoding::PLAIN : Encoding::RLE_DICTIONARY;
    case Encoding::RLE:
      if (column.physical_type() != parquet::Type::BOOLEAN) {
        return Unsupported(column, values.encoding);
      }
      ARROW_RETURN_NOT_OK(SelectRleBooleans(values, runs, scratch, out));
      return Encoding::PLAIN;
    case Encoding::BYTE_STREAM_SPLIT:
      if (PlainWidth(column) == 0) {
        return Unsupported(column, values.encoding);
      }
      ARROW_RETURN_NOT_OK(SelectByteStreamSplit(values, PlainWidth(column), runs, out));
      return Encoding::PLAIN;
    case Encoding::DELTA_BINARY_PACKED:
    case Encoding::DELTA_LENGTH_BYTE_ARRAY:
    case Encoding::DELTA_BYTE_ARRAY:
      ARROW_RETURN_NOT_OK(SelectDelta(column, values, runs, scratch, out));
      return Encoding::PLAIN;
    default:
      return Unsupported(column, values.encoding);
  }
}

}  // namespace keepone
