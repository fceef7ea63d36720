// SPDX-License-Identifier: Apache-2.0
#include "exec/metrics.h"

#include <array>
#include <cstdio>
#include <utility>

#include <arrow/record_batch.h>

#include "base/byte_size.h"

namespace keepone {

namespace {

thread_local OperatorTimer* current_timer = nullptr;
thread_local OperatorMetrics* current_metrics = nullptr;

int64_t Load(const std::atomic<int64_t>& value) {
  return value.load(std::memory_order_relaxed);
}

class MeasuredMorsel final : public Morsel {
 public:
  MeasuredMorsel(std::unique_ptr<Morsel> morsel, std::shared_ptr<OperatorMetrics> metrics)
      : morsel_(std::move(morsel)), metrics_(std::move(metrics)) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    const OperatorTimer timer(metrics_.get());
    ARROW_ASSIGN_OR_RAISE(auto batch, morsel_->Next());
    if (batch != nullptr) {
      metrics_->rows.fetch_add(batch->num_rows(), std::memory_order_relaxed);
      metrics_->batches.fetch_add(1, std::memory_order_relaxed);
    }
    return batch;
  }

 private:
  std::unique_ptr<Morsel> morsel_;
  std::shared_ptr<OperatorMetrics> metrics_;
};

class MeasuredStream final : public BatchStream {
 public:
  MeasuredStream(std::unique_ptr<BatchStream> stream, std::shared_ptr<OperatorMetrics> metrics)
      : stream_(std::move(stream)), metrics_(std::move(metrics)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return stream_->schema(); }

  arrow::Status Prepare() override {
    const OperatorTimer timer(metrics_.get());
    return stream_->Prepare();
  }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const OperatorTimer timer(metrics_.get());
    ARROW_ASSIGN_OR_RAISE(auto morsel, stream_->NextMorsel());
    if (morsel == nullptr) {
      return nullptr;
    }
    return std::make_unique<MeasuredMorsel>(std::move(morsel), metrics_);
  }

 private:
  std::unique_ptr<BatchStream> stream_;
  std::shared_ptr<OperatorMetrics> metrics_;
};

std::string Quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
      out += escaped.data();
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string Seconds(int64_t nanos) {
  const double seconds = static_cast<double>(nanos) * 1e-9;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f s", seconds < 10 ? 3 : 1, seconds);
  return text.data();
}

}  // namespace

OperatorTimer::OperatorTimer(OperatorMetrics* metrics)
    : metrics_(metrics), outer_(current_timer), since_(Clock::now()) {
  if (outer_ != nullptr && outer_->metrics_ != nullptr) {
    outer_->metrics_->self_nanos.fetch_add((since_ - outer_->since_).count(),
                                           std::memory_order_relaxed);
  }
  current_timer = this;
  current_metrics = metrics_;
}

OperatorTimer::~OperatorTimer() {
  const Clock::time_point now = Clock::now();
  if (metrics_ != nullptr) {
    metrics_->self_nanos.fetch_add((now - since_).count(), std::memory_order_relaxed);
  }
  current_timer = outer_;
  current_metrics = outer_ != nullptr ? outer_->metrics_ : nullptr;
  if (outer_ != nullptr) {
    outer_->since_ = now;
  }
}

OperatorMetrics* OperatorTimer::Current() {
  return current_metrics;
}

void NoteBytesHeld(OperatorMetrics* metrics, int64_t bytes) {
  if (metrics == nullptr) {
    return;
  }
  int64_t peak = metrics->bytes_peak.load(std::memory_order_relaxed);
  while (bytes > peak && !metrics->bytes_peak.compare_exchange_weak(peak, bytes)) {
  }
}

void NoteBytesHeld(int64_t bytes) {
  NoteBytesHeld(OperatorTimer::Current(), bytes);
}

void NoteBytesSpilled(int64_t bytes) {
  if (OperatorMetrics* metrics = OperatorTimer::Current(); metrics != nullptr) {
    metrics->bytes_spilled.fetch_add(bytes, std::memory_order_relaxed);
  }
}

std::unique_ptr<BatchStream> MakeMeasured(std::unique_ptr<BatchStream> stream,
                                          std::shared_ptr<OperatorMetrics> metrics) {
  return std::make_unique<MeasuredStream>(std::move(stream), std::move(metrics));
}

int64_t MetricsTree::inclusive_nanos() const {
  int64_t nanos = 0;
  std::vector<const MetricsTree*> open = {this};
  while (!open.empty()) {
    const MetricsTree* tree = open.back();
    open.pop_back();
    nanos += Load(tree->metrics->self_nanos);
    for (const MetricsTree& input : tree->inputs) {
      open.push_back(&input);
    }
  }
  return nanos;
}

std::string DescribeMetrics(const MetricsTree& tree) {
  const OperatorMetrics& metrics = *tree.metrics;
  std::string text = "rows " + std::to_string(Load(metrics.rows)) + ", batches " +
                     std::to_string(Load(metrics.batches)) + ", time " +
                     Seconds(tree.inclusive_nanos()) + " (self " +
                     Seconds(Load(metrics.self_nanos)) + ")";
  if (Load(metrics.bytes_peak) > 0) {
    text += ", peak " + FormatByteSize(Load(metrics.bytes_peak));
  }
  if (Load(metrics.bytes_spilled) > 0) {
    text += ", spilled " + FormatByteSize(Load(metrics.bytes_spilled));
  }
  if (metrics.source != nullptr) {
    const SourceCounters& source = *metrics.source;
    text += ", read " + FormatByteSize(Load(source.bytes_read)) + " in " +
            std::to_string(Load(source.pages_read)) + " pages (" +
            std::to_string(Load(source.pages_skipped)) + " skipped) of " +
            std::to_string(Load(source.row_groups_read)) + " row groups (" +
            std::to_string(Load(source.row_groups_skipped)) + " skipped)";
  }
  return text;
}

std::string MetricsToJson(const MetricsTree& root) {
  struct Open {
    const MetricsTree* tree;
    size_t next_input;
  };
  std::string out;
  std::vector<Open> open;
  const auto begin = [&](const MetricsTree& tree) {
    const OperatorMetrics& metrics = *tree.metrics;
    out += "{\"operator\": " + Quote(tree.name);
    const auto add = [&out](const char* name, int64_t value) {
      out += std::string(", \"") + name + "\": " + std::to_string(value);
    };
    add("rows", Load(metrics.rows));
    add("batches", Load(metrics.batches));
    add("inclusive_nanos", tree.inclusive_nanos());
    add("self_nanos", Load(metrics.self_nanos));
    add("bytes_peak", Load(metrics.bytes_peak));
    if (Load(metrics.bytes_spilled) > 0) {
      add("bytes_spilled", Load(metrics.bytes_spilled));
    }
    if (metrics.source != nullptr) {
      add("bytes_read", Load(metrics.source->bytes_read));
      add("bytes_decompressed", Load(metrics.source->bytes_decompressed));
      add("row_groups_read", Load(metrics.source->row_groups_read));
      add("row_groups_skipped", Load(metrics.source->row_groups_skipped));
      add("pages_read", Load(metrics.source->pages_read));
      add("pages_skipped", Load(metrics.source->pages_skipped));
      add("rows_read", Load(metrics.source->rows_read));
    }
    out += ", \"inputs\": [";
    open.push_back({&tree, 0});
  };
  begin(root);
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next_input == top.tree->inputs.size()) {
      out += "]}";
      open.pop_back();
      continue;
    }
    out += top.next_input > 0 ? ", " : "";
    begin(top.tree->inputs[top.next_input++]);
  }
  return out;
}

}  // namespace keepone
