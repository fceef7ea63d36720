// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/leaf_page_reader.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <arrow/buffer_builder.h>
#include <parquet/column_page.h>
#include <parquet/column_writer.h>
#include <parquet/exception.h>

#include "io/parquet/chunk_dictionary.h"
#include "io/parquet/level_select.h"
#include "io/parquet/page_body.h"
#include "io/parquet/page_cursor.h"
#include "io/parquet/value_select.h"

namespace keepone {

namespace {

using parquet::Encoding;

// Rows differ in length: a page is decompressed this part of it further than where the last wanted
// value should lie.
constexpr double kMarginPart = 1.0 / 64;

// A header and the first block of a page.
constexpr int64_t kAnnouncedBytesMin = 64 << 10;

// Where no more than this part of the rows is wanted, values are looked up in the dictionary here;
// else Arrow's decoder gets the dictionary and does so. Pages stay about as small by that, and
// never get larger than the second figure.
constexpr double kSparsePart = 0.25;
constexpr int64_t kLookedUpBytes = 2 << 20;
constexpr int64_t kLookedUpBytesMax = 64 << 20;
constexpr int kDictionaryLoadsMax = 2;

using PagePointer = std::shared_ptr<parquet::Page>;

bool IsDictionaryEncoded(const PageHeader& header) {
  return header.encoding == Encoding::RLE_DICTIONARY ||
         header.encoding == Encoding::PLAIN_DICTIONARY;
}

class LeafPageReader final : public parquet::PageReader {
 public:
  LeafPageReader(LeafRequest request, PageScratch* scratch,
                 std::shared_ptr<SourceCounters> counters)
      : request_(std::move(request)),
        scratch_(scratch),
        counters_(std::move(counters)),
        column_(*request_.file->metadata()->schema()->Column(request_.leaf)),
        cursor_(request_.file->file(), request_.window_bytes, scratch),
        page_(scratch->pool()) {
    const auto row_group = request_.file->metadata()->RowGroup(request_.row_group);
    const auto chunk = row_group->ColumnChunk(request_.leaf);
    extent_ = ExtentOfChunk(*request_.file, request_.row_group, request_.leaf);
    codec_ = chunk->compression();
    value_count_ = chunk->num_values();
    row_count_ = row_group->num_rows();
    wants_all_ = rows().size() == 1 && rows()[0] == RowRange{0, row_count_};
    wanted_part_ = static_cast<double>(CountRows(rows())) /
                   static_cast<double>(std::max<int64_t>(request_.accounted.size(), 1));
    always_compressed_ = request_.file->metadata()->writer_version().VersionLt(
        parquet::ApplicationVersion::PARQUET_CPP_10353_FIXED_VERSION());
    if (request_.locations != nullptr) {
      CountSkippedPages();
    } else {
      cursor_.Seek(extent_.begin, extent_.begin, extent_.end);
    }
  }

  PagePointer NextPage() override {
    arrow::Result<PagePointer> page =
        request_.locations != nullptr ? NextLocatedPage() : NextFoundPage();
    counters_->bytes_read.fetch_add(cursor_.TakeBytesRead(), std::memory_order_relaxed);
    if (!page.ok()) {
      throw parquet::ParquetStatusException(page.status());
    }
    return *std::move(page);
  }

  void set_max_page_header_size(uint32_t /*size*/) override {}

 private:
  const RowRanges& rows() const { return *request_.rows; }
  bool repeats() const { return column_.max_repetition_level() > 0; }

  // --- Pages whose places are known -----------------------------------------------------------

  void CountSkippedPages() {
    const PageLocations& locations = *request_.locations;
    size_t range = 0;
    int64_t skipped = 0;
    for (size_t page = 0; page < locations.pages.size(); ++page) {
      const int64_t first = locations.first_row(page);
      if (first < request_.accounted.begin || first >= request_.accounted.end) {
        continue;
      }
      while (range < rows().size() && rows()[range].end <= first) {
        ++range;
      }
      skipped += range == rows().size() || rows()[range].begin >= locations.end_row(page) ? 1 : 0;
    }
    counters_->pages_skipped.fetch_add(skipped, std::memory_order_relaxed);
  }

