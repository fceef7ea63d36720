// SPDX-License-Identifier: Apache-2.0
//
// Runs tests/plan/<rule>.plan: each case is a statement, its plan as the rule meets it (after the
// rules that stand before), and the plan behind it, or `unchanged`. In optimizer.plan the plans are
// the bound one and the one behind all rules. With KEEPONE_COMPLETE=1 the files are written anew.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "bind/binder.h"
#include "bind/catalog.h"
#include "io/open.h"
#include "optimize/default_rules.h"
#include "plan/print_plan.h"
#include "plan/verify_plan.h"
#include "sql/parser.h"

namespace keepone {
namespace {

namespace fs = std::filesystem;

// Tables without rows: their columns' widths are known by their types alone.
class GoldenCatalog final : public Catalog {
 public:
  GoldenCatalog() {
    const TypePtr doc = arrow::list(
        arrow::struct_({arrow::field("name", arrow::utf8()), arrow::field("x", arrow::float64())}));
    const auto bigint = arrow::int64();
    const auto text = arrow::utf8();
    Add("t", {arrow::field("k", bigint), arrow::field("o", bigint), arrow::field("v", text),
              arrow::field("doc", doc)});
    Add("s", {arrow::field("k", bigint), arrow::field("rn", bigint), arrow::field("v", text)});
    Add("f", {arrow::field("k", arrow::float64()), arrow::field("x", arrow::float64()),
              arrow::field("i", arrow::int32())});
  }
  std::shared_ptr<const Source> FindTable(const std::string& name) const override {
    const auto found = tables_.find(name);
    return found == tables_.end() ? nullptr : found->second;
  }
  std::shared_ptr<const ViewDefinition> FindView(const std::string& /*name*/) const override {
    return nullptr;
  }
  std::vector<std::string> TableNames() const override { return {"f", "s", "t"}; }
  arrow::Result<std::shared_ptr<const Source>> OpenFiles(const std::vector<std::string>& /*paths*/,
                                                         const std::string& /*reader*/,
                                                         ReaderOptions /*options*/) const override {
    return DataError("golden plans read no files");
  }

 private:
  void Add(const std::string& name, arrow::FieldVector fields) {
    tables_[name] = MakeMemorySource(name, arrow::schema(std::move(fields)), {});
  }
  std::map<std::string, std::shared_ptr<const Source>> tables_;
};

struct Case {
  std::string name;
  std::string sql;
  std::string expected;  // all that follows the statement
};

struct File {
  std::string comment;
  std::vector<Case> cases;
};

File Read(const fs::path& path) {
  File file;
  std::ifstream stream(path);
  std::string line;
  while (std::getline(stream, line)) {
    if (line.starts_with("case: ")) {
      file.cases.emplace_back();
      file.cases.back().name = line.substr(6);
    } else if (file.cases.empty()) {
      file.comment += line + "\n";
    } else if (line.starts_with("sql: ")) {
      file.cases.back().sql = line.substr(5);
    } else {
      file.cases.back().expected += line + "\n";
    }
  }
  return file;
}

std::string Indented(const Node& plan) {
  std::istringstream text(PrintPlan(plan));
  std::string indented;
  std::string line;
  while (std::getline(text, line)) {
    indented += "  " + line + "\n";
  }
  return indented;
}

// What the file should say below the statement.
arrow::Result<std::string> Rewrite(const std::string& sql, const std::string& rule_name) {
  ARROW_ASSIGN_OR_RAISE(const auto statements, ParseStatements(sql));
  ColumnIdGenerator ids;
  ARROW_ASSIGN_OR_RAISE(BoundQuery bound,
                        BindQuery(*statements.at(0)->As<ast::QueryStatement>().query,
                                  GoldenCatalog(), BindOptions{}, &ids));
  OptimizerSettings settings;
  settings.verify = true;
  std::vector<std::string> notes;
  const OptimizerContext context{&ids, &settings, &notes};
  NodePtr before = bound.plan;
  NodePtr after;
  if (rule_name == "optimizer") {
    ARROW_ASSIGN_OR_RAISE(after, Optimize(before, context));
  } else {
    for (const Rule& rule : DefaultRules()) {
      if (rule.name == rule_name) {
        notes.clear();
        ARROW_ASSIGN_OR_RAISE(after, rule.apply(before, context));
        ARROW_RETURN_NOT_OK(VerifyPlan(*after));
        break;
      }
      ARROW_ASSIGN_OR_RAISE(before, rule.apply(before, context));
    }
    if (after == nullptr) {
      return arrow::Status::KeyError("no rule ", rule_name);
    }
  }
  const std::string first = Indented(*before);
  const std::string second = Indented(*after);
  std::string text = "before\n" + first;
  text += first == second ? "unchanged\n" : "after\n" + second;
  for (const std::string& note : notes) {
    text += "note: " + note + "\n";
  }
  return text;
}

std::string WithoutBlankEnd(std::string text) {
  while (text.ends_with("\n\n")) {
    text.pop_back();
  }
  return text;
}

fs::path PlanFolder() {
  return fs::path(KEEPONE_TEST_PLANS);
}

class GoldenPlanTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenPlanTest, File) {
  const fs::path path = PlanFolder() / (GetParam() + ".plan");
  const File file = Read(path);
  ASSERT_FALSE(file.cases.empty()) << path;
  std::string written = file.comment;
  for (size_t i = 0; i < file.cases.size(); ++i) {
    const Case& golden = file.cases[i];
    SCOPED_TRACE(GetParam() + ": " + golden.name);
    const arrow::Result<std::string> result = Rewrite(golden.sql, GetParam());
    const std::string text = result.ok() ? *result : "error: " + result.status().message() + "\n";
    written += "case: " + golden.name + "\nsql: " + golden.sql + "\n" + text;
    written += i + 1 < file.cases.size() ? "\n" : "";
    if (std::getenv("KEEPONE_COMPLETE") == nullptr) {
      EXPECT_EQ(WithoutBlankEnd(golden.expected), text);
    } else {
      EXPECT_TRUE(result.ok()) << text;
    }
  }
  if (std::getenv("KEEPONE_COMPLETE") != nullptr) {
    std::ofstream(path) << written;
  }
}

std::vector<std::string> Files() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(PlanFolder())) {
    if (entry.path().extension() == ".plan") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Plans, GoldenPlanTest, ::testing::ValuesIn(Files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace keepone
