// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/page_body.h"

#include <algorithm>
#include <optional>

#include "io/parquet/zstd_frame.h"

namespace keepone {

namespace {

// Where at least this part of a body is wanted, the rest costs less than to stop before it.
constexpr double kWholePart = 0.9;

// Blocks of Zstandard are decompressed from the first one on each time; a third time would cost
// more than the rest of the body.
constexpr int kPiecesMax = 2;

// What a stream is asked for at a time.
constexpr int64_t kStepBytes = 128 << 10;

// Bytes read at once where more are needed than were guessed.
constexpr int64_t kReadBytesMin = 16 << 10;

arrow::Status Corrupt() {
  return arrow::Status::Invalid("corrupt page: it does not decompress to its size");
}

}  // namespace

arrow::Result<PageBody> PageBody::Open(const Source& source, int64_t bytes) {
  const PageHeader& header = *source.header;
  PageBody body(source);
  const int64_t level_bytes = header.kind == PageHeader::Kind::kDataV2
                                  ? int64_t{header.definition_bytes} + header.repetition_bytes
                                  : 0;
  body.size_ = header.uncompressed_bytes - level_bytes;
  body.compressed_size_ = header.compressed_bytes - level_bytes;
  if (source.codec == arrow::Compression::UNCOMPRESSED && body.size_ > body.compressed_size_) {
    return arrow::Status::Invalid("corrupt page: its body is shorter than its size");
  }
  ARROW_RETURN_NOT_OK(body.size_ > 0 ? body.Decompress(std::clamp<int64_t>(bytes, 1, body.size_))
                                     : body.Read(0));
  return body;
}

// Reads the first `bytes` bytes of what is compressed, unless they are there.
arrow::Status PageBody::Read(int64_t bytes) {
  const auto known = static_cast<int64_t>(compressed_.size());
  if (compressed_.data() != nullptr) {
    if (bytes <= known) {
      return arrow::Status::OK();
    }
    bytes = std::max(bytes, known + kReadBytesMin);
  }
  bytes = std::min(bytes, compressed_size_);
  const int64_t level_bytes = source_.header->compressed_bytes - compressed_size_;
  ARROW_ASSIGN_OR_RAISE(const PageBytes page,
                        source_.cursor->ReadBody(*source_.header, level_bytes + bytes));
  levels_ = page.data.first(static_cast<size_t>(level_bytes));
  compressed_ = page.data.subspan(static_cast<size_t>(level_bytes));
  room_ = page.room + level_bytes;
  return arrow::Status::OK();
}

arrow::Status PageBody::Decompress(int64_t bytes) {
  if (bytes > size_) {
    return arrow::Status::Invalid("corrupt page: values reach behind its end");
  }
  bytes = std::min(std::max(bytes, expected_), size_);
  if (source_.codec == arrow::Compression::UNCOMPRESSED) {
    ARROW_RETURN_NOT_OK(Read(bytes));
    data_ = compressed_.data();
    available_ = std::min(size_, static_cast<int64_t>(compressed_.size()));
    return arrow::Status::OK();
  }
  if (output_ == nullptr) {
    output_ = source_.output;
    if (output_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(output_, source_.scratch->body.Reserve(size_));
    }
    data_ = output_;
  }
  if (decompressor_ != nullptr) {
    return DecompressStream(bytes);
  }
  if (static_cast<double>(bytes) < kWholePart * static_cast<double>(size_) &&
      size_ > kZstdBlockBytes) {
    if (source_.codec == arrow::Compression::ZSTD && ++pieces_ <= kPiecesMax) {
      ARROW_ASSIGN_OR_RAISE(const bool done, DecompressBlocks(bytes));
      if (done) {
        return arrow::Status::OK();
      }
    }
    if (available_ == 0) {
      ARROW_ASSIGN_OR_RAISE(const bool streams, OpenStream());
      if (streams) {
        return DecompressStream(bytes);
      }
    }
  }
  return DecompressWhole();
}

arrow::Status PageBody::DecompressWhole() {
  ARROW_RETURN_NOT_OK(Read(compressed_size_));
  if (source_.codec == arrow::Compression::ZSTD) {
    ARROW_ASSIGN_OR_RAISE(const bool done, DecompressAsFrame());
    if (done) {
      return arrow::Status::OK();
    }
  }
  ARROW_ASSIGN_OR_RAISE(arrow::util::Codec * decoder, source_.scratch->codec(source_.codec));
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes,
                        decoder->Decompress(compressed_size_, compressed_.data(), size_, output_));
  if (bytes != size_) {
    return Corrupt();
  }
  available_ = size_;
  return arrow::Status::OK();
}