  arrow::Result<PagePointer> NextLocatedPage() {
    const PageLocations& locations = *request_.locations;
    for (; location_ < locations.pages.size(); ++location_) {
      const RowRange page{locations.first_row(location_), locations.end_row(location_)};
      if (!SkipTo(page.begin)) {
        return nullptr;
      }
      if (rows()[range_].begin >= page.end) {
        continue;
      }
      SeekToLocation();
      PageHeader header;
      ARROW_ASSIGN_OR_RAISE(const bool found, cursor_.ReadHeader(&header));
      if (!found || !IsData(header) ||
          cursor_.header_bytes() + header.compressed_bytes !=
              locations.pages[location_].compressed_page_size) {
        return arrow::Status::Invalid("corrupt page index: no such page where it says");
      }
      if (!repeats() && header.value_count != page.size()) {
        return arrow::Status::Invalid("corrupt page index: a page has other rows than it says");
      }
      if (CanLoadDictionary(header)) {
        const int64_t first_page_offset = locations.pages[0].offset;
        cursor_.Seek(extent_.begin, first_page_offset, first_page_offset);
        ARROW_RETURN_NOT_OK(LoadDictionary());
        return NextLocatedPage();
      }
      if (NeedsDictionary(header)) {
        return ReadDictionaryBefore(locations.pages[0].offset);
      }
      ++location_;
      return ReadPage(header, page);
    }
    return nullptr;
  }

  // Reads ahead over the wanted pages that follow without a gap, as far as the window reaches.
  void SeekToLocation() {
    const PageLocations& locations = *request_.locations;
    const int64_t begin = locations.pages[location_].offset;
    int64_t end = begin + locations.pages[location_].compressed_page_size;
    size_t range = range_;
    for (size_t next = location_ + 1; next < locations.pages.size(); ++next) {
      while (range < rows().size() && rows()[range].end <= locations.first_row(next)) {
        ++range;
      }
      const int64_t next_end =
          locations.pages[next].offset + locations.pages[next].compressed_page_size;
      if (range == rows().size() || rows()[range].begin >= locations.end_row(next) ||
          next_end - begin > request_.window_bytes) {
        break;
      }
      end = next_end;
    }
    cursor_.Seek(begin, end, extent_.end);
    AnnounceNextLocation();
  }

  // The next large page that is wanted.
  void AnnounceNextLocation() const {
    const PageLocations& locations = *request_.locations;
    size_t range = range_;
    for (size_t next = location_ + 1; next < locations.pages.size(); ++next) {
      while (range < rows().size() && rows()[range].end <= locations.first_row(next)) {
        ++range;
      }
      if (range == rows().size()) {
        return;
      }
      if (rows()[range].begin < locations.end_row(next)) {
        const parquet::PageLocation& page = locations.pages[next];
        if (page.compressed_page_size > request_.window_bytes) {
          cursor_.Announce(page.offset, page.compressed_page_size);
        }
        return;
      }
    }
  }

  arrow::Result<PagePointer> ReadDictionaryBefore(int64_t first_page_offset) {
    cursor_.Seek(extent_.begin, first_page_offset, first_page_offset);
    return ReadDictionary();
  }

  // --- Pages that are found one after the other -------------------------------------------------

  arrow::Result<PagePointer> NextFoundPage() {
    PageHeader header;
    while (!IsDone()) {
      ARROW_ASSIGN_OR_RAISE(const bool found, cursor_.ReadHeader(&header));
      if (!found) {
        return nullptr;
      }
      if (header.kind == PageHeader::Kind::kDictionary && !dictionary_offset_.has_value()) {
        dictionary_offset_ = cursor_.offset();
      }
      if (!IsData(header) || header.value_count == 0) {
        cursor_.Advance(header, true);  // the reader above takes an empty page for the last one
        continue;
      }
      if (NeedsDictionary(header) && MayBeWanted(header)) {
        const bool load = CanLoadDictionary(header);
        ARROW_ASSIGN_OR_RAISE(PagePointer dictionary, ReadFoundDictionary(load));
        if (load) {
          continue;
        }
        return dictionary;
      }
      ARROW_ASSIGN_OR_RAISE(PagePointer page, ReadFoundPage(header));
      values_seen_ += header.value_count;
      cursor_.Advance(header, page != nullptr);
      if (page != nullptr) {
        return page;
      }
    }
    return nullptr;
  }

