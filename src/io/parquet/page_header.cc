// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/page_header.h"

#include <optional>

#include <arrow/status.h>

namespace keepone {

namespace {

// The types of the compact protocol.
enum WireType : uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

constexpr int kNestingMax = 16;

struct Field {
  int16_t id = 0;
  uint8_t type = kStop;
};

// Reads forward; after the first failure everything reads as zero and `state` tells why.
class CompactReader {
 public:
  enum class State { kGood, kTruncated, kMalformed };

  explicit CompactReader(std::span<const uint8_t> data) : data_(data) {}

  State state() const { return state_; }
  bool good() const { return state_ == State::kGood; }
  int64_t position() const { return static_cast<int64_t>(position_); }

  // The next field of a struct whose field before was `previous`; kStop at the end and on failure.
  Field NextField(int16_t previous) {
    const uint8_t byte = ReadByte();
    Field field{previous, static_cast<uint8_t>(byte & 0x0F)};
    if (field.type == kStop) {
      return field;
    }
    const int delta = byte >> 4;
    field.id = static_cast<int16_t>(delta != 0 ? previous + delta : ReadInt());
    if (!good()) {
      field.type = kStop;
    }
    return field;
  }

  int64_t ReadInt() {
    const uint64_t value = ReadVarint();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }

  void Skip(uint8_t type, int depth = 0) {
    if (depth > kNestingMax) {
      Fail(State::kMalformed);
      return;
    }
    switch (type) {
      case kTrue:
      case kFalse:
        return;
      case kByte:
        return SkipBytes(1);
      case kInt16:
      case kInt32:
      case kInt64:
        ReadVarint();
        return;
      case kDouble:
        return SkipBytes(8);
      case kBinary:
        return SkipBytes(ReadVarint());
      case kList:
      case kSet:
        return SkipList(depth);
      case kMap:
        return SkipMap(depth);
      case kStruct:
        return SkipStruct(depth);
      default:
        Fail(State::kMalformed);
    }
  }

 private:
  void Fail(State state) {
    if (good()) {
      state_ = state;
    }
  }

  uint8_t ReadByte() {
    if (!good() || position_ >= data_.size()) {
      Fail(State::kTruncated);
      return 0;
    }
    return data_[position_++];
  }

  uint64_t ReadVarint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = ReadByte();
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) {
        return value;
      }
    }
    Fail(State::kMalformed);
    return 0;
  }

  void SkipBytes(uint64_t count) {
    if (!good() || count > data_.size() - position_) {
      Fail(State::kTruncated);
      return;
    }
    position_ += count;
  }

  // A boolean in a collection takes a byte, in a struct none.
  void SkipElement(uint8_t type, int depth) {
    if (type == kTrue || type == kFalse) {
      SkipBytes(1);
    } else {
      Skip(type, depth + 1);
    }
  }

  void SkipList(int depth) {
    const uint8_t byte = ReadByte();
    const uint64_t count = (byte >> 4) == 15 ? ReadVarint() : byte >> 4;
    for (uint64_t i = 0; i < count && good(); ++i) {
      SkipElement(byte & 0x0F, depth);
    }
  }

  void SkipMap(int depth) {
    const uint64_t count = ReadVarint();
    const uint8_t types = count > 0 ? ReadByte() : uint8_t{0};
    for (uint64_t i = 0; i < count && good(); ++i) {
      SkipElement(types >> 4, depth);
      SkipElement(types & 0x0F, depth);
    }
  }

  void SkipStruct(int depth) {
    Field field;
    while ((field = NextField(field.id)).type != kStop) {
      Skip(field.type, depth + 1);
    }
  }

  std::span<const uint8_t> data_;
  size_t position_ = 0;
  State state_ = State::kGood;
};

parquet::Encoding::type EncodingOf(int64_t value) {
  constexpr int64_t kEncodingMax = parquet::Encoding::BYTE_STREAM_SPLIT;
  return value < 0 || value > kEncodingMax ? parquet::Encoding::UNKNOWN
                                           : static_cast<parquet::Encoding::type>(value);
}

// Reads the fields of a struct; `read` returns whether it took the field.
template <typename Read>
void ReadStruct(CompactReader* reader, Read&& read) {
  Field field;
  while ((field = reader->NextField(field.id)).type != kStop) {
    if (!read(field)) {
      reader->Skip(field.type);
    }
  }
}