// By the decoder that is kept, which spares making one: given a frame that tells its size, and room
// for all of it, it works as the one for whole buffers does. False: not to be had so.
arrow::Result<bool> PageBody::DecompressAsFrame() {
  const std::optional<ZstdFrameHeader> frame = ParseZstdFrameHeader(compressed_);
  if (!frame.has_value() || frame->content_bytes != size_) {
    return false;
  }
  ARROW_ASSIGN_OR_RAISE(arrow::util::Decompressor* const decompressor,
                        source_.scratch->decompressor(source_.codec));
  const auto step = decompressor->Decompress(compressed_size_, compressed_.data(), size_, output_);
  if (!step.ok() || step->bytes_written != size_ || !decompressor->IsFinished()) {
    return false;
  }
  available_ = size_;
  return true;
}

// The first blocks of a Zstandard frame, up to the one that holds the last of `bytes` bytes. False
// when they cannot be had: then the traits know, or the whole body is wanted.
arrow::Result<bool> PageBody::DecompressBlocks(int64_t bytes) {
  const int64_t blocks = (bytes + kZstdBlockBytes - 1) / kZstdBlockBytes;
  const int64_t content_bytes = blocks * kZstdBlockBytes;
  if (source_.traits->has_unusual_blocks || content_bytes >= size_) {
    return false;
  }
  const double part = static_cast<double>(content_bytes) / static_cast<double>(size_);
  ARROW_RETURN_NOT_OK(
      Read(static_cast<int64_t>(part * static_cast<double>(compressed_size_)) + kReadBytesMin));
  const std::optional<ZstdFrameHeader> frame = ParseZstdFrameHeader(compressed_);
  if (!frame.has_value() || frame->has_dictionary || room_ + frame->header_bytes < kZstdCutRoom) {
    return false;
  }
  int64_t end = frame->header_bytes;
  int64_t last_block = end;
  for (int64_t block = 0; block < blocks; ++block) {
    last_block = end;
    ARROW_RETURN_NOT_OK(Read(end + kZstdBlockHeaderBytes));
    const auto block_bytes = UsualZstdBlock(compressed_.subspan(static_cast<size_t>(end)));
    if (!block_bytes.has_value() || *block_bytes > compressed_size_ - end) {
      source_.traits->has_unusual_blocks = true;
      return false;
    }
    end += *block_bytes;
  }
  ARROW_RETURN_NOT_OK(Read(end));
  ARROW_ASSIGN_OR_RAISE(arrow::util::Decompressor* const decompressor,
                        source_.scratch->decompressor(source_.codec));
  uint8_t* const begin = compressed_.data();
  const ZstdFrameCut cut(begin + frame->header_bytes, begin + last_block, begin + end,
                         content_bytes);
  const auto step = decompressor->Decompress(static_cast<int64_t>(cut.frame().size()),
                                             cut.frame().data(), size_, output_);
  if (!step.ok() || step->bytes_written != content_bytes || !decompressor->IsFinished()) {
    source_.traits->has_unusual_blocks = true;
    return false;
  }
  available_ = content_bytes;
  return true;
}

arrow::Result<bool> PageBody::OpenStream() {
  ARROW_ASSIGN_OR_RAISE(decompressor_, source_.scratch->decompressor(source_.codec));
  if (decompressor_ == nullptr) {
    return false;
  }
  ARROW_RETURN_NOT_OK(Read(compressed_size_));
  return true;
}

arrow::Status PageBody::DecompressStream(int64_t bytes) {
  const int64_t target = std::min(size_, (bytes + kStepBytes - 1) / kStepBytes * kStepBytes);
  while (available_ < target) {
    const auto rest = compressed_.subspan(static_cast<size_t>(stream_position_));
    if (decompressor_->IsFinished()) {
      // A body may be several streams, one behind the other.
      if (rest.empty()) {
        return Corrupt();
      }
      ARROW_RETURN_NOT_OK(decompressor_->Reset());
    }
    ARROW_ASSIGN_OR_RAISE(const auto step,
                          decompressor_->Decompress(static_cast<int64_t>(rest.size()), rest.data(),
                                                    target - available_, output_ + available_));
    stream_position_ += step.bytes_read;
    available_ += step.bytes_written;
    if (step.bytes_read == 0 && step.bytes_written == 0) {
      return Corrupt();
    }
  }
  return arrow::Status::OK();
}

}  // namespace keepone
