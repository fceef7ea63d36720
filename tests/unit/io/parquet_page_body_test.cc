// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include "io/parquet/page_body.h"
#include "io/parquet/zstd_frame.h"

namespace keepone {
namespace {

constexpr int64_t kWindowBytes = 4096;

using Bytes = std::vector<uint8_t>;

// Text of few letters, with repetitions: blocks of literals, of sequences, of both.
Bytes MakeContent(int64_t size) {
  std::mt19937_64 random(17);
  Bytes content;
  while (static_cast<int64_t>(content.size()) < size) {
    if (content.size() > 1000 && random() % 3 == 0) {
      const size_t from = random() % (content.size() - 100);
      for (size_t i = 0; i < 60; ++i) {
        content.push_back(content[from + i]);
      }
    } else {
      for (int i = 0; i < 50; ++i) {
        content.push_back(static_cast<uint8_t>('a' + random() % 20));
      }
    }
  }
  content.resize(static_cast<size_t>(size));
  return content;
}

Bytes Compress(const Bytes& content, int level = 1) {
  const auto codec = arrow::util::Codec::Create(arrow::Compression::ZSTD, level).ValueOrDie();
  const auto size = static_cast<int64_t>(content.size());
  Bytes out(static_cast<size_t>(codec->MaxCompressedLen(size, content.data())));
  out.resize(static_cast<size_t>(
      codec->Compress(size, content.data(), static_cast<int64_t>(out.size()), out.data())
          .ValueOrDie()));
  return out;
}

// A frame whose header does not tell its size. `flush_bytes`: blocks end there.
Bytes CompressAsStream(const Bytes& content, int64_t flush_bytes, arrow::Compression::type type) {
  const auto codec = arrow::util::Codec::Create(type).ValueOrDie();
  const auto compressor = codec->MakeCompressor().ValueOrDie();
  Bytes out(content.size() * 2 + (1 << 20));
  int64_t in_position = 0;
  int64_t out_position = 0;
  const auto size = static_cast<int64_t>(content.size());
  const auto room = [&] { return static_cast<int64_t>(out.size()) - out_position; };
  while (in_position < size) {
    const int64_t end = std::min(size, in_position + flush_bytes);
    while (in_position < end) {
      const auto step = compressor
                            ->Compress(end - in_position, content.data() + in_position, room(),
                                       out.data() + out_position)
                            .ValueOrDie();
      in_position += step.bytes_read;
      out_position += step.bytes_written;
    }
    if (flush_bytes < size) {
      out_position +=
          compressor->Flush(room(), out.data() + out_position).ValueOrDie().bytes_written;
    }
  }
  out_position += compressor->End(room(), out.data() + out_position).ValueOrDie().bytes_written;
  out.resize(static_cast<size_t>(out_position));
  return out;
}

void AppendField(uint8_t head, int64_t value, Bytes* out) {
  out->push_back(head);
  for (auto left = static_cast<uint64_t>(value) << 1;; left >>= 7) {
    out->push_back(static_cast<uint8_t>(left < 0x80 ? left : (left | 0x80)));
    if (left < 0x80) {
      break;
    }
  }
}

// Thrift's compact form of a page header, with the page behind it.
Bytes MakePage(int64_t size, const Bytes& compressed, int64_t level_bytes = -1) {
  constexpr uint8_t kNextInt = 0x15;
  constexpr uint8_t kTrue = 0x11;
  const bool v2 = level_bytes >= 0;
  Bytes page;
  AppendField(kNextInt, v2 ? 3 : 0, &page);
  AppendField(kNextInt, size, &page);
  AppendField(kNextInt, static_cast<int64_t>(compressed.size()), &page);
  page.push_back(v2 ? 0x5C : 0x2C);
  AppendField(kNextInt, 100, &page);
  if (v2) {
    AppendField(kNextInt, 0, &page);
    AppendField(kNextInt, 100, &page);
    AppendField(kNextInt, 0, &page);
    AppendField(kNextInt, level_bytes, &page);
    AppendField(kNextInt, 0, &page);
    page.push_back(kTrue);
  } else {
    for (const int64_t value : {0, 3, 3}) {
      AppendField(kNextInt, value, &page);
    }
  }
  page.insert(page.end(), 2, uint8_t{0});
  page.insert(page.end(), compressed.begin(), compressed.end());
  return page;
}

class PageBodyTest : public ::testing::Test {
 protected:
  // Opens the page that `page` is and calls `use`.
  arrow::Status WithBody(const Bytes& page, arrow::Compression::type codec, int64_t bytes,
                         const std::function<arrow::Status(PageBody*)>& use) {
    auto file = std::make_shared<arrow::io::BufferReader>(
        std::make_shared<arrow::Buffer>(page.data(), static_cast<int64_t>(page.size())));
    PageCursor cursor(file, kWindowBytes, &scratch_);
    cursor.Seek(0, 0, static_cast<int64_t>(page.size()));
    PageHeader header;
    ARROW_RETURN_NOT_OK(cursor.ReadHeader(&header).status());
    PageBody::Source source;
    source.cursor = &cursor;
    source.header = &header;
    source.codec = codec;
    source.traits = &traits_;
    source.scratch = &scratch_;
    ARROW_ASSIGN_OR_RAISE(PageBody body, PageBody::Open(source, bytes));
    ARROW_RETURN_NOT_OK(use(&body));
    bytes_read_ = cursor.TakeBytesRead();
    // Nothing that was changed for a while stays so.
    ARROW_ASSIGN_OR_RAISE(const PageBytes again, cursor.ReadBody(header, 0));
    const auto begin = page.end() - header.compressed_bytes;
    EXPECT_TRUE(std::equal(again.data.begin(), again.data.end(), begin));
    return arrow::Status::OK();
  }