int32_t ReadInt32(CompactReader* reader) {
  return static_cast<int32_t>(reader->ReadInt());
}

void ReadDataHeader(CompactReader* reader, PageHeader* header) {
  ReadStruct(reader, [&](const Field& field) {
    if (field.type != kInt32) {
      return false;
    }
    switch (field.id) {
      case 1:
        header->value_count = ReadInt32(reader);
        return true;
      case 2:
        header->encoding = EncodingOf(reader->ReadInt());
        return true;
      case 3:
        header->definition_encoding = EncodingOf(reader->ReadInt());
        return true;
      case 4:
        header->repetition_encoding = EncodingOf(reader->ReadInt());
        return true;
      default:
        return false;
    }
  });
}

void ReadDictionaryHeader(CompactReader* reader, PageHeader* header) {
  ReadStruct(reader, [&](const Field& field) {
    if (field.type != kInt32 || field.id > 2) {
      return false;
    }
    if (field.id == 1) {
      header->value_count = ReadInt32(reader);
    } else {
      header->encoding = EncodingOf(reader->ReadInt());
    }
    return true;
  });
}

void ReadDataV2Header(CompactReader* reader, PageHeader* header) {
  ReadStruct(reader, [&](const Field& field) {
    if (field.id == 7 && (field.type == kTrue || field.type == kFalse)) {
      header->is_compressed = field.type == kTrue;
      return true;
    }
    if (field.type != kInt32) {
      return false;
    }
    switch (field.id) {
      case 1:
        header->value_count = ReadInt32(reader);
        return true;
      case 2:
        header->null_count = ReadInt32(reader);
        return true;
      case 3:
        header->row_count = ReadInt32(reader);
        return true;
      case 4:
        header->encoding = EncodingOf(reader->ReadInt());
        return true;
      case 5:
        header->definition_bytes = ReadInt32(reader);
        return true;
      case 6:
        header->repetition_bytes = ReadInt32(reader);
        return true;
      default:
        return false;
    }
  });
}

PageHeader::Kind KindOf(int64_t type) {
  switch (type) {
    case 0:
      return PageHeader::Kind::kData;
    case 2:
      return PageHeader::Kind::kDictionary;
    case 3:
      return PageHeader::Kind::kDataV2;
    default:
      return PageHeader::Kind::kOther;
  }
}

arrow::Status CheckHeader(const PageHeader& header) {
  const int64_t level_bytes =
      static_cast<int64_t>(header.definition_bytes) + header.repetition_bytes;
  if (header.compressed_bytes < 0 || header.uncompressed_bytes < 0 || header.value_count < 0 ||
      header.row_count < 0 || header.null_count < 0 || header.null_count > header.value_count ||
      header.definition_bytes < 0 || header.repetition_bytes < 0 ||
      level_bytes > header.compressed_bytes || level_bytes > header.uncompressed_bytes) {
    return arrow::Status::Invalid("corrupt page header");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<int64_t> ParsePageHeader(std::span<const uint8_t> data, PageHeader* header) {
  CompactReader reader(data);
  *header = PageHeader();
  ReadStruct(&reader, [&](const Field& field) {
    if (field.type == kInt32 && field.id <= 3) {
      const int64_t value = reader.ReadInt();
      if (field.id == 1) {
        header->kind = KindOf(value);
      } else {
        (field.id == 2 ? header->uncompressed_bytes : header->compressed_bytes) =
            static_cast<int32_t>(value);
      }
      return true;
    }
    if (field.type != kStruct) {
      return false;
    }
    switch (field.id) {
      case 5:
        ReadDataHeader(&reader, header);
        return true;
      case 7:
        ReadDictionaryHeader(&reader, header);
        return true;
      case 8:
        ReadDataV2Header(&reader, header);
        return true;
      default:
        return false;
    }
  });
  switch (reader.state()) {
    case CompactReader::State::kTruncated:
      return 0;
    case CompactReader::State::kMalformed:
      return arrow::Status::Invalid("corrupt page header");
    case CompactReader::State::kGood:
      break;
  }
  ARROW_RETURN_NOT_OK(CheckHeader(*header));
  return reader.position();
}

}  // namespace keepone