  // Whether no further page can hold a wanted row or the rest of one.
  bool IsDone() const {
    if (values_seen_ >= value_count_ || rows().empty()) {
      return true;
    }
    const int64_t end = rows().back().end;
    return repeats() && !last_page_ends_row_ ? end < row_ : end <= row_;
  }

  // The number of rows that begin in the page, if its header tells.
  std::optional<int64_t> RowsOf(const PageHeader& header) const {
    if (!repeats()) {
      return header.value_count;
    }
    if (header.kind == PageHeader::Kind::kDataV2) {
      return header.row_count;
    }
    return std::nullopt;
  }

  bool MayBeWanted(const PageHeader& header) {
    const std::optional<int64_t> count = RowsOf(header);
    return !count.has_value() || (SkipTo(row_) && rows()[range_].begin < row_ + *count);
  }

  // nullptr when it is only to be loaded.
  arrow::Result<PagePointer> ReadFoundDictionary(bool load) {
    if (!dictionary_offset_.has_value()) {
      return arrow::Status::Invalid("corrupt column: a page needs a dictionary and there is none");
    }
    const int64_t resume = cursor_.offset();
    cursor_.Seek(*dictionary_offset_, *dictionary_offset_, extent_.end);
    PagePointer dictionary;
    if (load) {
      ARROW_RETURN_NOT_OK(LoadDictionary());
    } else {
      ARROW_ASSIGN_OR_RAISE(dictionary, ReadDictionary());
    }
    cursor_.Seek(resume, resume, extent_.end);
    return dictionary;
  }

