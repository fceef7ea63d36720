// SPDX-License-Identifier: Apache-2.0
#include "exec/number_rows.h"

#include <memory>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>

#include "exec/held_rows.h"

namespace keepone {

namespace {

// Where a row stands, counted in rows of its partition from 0.
struct Place {
  int64_t row;
  int64_t peers_begin;
  int64_t peers_end;
  int64_t peers;  // that come before
  int64_t rows;   // of the partition
};

// The first buckets get one row more where they do not come out even.
int64_t Bucket(const Place& place, int64_t buckets) {
  const int64_t least = place.rows / buckets;
  const int64_t larger = place.rows % buckets;
  const int64_t rows_in_larger = larger * (least + 1);
  return place.row < rows_in_larger ? place.row / (least + 1) + 1
                                    : larger + (place.row - rows_in_larger) / least + 1;
}

int64_t Number(const Place& place, const WindowColumn& column) {
  switch (column.kind) {
    case WindowColumn::Kind::kRank:
      return place.peers_begin + 1;
    case WindowColumn::Kind::kDenseRank:
      return place.peers + 1;
    case WindowColumn::Kind::kNtile:
      return Bucket(place, column.offset);
    default:
      return place.row + 1;
  }
}

double Share(const Place& place, const WindowColumn& column) {
  if (column.kind == WindowColumn::Kind::kCumeDist) {
    return static_cast<double>(place.peers_end) / static_cast<double>(place.rows);
  }
  return place.rows == 1
             ? 0.0
             : static_cast<double>(place.peers_begin) / static_cast<double>(place.rows - 1);
}

template <typename Write>
void ForEachPlace(const PartitionedRows& rows, Write&& write) {
  const size_t count = rows.sorted().size();
  size_t end = 0;
  for (size_t begin = 0; begin < count; begin = end) {
    end = begin + 1;
    while (end < count && !rows.BeginsPartition(end)) {
      ++end;
    }
    Place place{0, 0, 0, -1, static_cast<int64_t>(end - begin)};
    for (size_t at = begin; at < end; ++at) {
      place.row = static_cast<int64_t>(at - begin);
      if (place.row == place.peers_end) {
        place.peers_begin = place.peers_end;
        ++place.peers;
        do {
          ++place.peers_end;
        } while (place.peers_end < place.rows &&
                 !rows.BeginsPeers(begin + static_cast<size_t>(place.peers_end)));
      }
      write(rows.RowNumber(rows.sorted()[at]), place);
    }
  }
}

}  // namespace

arrow::Result<AggregateResult> NumberRows(QueryContext* context, const PartitionedRows& rows,
                                          const WindowColumn& column) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(rows.row_count() * 8, context->pool()));
  AggregateResult result;
  result.row_bytes = 8;
  if (column.kind == WindowColumn::Kind::kPercentRank ||
      column.kind == WindowColumn::Kind::kCumeDist) {
    auto* shares = reinterpret_cast<double*>(buffer->mutable_data());
    ForEachPlace(rows,
                 [&](int64_t row, const Place& place) { shares[row] = Share(place, column); });
    result.values =
        SlicesOf(std::make_shared<arrow::DoubleArray>(rows.row_count(), std::move(buffer)));
  } else {
    auto* numbers = reinterpret_cast<int64_t*>(buffer->mutable_data());
    ForEachPlace(rows,
                 [&](int64_t row, const Place& place) { numbers[row] = Number(place, column); });
    result.values =
        SlicesOf(std::make_shared<arrow::Int64Array>(rows.row_count(), std::move(buffer)));
  }
  return result;
}

}  // namespace keepone
