// SPDX-License-Identifier: Apache-2.0
#include "engine/explain.h"

#include <array>
#include <cstdio>
#include <string_view>

#include "base/byte_size.h"
#include "column/value_text.h"
#include "plan/print_plan.h"

namespace keepone {

namespace {

std::string Notes(const PreparedQuery& query) {
  std::string text;
  for (const std::string& note : query.notes) {
    text += "note: " + note + "\n";
  }
  return text;
}

std::string NotesJson(const PreparedQuery& query) {
  std::string text = "[";
  for (const std::string& note : query.notes) {
    text += text.size() > 1 ? "," : "";
    AppendJsonString(note, &text);
  }
  return text + "]";
}

void AppendNodeJson(const Node& node, std::string* out) {
  *out += "{\"operator\":";
  AppendJsonString(DescribeNode(node), out);
  *out += ",\"inputs\":[";
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    *out += i > 0 ? "," : "";
    AppendNodeJson(*node.inputs()[i], out);
  }
  *out += "]}";
}

// The measures of a plan's operators under the descriptions that EXPLAIN gives them.
MetricsTree DescribedMetrics(const Node& node, const RunningQuery& query) {
  MetricsTree tree;
  tree.name = DescribeNode(node);
  const auto found = query.metrics_of.find(&node);
  tree.metrics =
      found == query.metrics_of.end() ? std::make_shared<OperatorMetrics>() : found->second.metrics;
  for (const NodePtr& input : node.inputs()) {
    tree.inputs.push_back(DescribedMetrics(*input, query));
  }
  return tree;
}

std::string FormatSeconds(double seconds) {
  std::array<char, 48> text;
  std::snprintf(text.data(), text.size(), "%.3f", seconds);
  return text.data();
}

}  // namespace

std::string ExplainText(const PreparedQuery& query) {
  return PrintPlan(*query.plan) + Notes(query);
}

std::string ExplainJson(const PreparedQuery& query) {
  std::string text = "{\"plan\":";
  AppendNodeJson(*query.plan, &text);
  return text + ",\"notes\":" + NotesJson(query) + "}";
}

std::string AnalyzeText(const RunningQuery& query, double seconds) {
  std::string text = PrintPlan(*query.prepared.plan, [&](const Node& node) {
    const auto metrics = query.metrics_of.find(&node);
    return metrics == query.metrics_of.end() ? std::string()
                                             : "  [" + DescribeMetrics(metrics->second) + "]";
  });
  text += Notes(query.prepared);
  text += "total: " + FormatSeconds(seconds) + " s, peak memory of buffers " +
          FormatByteSize(query.context->pool()->max_memory()) + "\n";
  return text;
}

std::string AnalyzeJson(const RunningQuery& query, double seconds) {
  return "{\"plan\":" + MetricsToJson(DescribedMetrics(*query.prepared.plan, query)) +
         ",\"notes\":" + NotesJson(query.prepared) + ",\"seconds\":" + FormatSeconds(seconds) +
         ",\"memory_bytes_peak\":" + std::to_string(query.context->pool()->max_memory()) + "}";
}

}  // namespace keepone
