// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/stored_schema.h"

#include <cstdint>
#include <memory>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/type.h>
#include <arrow/util/base64.h>

#include "io/decoded_type.h"

namespace keepone {

namespace {

// A key of the footer's metadata as Thrift writes it, up to the length of the value: the length of
// the key, the key, and the header of the binary field behind it.
constexpr std::string_view kKey =
    "\x0C"
    "ARROW:schema"
    "\x18";

// The stored form of the plain schema, or an empty string when `stored` is plain already.
arrow::Result<std::string> PlainStoredSchema(std::string_view stored) {
  ARROW_ASSIGN_OR_RAISE(std::string bytes, arrow::util::base64_decode(stored));
  arrow::io::BufferReader input(arrow::Buffer::FromString(std::move(bytes)));
  arrow::ipc::DictionaryMemo dictionaries;
  ARROW_ASSIGN_OR_RAISE(const auto schema, arrow::ipc::ReadSchema(&input, &dictionaries));
  const auto plain = arrow::schema(DecodedFields(schema->fields()), schema->metadata());
  if (plain->Equals(*schema)) {
    return std::string();
  }
  ARROW_ASSIGN_OR_RAISE(const auto serialized, arrow::ipc::SerializeSchema(*plain));
  return arrow::util::base64_encode(std::string_view(*serialized));
}

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) {
    out->push_back(static_cast<char>(value | 0x80));
  }
  out->push_back(static_cast<char>(value));
}

}  // namespace

std::string NormalizeStoredSchema(std::string_view footer) {
  const size_t key = footer.find(kKey);
  if (key == std::string_view::npos) {
    return std::string(footer);
  }
  size_t position = key + kKey.size();
  uint64_t length = 0;
  for (int shift = 0; shift < 35 && position < footer.size(); shift += 7) {
    const auto byte = static_cast<uint8_t>(footer[position++]);
    length |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) {
      break;
    }
  }
  if (length > footer.size() - position) {
    return std::string(footer);
  }
  const auto plain = PlainStoredSchema(footer.substr(position, length));
  if (!plain.ok() || plain->empty()) {
    return std::string(footer);
  }
  std::string out(footer.substr(0, key + kKey.size()));
  AppendVarint(plain->size(), &out);
  out += *plain;
  out += footer.substr(position + length);
  return out;
}

}  // namespace keepone
