// SPDX-License-Identifier: Apache-2.0
#include "exec/metrics.h"

#include <memory>
#include <string>

#include "exec/sort.h"
#include "tests/support/cut_stream.h"

namespace keepone {
namespace {

const auto kSchema = arrow::schema({arrow::field("n", arrow::int64())});

TEST(Metrics, CountRowsTimeAndBytes) {
  const auto rows = BatchFromJson(kSchema, "[[3], [1], [2], [5], [4]]");
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    MetricsTree scan{"Scan", std::make_shared<OperatorMetrics>(), {}};
    MetricsTree sort{"Sort", std::make_shared<OperatorMetrics>(), {}};
    auto stream = MakeMeasured(
        std::make_unique<CutStream>(rows, setting.batch_rows_max, setting.seed), scan.metrics);
    stream = MakeMeasured(MakeSort(context, std::move(stream), {{0}}, std::nullopt), sort.metrics);
    ExpectRows(ReadAllRows(context, std::move(stream)),
               BatchFromJson(kSchema, "[[1], [2], [3], [4], [5]]"));
    EXPECT_EQ(scan.metrics->rows, 5);
    EXPECT_EQ(sort.metrics->rows, 5);
    EXPECT_GE(scan.metrics->batches, 1);
    EXPECT_GT(sort.metrics->self_nanos, 0);
    if (context->force_spill()) {
      EXPECT_GT(sort.metrics->bytes_spilled, 0);
    } else {
      EXPECT_EQ(sort.metrics->bytes_peak, 40);
    }
    sort.inputs.push_back(scan);
    EXPECT_EQ(sort.inclusive_nanos(), sort.metrics->self_nanos + scan.metrics->self_nanos);
  });
}

TEST(Metrics, AsJson) {
  MetricsTree fetch{"Fetch", std::make_shared<OperatorMetrics>(), {}};
  fetch.metrics->source = std::make_shared<SourceCounters>();
  fetch.metrics->source->pages_read = 7;
  MetricsTree limit{"Limit", std::make_shared<OperatorMetrics>(), {fetch}};
  limit.metrics->rows = 12;
  EXPECT_EQ(MetricsToJson(limit),
            R"({"operator": "Limit", "rows": 12, "batches": 0, "inclusive_nanos": 0, )"
            R"("self_nanos": 0, "bytes_peak": 0, "inputs": [{"operator": "Fetch", "rows": 0, )"
            R"("batches": 0, "inclusive_nanos": 0, "self_nanos": 0, "bytes_peak": 0, )"
            R"("bytes_read": 0, "bytes_decompressed": 0, "row_groups_read": 0, )"
            R"("row_groups_skipped": 0, "pages_read": 7, "pages_skipped": 0, "rows_read": 0, )"
            R"("inputs": []}]})");
}

}  // namespace
}  // namespace keepone