  // nullptr when no row of it is wanted.
  arrow::Result<PagePointer> ReadFoundPage(const PageHeader& header) {
    const std::optional<int64_t> count = RowsOf(header);
    AnnounceNextPage(header);
    if (wants_all_) {
      return ReadWholePage(header);
    }
    if (!count.has_value()) {
      return ReadUncountedPage(header);
    }
    const RowRange page{row_, row_ + *count};
    row_ = page.end;
    last_page_ends_row_ = true;
    if (!SkipTo(page.begin) || rows()[range_].begin >= page.end) {
      counters_->pages_skipped.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    return ReadPage(header, page);
  }

  // A page whose rows only its levels tell. It may begin with the rest of the row before.
  arrow::Result<PagePointer> ReadUncountedPage(const PageHeader& header) {
    ARROW_RETURN_NOT_OK(CheckCounts(header));
    if (header.value_count == 0) {
      return nullptr;
    }
    ARROW_ASSIGN_OR_RAISE(
        PageBody body, OpenBody(header, GuessPart(static_cast<double>(row_), GuessRows(header))));
    int64_t offset = 0;
    ARROW_RETURN_NOT_OK(ReadRepetitionLevels(header, &body, &offset));
    const std::vector<int16_t>& levels = scratch_->repetition_levels;
    const int64_t begun = std::count(levels.begin(), levels.end(), int16_t{0});
    const bool continues = levels[0] != 0;
    if (continues && row_ == 0) {
      return arrow::Status::Invalid("corrupt page: the first row does not begin");
    }
    const RowRange page{continues ? row_ - 1 : row_, row_ + begun};
    row_ = page.end;
    last_page_ends_row_ = false;
    if (!SkipTo(page.begin) || rows()[range_].begin >= page.end) {
      counters_->pages_skipped.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    ARROW_RETURN_NOT_OK(ReadDefinitionLevels(header, header.value_count, &body, &offset));
    return MakeSelectedPage(header, page, &body, offset);
  }

  // From the average of values in a row.
  double GuessRows(const PageHeader& header) const {
    const double row_values = static_cast<double>(value_count_) / static_cast<double>(row_count_);
    return std::max(1.0, static_cast<double>(header.value_count) / row_values);
  }

  // The part up to the end of the last wanted row of a page of `page_rows` rows that begins at
  // `first_row`; 0 when none should be in it.
  double GuessPart(double first_row, double page_rows) const {
    const auto behind = std::lower_bound(
        rows().begin() + static_cast<int64_t>(range_), rows().end(), first_row + page_rows,
        [](const RowRange& range, double row) { return static_cast<double>(range.begin) < row; });
    if (behind == rows().begin()) {
      return 0;
    }
    const double last = static_cast<double>(std::prev(behind)->end) - first_row;
    return std::clamp(last / page_rows, 0.0, 1.0);
  }

  // The page behind this one, as far as it will be read if it is as large.
  void AnnounceNextPage(const PageHeader& header) const {
    if (header.compressed_bytes <= request_.window_bytes) {
      return;
    }
    const double page_rows =
        repeats() ? GuessRows(header) : static_cast<double>(header.value_count);
    const double part = GuessPart(static_cast<double>(row_) + page_rows, page_rows);
    if (part == 0 && !repeats()) {
      return;
    }
    const auto bytes = static_cast<double>(header.compressed_bytes);
    cursor_.Announce(
        cursor_.offset() + cursor_.header_bytes() + header.compressed_bytes,
        kAnnouncedBytesMin + static_cast<int64_t>(bytes * std::min(part + kMarginPart, 1.0)));
  }

  // --- Pages ------------------------------------------------------------------------------------

  static bool IsData(const PageHeader& header) {
    return header.kind == PageHeader::Kind::kData || header.kind == PageHeader::Kind::kDataV2;
  }

  // Whether the reader above, or this one, must have the dictionary before this page and has not.
  bool NeedsDictionary(const PageHeader& header) const {
    return IsDictionaryEncoded(header) && !dictionary_given_ && !LooksUp(header);
  }

  // Whether the values of the page are looked up here.
  bool LooksUp(const PageHeader& header) const {
    if (dictionary_ == nullptr || !IsDictionaryEncoded(header)) {
      return false;
    }
    const int64_t bytes_max = header.value_count * dictionary_->value_bytes_max();
    return bytes_max <= kLookedUpBytesMax &&
           wanted_part_ * static_cast<double>(bytes_max) <= static_cast<double>(kLookedUpBytes);
  }

  bool CanLoadDictionary(const PageHeader& header) const {
    return IsDictionaryEncoded(header) && !dictionary_given_ && dictionary_ == nullptr &&
           wanted_part_ <= kSparsePart && dictionary_loads_ < kDictionaryLoadsMax &&
           ChunkDictionary::Supports(column_);
  }

  // Leaves ranges that end at or before `row` behind; false when none is left.
  bool SkipTo(int64_t row) {
    while (range_ < rows().size() && rows()[range_].end <= row) {
      ++range_;
    }
    return range_ < rows().size();
  }

  // Guards the memory for levels against headers of a corrupt file.
  arrow::Status CheckCounts(const PageHeader& header) const {
    return header.value_count <= value_count_
               ? arrow::Status::OK()
               : arrow::Status::Invalid("corrupt page: it has more values than its column");
  }

  bool IsCompressed(const PageHeader& header) const {
    return header.kind != PageHeader::Kind::kDataV2 || header.is_compressed || always_compressed_;
  }

  arrow::Compression::type CodecOf(const PageHeader& header) const {
    return IsCompressed(header) ? codec_ : arrow::Compression::UNCOMPRESSED;
  }

  arrow::Status DecompressDictionary(PageHeader* header) {
    ARROW_ASSIGN_OR_RAISE(const bool found, cursor_.ReadHeader(header));
    if (!found || header->kind != PageHeader::Kind::kDictionary) {
      return arrow::Status::Invalid("corrupt column: a page needs a dictionary and there is none");
    }
    return DecompressToPage(*header);
  }

  arrow::Status LoadDictionary() {
    PageHeader header;
    ++dictionary_loads_;
    ARROW_RETURN_NOT_OK(DecompressDictionary(&header));
    if (header.encoding != Encoding::PLAIN && header.encoding != Encoding::PLAIN_DICTIONARY) {
      return arrow::Status::Invalid("corrupt dictionary: its values are not encoded as PLAIN");
    }
    ARROW_ASSIGN_OR_RAISE(auto body, page_.Finish());
    ARROW_ASSIGN_OR_RAISE(dictionary_, ChunkDictionary::Make(column_, std::move(body),
                                                             header.value_count, scratch_->pool()));
    return arrow::Status::OK();
  }

  // Most writers change to another encoding once, when the dictionary has become too large.
  void DropUnusedDictionary(const PageHeader& header) {
    if (!IsDictionaryEncoded(header) && dictionary_loads_ < kDictionaryLoadsMax) {
      dictionary_.reset();
    }
  }

  arrow::Result<PagePointer> ReadDictionary() {
    PageHeader header;
    dictionary_.reset();
    dictionary_given_ = true;
    ARROW_RETURN_NOT_OK(DecompressDictionary(&header));
    dictionary_in_page_ = true;
    return std::make_shared<parquet::DictionaryPage>(FinishPage(), header.value_count,
                                                     header.encoding);
  }

  void RewindPage() {
    if (dictionary_in_page_) {
      // The reader above has its own copy by now, and other pages are often much smaller.
      page_.Reset();
      dictionary_in_page_ = false;
    }
    page_.Rewind(0);
  }

  // Puts the whole body of the page, decompressed, into page_.
  arrow::Status DecompressToPage(const PageHeader& header) {
    RewindPage();
    ARROW_RETURN_NOT_OK(page_.Reserve(header.uncompressed_bytes));
    uint8_t* const target = page_.mutable_data();
    const int64_t level_bytes = LevelBytesV2(header);
    PageBody::Source source = SourceOf(header);
    source.output = target + level_bytes;
    ARROW_ASSIGN_OR_RAISE(const PageBody body, PageBody::Open(source, header.uncompressed_bytes));
    if (level_bytes > 0) {
      std::memcpy(target, body.levels().data(), static_cast<size_t>(level_bytes));
    }
    if (body.size() > 0 && body.data() != source.output) {
      std::memcpy(source.output, body.data(), static_cast<size_t>(body.size()));
    }
    page_.UnsafeAdvance(header.uncompressed_bytes);
    counters_->bytes_decompressed.fetch_add(header.uncompressed_bytes, std::memory_order_relaxed);
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::Buffer> FinishPage() const {
    return std::make_shared<arrow::Buffer>(page_.data(), page_.length());
  }

  arrow::Result<PagePointer> ReadWholePage(const PageHeader& header) {
    ARROW_RETURN_NOT_OK(CheckCounts(header));
    ARROW_RETURN_NOT_OK(DecompressToPage(header));
    counters_->pages_read.fetch_add(1, std::memory_order_relaxed);
    if (header.kind == PageHeader::Kind::kData) {
      return std::make_shared<parquet::DataPageV1>(
          FinishPage(), header.value_count, header.encoding, header.definition_encoding,
          header.repetition_encoding, header.uncompressed_bytes);
    }
    return std::make_shared<parquet::DataPageV2>(
        FinishPage(), header.value_count, header.null_count, header.row_count, header.encoding,
        header.definition_bytes, header.repetition_bytes, header.uncompressed_bytes);
  }

  // REQUIRES: a row of `page`, the page's rows, is wanted, and range_ is the first such range.
  arrow::Result<PagePointer> ReadPage(const PageHeader& header, RowRange page) {
    ARROW_RETURN_NOT_OK(CheckCounts(header));
    if (rows()[range_].begin <= page.begin && rows()[range_].end >= page.end && !LooksUp(header)) {
      return ReadWholePage(header);
    }
    const RowRanges wanted = RangesInPage(rows(), range_, page);
    const auto part = static_cast<double>(wanted.back().end) / static_cast<double>(page.size());
    ARROW_ASSIGN_OR_RAISE(PageBody body, OpenBody(header, part));
    int64_t offset = 0;
    ARROW_RETURN_NOT_OK(ReadRepetitionLevels(header, &body, &offset));
    if (repeats()) {
      const std::vector<int16_t>& levels = scratch_->repetition_levels;
      if (levels.empty() || levels[0] != 0 ||
          std::count(levels.begin(), levels.end(), int16_t{0}) != page.size()) {
        return arrow::Status::Invalid("corrupt page: it has other rows than it should");
      }
    }
    const int64_t level_count = repeats() ? header.value_count : wanted.back().end;
    ARROW_RETURN_NOT_OK(ReadDefinitionLevels(header, level_count, &body, &offset));
    return MakeSelectedPage(header, page, &body, offset);
  }

  static int64_t LevelBytesV2(const PageHeader& header) {
    return header.kind == PageHeader::Kind::kDataV2
               ? int64_t{header.definition_bytes} + header.repetition_bytes
               : 0;
  }

  PageBody::Source SourceOf(const PageHeader& header) {
    return {.cursor = &cursor_,
            .header = &header,
            .codec = CodecOf(header),
            .traits = &traits_,
            .output = nullptr,
            .scratch = scratch_};
  }

  // The page up to a part of it, of which 0 leaves only its levels.
  arrow::Result<PageBody> OpenBody(const PageHeader& header, double part) {
    const auto size = static_cast<double>(header.uncompressed_bytes - LevelBytesV2(header));
    return PageBody::Open(SourceOf(header),
                          static_cast<int64_t>(size * (part > 0 ? part + kMarginPart : 0)));
  }

  // --- Levels -----------------------------------------------------------------------------------

  // Decodes the first `count` levels that begin at *offset of a V1 page's body, and moves *offset
  // behind all levels of that kind.
  arrow::Status ReadLevelsV1(const PageHeader& header, Encoding::type encoding, int16_t level_max,
                             int64_t count, PageBody* body, int64_t* offset,
                             std::vector<int16_t>* levels) {
    int64_t bytes = 0;
    if (encoding == Encoding::RLE) {
      ARROW_RETURN_NOT_OK(body->Require(*offset + 4));
      uint32_t length;
      std::memcpy(&length, body->data() + *offset, sizeof(length));
      bytes = 4 + static_cast<int64_t>(length);
    } else if (encoding == Encoding::BIT_PACKED) {
      int64_t width = 0;
      while ((level_max >> width) != 0) {
        ++width;
      }
      bytes = (header.value_count * width + 7) / 8;
    } else {
      return arrow::Status::Invalid("corrupt page: unknown encoding of levels");
    }
    ARROW_RETURN_NOT_OK(body->Require(*offset + bytes));
    parquet::LevelDecoder decoder;
    decoder.SetData(encoding, level_max, header.value_count, body->data() + *offset,
                    static_cast<int32_t>(bytes));
    *offset += bytes;
    return Decode(&decoder, count, levels);
  }

  arrow::Status ReadLevelsV2(const PageHeader& header, std::span<const uint8_t> bytes,
                             int16_t level_max, int64_t count, std::vector<int16_t>* levels) {
    parquet::LevelDecoder decoder;
    decoder.SetDataV2(static_cast<int32_t>(bytes.size()), level_max, header.value_count,
                      bytes.data());
    return Decode(&decoder, count, levels);
  }

  static arrow::Status Decode(parquet::LevelDecoder* decoder, int64_t count,
                              std::vector<int16_t>* levels) {
    levels->resize(static_cast<size_t>(count));
    const int decoded = decoder->Decode(static_cast<int>(count), levels->data());
    return decoded == count ? arrow::Status::OK()
                            : arrow::Status::Invalid("corrupt page: too few levels");
  }

  arrow::Status ReadRepetitionLevels(const PageHeader& header, PageBody* body, int64_t* offset) {
    const int16_t level_max = column_.max_repetition_level();
    if (level_max == 0) {
      return arrow::Status::OK();
    }
    std::vector<int16_t>* const levels = &scratch_->repetition_levels;
    if (header.kind == PageHeader::Kind::kDataV2) {
      return ReadLevelsV2(header,
                          body->levels().first(static_cast<size_t>(header.repetition_bytes)),
                          level_max, header.value_count, levels);
    }
    return ReadLevelsV1(header, header.repetition_encoding, level_max, header.value_count, body,
                        offset, levels);
  }

  arrow::Status ReadDefinitionLevels(const PageHeader& header, int64_t count, PageBody* body,
                                     int64_t* offset) {
    const int16_t level_max = column_.max_definition_level();
    if (level_max == 0) {
      return arrow::Status::OK();
    }
    std::vector<int16_t>* const levels = &scratch_->definition_levels;
    if (header.kind == PageHeader::Kind::kDataV2) {
      return ReadLevelsV2(header,
                          body->levels().subspan(static_cast<size_t>(header.repetition_bytes),
                                                 static_cast<size_t>(header.definition_bytes)),
                          level_max, count, levels);
    }
    return ReadLevelsV1(header, header.definition_encoding, level_max, count, body, offset, levels);
  }

  arrow::Result<int32_t> AppendLevels(const std::vector<int16_t>& levels, int16_t level_max) {
    if (level_max == 0) {
      return 0;
    }
    const auto count = static_cast<int>(levels.size());
    const int bytes_max = parquet::LevelEncoder::MaxBufferSize(Encoding::RLE, level_max, count);
    ARROW_RETURN_NOT_OK(page_.Reserve(bytes_max));
    parquet::LevelEncoder encoder;
    encoder.Init(Encoding::RLE, level_max, count, page_.mutable_data() + page_.length(), bytes_max);
    encoder.Encode(count, levels.data());
    page_.UnsafeAdvance(encoder.len());
    return encoder.len();
  }

  // By its levels the end of the last wanted row is known better than before.
  static void ExpectValues(const PageHeader& header, const LevelSelection& selection,
                           int64_t values_offset, PageBody* body) {
    const double part = static_cast<double>(selection.levels_touched) /
                        static_cast<double>(std::max(header.value_count, 1));
    const auto value_bytes = static_cast<double>(body->size() - values_offset);
    body->Expect(values_offset +
                 static_cast<int64_t>(value_bytes * std::min(part + kMarginPart, 1.0)));
  }

  // Copies the wanted rows of a page whose levels lie in the scratch into a new page.
  arrow::Result<PagePointer> MakeSelectedPage(const PageHeader& header, RowRange page,
                                              PageBody* body, int64_t values_offset) {
    const RowRanges wanted = RangesInPage(rows(), range_, page);
    const int16_t definition_max = column_.max_definition_level();
    const LevelSelection selection = repeats()
                                         ? SelectRepeatedRows(wanted, definition_max, scratch_)
                                         : SelectFlatRows(wanted, definition_max, scratch_);
    RewindPage();
    DropUnusedDictionary(header);
    ARROW_ASSIGN_OR_RAISE(
        const int32_t repetition_bytes,
        AppendLevels(scratch_->kept_repetition_levels, column_.max_repetition_level()));
    ARROW_ASSIGN_OR_RAISE(const int32_t definition_bytes,
                          AppendLevels(scratch_->kept_definition_levels, definition_max));
    Encoding::type encoding = Encoding::PLAIN;
    if (selection.taken > 0) {
      ExpectValues(header, selection, values_offset, body);
      const EncodedValues values{header.encoding, body, values_offset, header.value_count,
                                 LooksUp(header) ? dictionary_.get() : nullptr};
      ARROW_ASSIGN_OR_RAISE(encoding,
                            SelectValues(column_, values, scratch_->runs, scratch_, &page_));
    }
    counters_->pages_read.fetch_add(1, std::memory_order_relaxed);
    counters_->bytes_decompressed.fetch_add(body->available(), std::memory_order_relaxed);
    const int64_t count = definition_max > 0
                              ? static_cast<int64_t>(scratch_->kept_definition_levels.size())
                              : selection.rows;
    return std::make_shared<parquet::DataPageV2>(
        FinishPage(), static_cast<int32_t>(count), static_cast<int32_t>(count - selection.taken),
        static_cast<int32_t>(selection.rows), encoding, definition_bytes, repetition_bytes,
        page_.length());
  }

  const LeafRequest request_;
  PageScratch* const scratch_;
  const std::shared_ptr<SourceCounters> counters_;
  const parquet::ColumnDescriptor& column_;
  PageCursor cursor_;
  arrow::BufferBuilder page_;  // the page given last

  ChunkExtent extent_;
  arrow::Compression::type codec_ = arrow::Compression::UNCOMPRESSED;
  BodyTraits traits_;
  int64_t value_count_ = 0;
  int64_t row_count_ = 0;
  bool wants_all_ = false;
  bool always_compressed_ = false;

  double wanted_part_ = 0;  // of the rows accounted for

  std::unique_ptr<const ChunkDictionary> dictionary_;  // to look values up
  int dictionary_loads_ = 0;
  bool dictionary_given_ = false;
  bool dictionary_in_page_ = false;
  std::optional<int64_t> dictionary_offset_;  // found on the way
  size_t range_ = 0;                          // the first range that may still be wanted
  size_t location_ = 0;
  int64_t row_ = 0;  // rows begun in the pages up to here
  int64_t values_seen_ = 0;
  bool last_page_ends_row_ = true;
};

}  // namespace

std::unique_ptr<parquet::PageReader> MakeLeafPageReader(LeafRequest request, PageScratch* scratch,
                                                        std::shared_ptr<SourceCounters> counters) {
  return std::make_unique<LeafPageReader>(std::move(request), scratch, std::move(counters));
}

}  // namespace keepone