  // Asks for more and more of the page.
  void CheckSteps(const Bytes& content, const Bytes& compressed, arrow::Compression::type codec) {
    const auto size = static_cast<int64_t>(content.size());
    const Bytes page = MakePage(size, compressed);
    for (const std::vector<int64_t>& steps :
         std::vector<std::vector<int64_t>>{{1},
                                           {1, 200'000},
                                           {1, 200'000, 300'000, 500'000, size},
                                           {131'072},
                                           {131'073, 131'073},
                                           {size / 2, size / 2 + 5},
                                           {size - 1},
                                           {size}}) {
      const auto status = WithBody(page, codec, steps[0], [&](PageBody* body) {
        EXPECT_EQ(body->size(), size);
        for (const int64_t step : steps) {
          ARROW_RETURN_NOT_OK(body->Require(step));
          EXPECT_GE(body->available(), step);
          EXPECT_TRUE(
              std::equal(content.begin(), content.begin() + body->available(), body->data()));
        }
        EXPECT_FALSE(body->Require(size + 1).ok());
        return arrow::Status::OK();
      });
      ASSERT_TRUE(status.ok()) << status;
    }
  }

  PageScratch scratch_{arrow::default_memory_pool()};
  BodyTraits traits_;
  int64_t bytes_read_ = 0;
};

TEST_F(PageBodyTest, FramesOfEveryKind) {
  const Bytes content = MakeContent(1'000'000);
  const auto zstd = arrow::Compression::ZSTD;
  CheckSteps(content, Compress(content), zstd);
  EXPECT_FALSE(traits_.has_unusual_blocks);
  CheckSteps(content, CompressAsStream(content, INT64_MAX / 2, zstd), zstd);
  EXPECT_FALSE(traits_.has_unusual_blocks);
  CheckSteps(content, Compress(content, 19), zstd);
  traits_ = {};
  CheckSteps(content, CompressAsStream(content, 50'000, zstd), zstd);
  EXPECT_TRUE(traits_.has_unusual_blocks);
  CheckSteps(content, CompressAsStream(content, 50'000, arrow::Compression::GZIP),
             arrow::Compression::GZIP);
  CheckSteps(content, content, arrow::Compression::UNCOMPRESSED);
}

TEST_F(PageBodyTest, RawAndRepeatedBlocks) {
  std::mt19937_64 random(3);
  Bytes content(700'000, uint8_t{7});
  for (size_t i = size_t{2} * kZstdBlockBytes; i < content.size(); ++i) {
    content[i] = static_cast<uint8_t>(random());
  }
  CheckSteps(content, Compress(content), arrow::Compression::ZSTD);
  EXPECT_FALSE(traits_.has_unusual_blocks);
}

TEST_F(PageBodyTest, SeveralFramesInOnePage) {
  const Bytes content = MakeContent(900'000);
  Bytes compressed;
  for (size_t begin = 0; begin < content.size(); begin += 300'000) {
    const auto part = content.begin() + static_cast<int64_t>(begin);
    const Bytes frame = Compress(Bytes(part, part + 300'000));
    compressed.insert(compressed.end(), frame.begin(), frame.end());
  }
  CheckSteps(content, compressed, arrow::Compression::ZSTD);
}

TEST_F(PageBodyTest, ReadsOnlyWhatIsAskedFor) {
  const Bytes content = MakeContent(1'000'000);
  const Bytes compressed = Compress(content);
  for (const bool is_compressed : {false, true}) {
    const Bytes page = MakePage(1'000'000, is_compressed ? compressed : content);
    const auto status =
        WithBody(page, is_compressed ? arrow::Compression::ZSTD : arrow::Compression::UNCOMPRESSED,
                 200'000, [](PageBody* body) {
                   EXPECT_LT(body->available(), 300'000);
                   return arrow::Status::OK();
                 });
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_LT(bytes_read_, static_cast<int64_t>(page.size()) * 4 / 10);
  }
}

TEST_F(PageBodyTest, LevelsOfV2Pages) {
  const Bytes content = MakeContent(600'000);
  Bytes page_bytes(300, uint8_t{9});
  const Bytes compressed = Compress(content);
  page_bytes.insert(page_bytes.end(), compressed.begin(), compressed.end());
  const Bytes page = MakePage(600'300, page_bytes, 300);
  const auto status = WithBody(page, arrow::Compression::ZSTD, 1, [&](PageBody* body) {
    EXPECT_EQ(body->size(), 600'000);
    for (const int64_t bytes : {1, 200'000, 600'000}) {
      ARROW_RETURN_NOT_OK(body->Require(bytes));
      EXPECT_TRUE(std::equal(content.begin(), content.begin() + body->available(), body->data()));
      EXPECT_EQ(Bytes(body->levels().begin(), body->levels().end()), Bytes(300, uint8_t{9}));
    }
    return arrow::Status::OK();
  });
  ASSERT_TRUE(status.ok()) << status;
}

TEST_F(PageBodyTest, CorruptedAndCutPagesGiveErrorsOrBytes) {
  const Bytes content = MakeContent(500'000);
  const Bytes compressed = Compress(content);
  std::mt19937_64 random(11);
  const auto read = [&](const Bytes& page) {
    traits_ = {};
    return WithBody(page, arrow::Compression::ZSTD, 1 + static_cast<int64_t>(random() % 500'000),
                    [](PageBody* body) { return body->Require(body->size()); });
  };
  for (int i = 0; i < 300; ++i) {
    Bytes bad = compressed;
    const size_t place = i < 100 ? random() % 20 : random() % bad.size();
    bad[place] = static_cast<uint8_t>(random());
    // Whatever it says, it says it without reading or writing where it must not.
    static_cast<void>(read(MakePage(500'000, bad)));
  }
  for (const size_t size : {size_t{0}, size_t{1}, size_t{9}, size_t{1000}, size_t{200'000}}) {
    EXPECT_FALSE(read(MakePage(500'000, Bytes(compressed.begin(),
                                              compressed.begin() + static_cast<int64_t>(size))))
                     .ok());
  }
  EXPECT_FALSE(read(MakePage(500'001, compressed)).ok());
  EXPECT_FALSE(read(MakePage(499'999, compressed)).ok());
  Bytes cut = MakePage(500'000, compressed);
  cut.resize(cut.size() - 1000);
  EXPECT_FALSE(read(cut).ok());
}

TEST(ZstdFrame, Headers) {
  const Bytes small = Compress(Bytes(10, uint8_t{1}));
  EXPECT_EQ(ParseZstdFrameHeader(small)->content_bytes, 10);
  const Bytes middle = Compress(MakeContent(1000));
  EXPECT_EQ(ParseZstdFrameHeader(middle)->content_bytes, 1000);
  const Bytes large = Compress(MakeContent(300'000));
  EXPECT_EQ(ParseZstdFrameHeader(large)->content_bytes, 300'000);
  EXPECT_FALSE(ParseZstdFrameHeader(large)->has_dictionary);
  const Bytes stream =
      CompressAsStream(MakeContent(300'000), INT64_MAX / 2, arrow::Compression::ZSTD);
  ASSERT_TRUE(ParseZstdFrameHeader(stream).has_value());
  EXPECT_FALSE(ParseZstdFrameHeader(stream)->content_bytes.has_value());
  EXPECT_FALSE(ParseZstdFrameHeader(std::span(large).first(5)).has_value());
  EXPECT_FALSE(ParseZstdFrameHeader(std::span(large).subspan(1)).has_value());
  EXPECT_FALSE(ParseZstdFrameHeader({}).has_value());
  const Bytes with_dictionary = {0x28, 0xB5, 0x2F, 0xFD, 0x23, 1, 2, 3, 4, 5};
  EXPECT_TRUE(ParseZstdFrameHeader(with_dictionary)->has_dictionary);
  EXPECT_EQ(ParseZstdFrameHeader(with_dictionary)->header_bytes, 10);
}

TEST(ZstdFrame, Blocks) {
  const auto block = [](unsigned size, unsigned type, bool last) {
    const unsigned header = size << 3 | type << 1 | (last ? 1 : 0);
    return Bytes{static_cast<uint8_t>(header), static_cast<uint8_t>(header >> 8),
                 static_cast<uint8_t>(header >> 16)};
  };
  EXPECT_EQ(UsualZstdBlock(block(131'072, 0, false)), 131'075);
  EXPECT_EQ(UsualZstdBlock(block(131'072, 1, false)), 4);
  EXPECT_EQ(UsualZstdBlock(block(500, 2, false)), 503);
  EXPECT_EQ(UsualZstdBlock(block(500, 2, true)), std::nullopt);
  EXPECT_EQ(UsualZstdBlock(block(500, 0, false)), std::nullopt);
  EXPECT_EQ(UsualZstdBlock(block(500, 1, false)), std::nullopt);
  EXPECT_EQ(UsualZstdBlock(block(500, 3, false)), std::nullopt);
  EXPECT_EQ(UsualZstdBlock(Bytes{1, 2}), std::nullopt);
}

}  // namespace
}  // namespace keepone
