// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "base/letter_case.h"
#include "bind/binder.h"
#include "bind/query_binder.h"
#include "io/reader_options.h"
#include "plan/join_node.h"
#include "plan/leaf_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

struct ReaderName {
  std::string_view function;
  std::string_view reader;
};

constexpr std::array<ReaderName, 12> kReaders = {{
    {"read_parquet", "parquet"},
    {"parquet_scan", "parquet"},
    {"read_csv", "csv"},
    {"read_csv_auto", "csv"},
    {"read_json", "json"},
    {"read_json_auto", "json"},
    {"read_ndjson", "json"},
    {"read_ndjson_auto", "json"},
    {"read_jsonl", "json"},
    {"read_arrow", "arrow"},
    {"read_ipc", "arrow"},
    {"read_feather", "arrow"},
}};

// The name that stands for a file: "items" for "data/items.parquet"; none for a pattern.
std::string FileAlias(const std::vector<std::string>& paths) {
  if (paths.size() != 1 || paths[0].find_first_of("*?[") != std::string::npos) {
    return "";
  }
  const std::string& path = paths[0];
  const size_t slash = path.find_last_of('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  return file.substr(0, file.find('.', 1));
}

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

Relation FromPlan(NodePtr plan, std::string name) {
  Scope scope(ScopeTable{std::move(name), plan->columns()});
  return {std::move(plan), std::move(scope)};
}

}  // namespace

arrow::Status NameTable(std::string name, const std::vector<ast::Identifier>& column_names,
                        SourceSpan span, Scope* scope) {
  ScopeTable table;
  table.name = std::move(name);
  for (const ShownColumn& shown : scope->shown()) {
    table.columns.push_back(shown.column);
  }
  if (column_names.size() > table.columns.size()) {
    return BindError(span, "table ", Quoted(table.name), " has ", table.columns.size(),
                     " columns available but ", column_names.size(), " columns specified");
  }
  for (size_t i = 0; i < column_names.size(); ++i) {
    table.columns[i].name = column_names[i].text;
  }
  *scope = Scope(std::move(table));
  return arrow::Status::OK();
}

bool IsDeterministicPlan(const Node& node) {
  if (const auto* filter = AsIf<FilterNode>(node)) {
    if (!IsDeterministic(*filter->predicate())) {
      return false;
    }
  }
  if (const auto* project = AsIf<ProjectNode>(node)) {
    for (const ProjectNode::Item& item : project->items()) {
      if (!IsDeterministic(*item.expr)) {
        return false;
      }
    }
  }
  if (const auto* values = AsIf<ValuesNode>(node)) {
    for (const std::vector<ExprPtr>& row : values->rows()) {
      if (!std::all_of(row.begin(), row.end(),
                       [](const ExprPtr& value) { return IsDeterministic(*value); })) {
        return false;
      }
    }
  }
  const auto* join = AsIf<JoinNode>(node);
  if (join != nullptr && join->spec().residual != nullptr &&
      !IsDeterministic(*join->spec().residual)) {
    return false;
  }
  return std::all_of(node.inputs().begin(), node.inputs().end(),
                     [](const NodePtr& input) { return IsDeterministicPlan(*input); });
}

arrow::Result<Relation> QueryBinder::BindFrom(const std::vector<ast::TableRefPtr>& from,
                                              CommonTableEntry* tables) {
  ARROW_ASSIGN_OR_RAISE(Relation all, BindTable(*from[0], tables));
  for (size_t i = 1; i < from.size(); ++i) {
    if (BeginsWithUnnest(*from[i])) {
      ARROW_ASSIGN_OR_RAISE(all, BindBeside(std::move(all), *from[i], tables));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(Relation next, BindTable(*from[i], tables));
    ARROW_ASSIGN_OR_RAISE(all, CrossJoin(std::move(all), std::move(next), from[i]->span));
  }
  return all;
}

arrow::Result<Relation> QueryBinder::BindTable(const ast::TableRef& table,
                                               CommonTableEntry* tables) {
  if (++table_references_ > kTableReferencesMax) {
    return UnsupportedError(context_->Place(table.span), "a statement that reads more than ",
                            kTableReferencesMax, " tables");
  }
  ARROW_ASSIGN_OR_RAISE(Relation relation, BindTableNode(table, tables));
  if (table.alias.has_value()) {
    ARROW_RETURN_NOT_OK(NameTable(table.alias->text, table.column_aliases,
                                  context_->Place(table.span), &relation.scope));
  }
  return relation;
}

arrow::Result<Relation> QueryBinder::BindTableNode(const ast::TableRef& table,
                                                   CommonTableEntry* tables) {
  switch (table.kind) {
    case ast::TableRefKind::kTable:
      return BindNamedTable(table.As<ast::NamedTable>(), tables);
    case ast::TableRefKind::kFiles: {
      std::vector<std::string> paths;
      for (const ast::FilePath& path : table.As<ast::FileTable>().paths) {
        paths.push_back(path.text);
      }
      return BindFiles(paths, table.span);
    }
    case ast::TableRefKind::kFunction:
      return BindFunctionTable(table.As<ast::FunctionTable>());
    case ast::TableRefKind::kSubquery: {
      const auto& subquery = table.As<ast::SubqueryTable>();
      if (subquery.lateral) {
        return UnsupportedError(context_->Place(table.span), "LATERAL");
      }
      ARROW_ASSIGN_OR_RAISE(NodePtr plan, BindQuery(*subquery.query, tables));
      return FromPlan(std::move(plan), "");
    }
    case ast::TableRefKind::kJoin:
      break;
  }
  return BindJoin(table.As<ast::JoinTable>(), tables);
}

arrow::Result<Relation> QueryBinder::BindNamedTable(const ast::NamedTable& table,
                                                    CommonTableEntry* tables) {
  const SourceSpan place = context_->Place(table.span);
  if (table.name.size() > 1) {
    const std::string path = PathText(table.name);
    const bool is_file = EqualNames(table.name.back().text, "parquet");
    return WithHint(
        BindError(place, "table ", Quoted(path), " does not exist"),
        is_file ? "a file stands between single quotes: '" + path + "'"
                : "tables have no schema here: write only " + Quoted(table.name.back().text));
  }
  const ast::Identifier& name = table.name[0];
  for (CommonTableEntry* entry = tables; entry != nullptr; entry = entry->outer) {
    if (EqualNames(entry->table->name.text, name.text)) {
      return BindCommonTable(name, entry);
    }
  }
  if (auto source = context_->catalog->FindTable(name.text)) {
    return ScanSource(std::move(source), name.text, name.text);
  }
  if (const auto view = context_->catalog->FindView(name.text)) {
    return BindView(*view, name.span);
  }
  return UnknownTable(name, tables);
}

arrow::Status QueryBinder::UnknownTable(const ast::Identifier& name,
                                        const CommonTableEntry* tables) const {
  std::vector<std::string> names = context_->catalog->TableNames();
  for (const CommonTableEntry* entry = tables; entry != nullptr; entry = entry->outer) {
    names.push_back(entry->table->name.text);
  }
  const arrow::Status status =
      BindError(context_->Place(name.span), "table ", Quoted(name.text), " does not exist");
  const std::string nearest = NearestName(name.text, names);
  if (!nearest.empty()) {
    return WithHint(status, "there is a table " + Quoted(nearest));
  }
  if (name.text.find_first_of("./*") != std::string::npos) {
    return WithHint(status, "a file stands between single quotes: '" + name.text + "'");
  }
  return status;
}

arrow::Result<Relation> QueryBinder::BindCommonTable(const ast::Identifier& name,
                                                     CommonTableEntry* entry) {
  if (entry->references > 0 && !entry->deterministic) {
    return WithHint(UnsupportedError(context_->Place(name.span), "a second use of ",
                                     Quoted(name.text), ", whose rows are not the same each time"),
                    "CREATE TABLE .. AS keeps the rows");
  }
  ARROW_ASSIGN_OR_RAISE(NodePtr plan, BindQuery(*entry->table->query, entry->outer));
  ++entry->references;
  entry->deterministic = IsDeterministicPlan(*plan);
  const ast::Identifier& table = entry->table->name;
  Relation relation = FromPlan(std::move(plan), table.text);
  ARROW_RETURN_NOT_OK(
      NameTable(table.text, entry->table->columns, context_->Place(table.span), &relation.scope));
  return relation;
}

arrow::Result<Relation> QueryBinder::BindView(const ViewDefinition& view, SourceSpan span) {
  const SourceSpan place = context_->Place(span);
  if (std::find(open_views_.begin(), open_views_.end(), view.name) != open_views_.end()) {
    return BindError(place, "view ", Quoted(view.name), " reads itself");
  }
  const std::optional<SourceSpan> outer_span = context_->view_span;
  const OuterScope* outer = std::exchange(context_->outer, nullptr);
  open_views_.push_back(view.name);
  context_->view_span = place;
  auto plan = BindQuery(*view.query, nullptr);
  context_->outer = outer;
  context_->view_span = outer_span;
  open_views_.pop_back();
  if (!plan.ok()) {
    const ErrorDetail* detail = GetErrorDetail(plan.status());
    if (plan.status().IsCancelled() || GetErrorKind(plan.status()) == ErrorKind::kInternal) {
      return plan.status();
    }
    return WithHint(
        MakeError(GetErrorKind(plan.status()), place,
                  JoinMessage("in view ", Quoted(view.name), ": ", plan.status().message())),
        detail != nullptr ? detail->hint() : "");
  }
  Relation relation = FromPlan(*std::move(plan), view.name);
  std::vector<ast::Identifier> names;
  for (const std::string& column : view.columns) {
    names.push_back({column, /*quoted=*/true, span});
  }
  ARROW_RETURN_NOT_OK(NameTable(view.name, names, place, &relation.scope));
  return relation;
}

Relation QueryBinder::ScanSource(std::shared_ptr<const Source> source, std::string name,
                                 std::string table) {
  ScanNode::Spec spec;
  const std::shared_ptr<arrow::Schema> schema = source->schema();
  for (int i = 0; i < schema->num_fields(); ++i) {
    const auto& field = schema->field(i);
    spec.fields.push_back({context_->ids->Next(), i, field->name(), field->type()});
  }
  spec.source = std::move(source);
  spec.name = std::move(name);
  return FromPlan(ScanNode::Make(std::move(spec)), std::move(table));
}

arrow::Result<Relation> QueryBinder::BindFiles(const std::vector<std::string>& paths,
                                               SourceSpan span) {
  auto source = context_->catalog->OpenFiles(paths, "", {});
  if (!source.ok()) {
    return WithSpan(source.status(), ErrorKind::kData, context_->Place(span));
  }
  return ScanSource(*std::move(source), Join(paths), FileAlias(paths));
}

arrow::Result<std::shared_ptr<arrow::Scalar>> QueryBinder::BindReaderArgument(
    const ast::Expr& expr) {
  ExprBinder binder(context_);
  ExprScope scope;
  scope.clause = "FROM";
  ARROW_ASSIGN_OR_RAISE(const ExprPtr bound, binder.Bind(expr, scope));
  auto value = EvaluateConstant(context_, *bound);
  return value.ok() ? std::move(value)
                    : WithSpan(value.status(), ErrorKind::kBind, context_->Place(expr.span));
}

// One text, or those of a list.
arrow::Result<std::vector<std::string>> QueryBinder::BindReaderPaths(const std::string& reader,
                                                                     const ast::Expr& expr) {
  ARROW_ASSIGN_OR_RAISE(const auto value, BindReaderArgument(expr));
  ReaderOptions paths({{"path", value}});
  auto texts = paths.TakeTexts("path");
  if (!texts.ok()) {
    return BindError(context_->Place(expr.span), reader, ": a file is a text in single quotes");
  }
  return **std::move(texts);
}

// {name: 'TYPE', ..}: the fields of a file as the statement fixes them.
arrow::Result<arrow::FieldVector> QueryBinder::BindReaderColumns(const ast::Expr& expr) {
  const auto* fields = expr.If<ast::StructExpr>();
  if (fields == nullptr) {
    return BindError(context_->Place(expr.span),
                     "option \"columns\" takes names and types: {id: 'BIGINT', tags: 'VARCHAR[]'}");
  }
  arrow::FieldVector columns;
  for (const ast::StructField& field : fields->fields) {
    const SourceSpan place = context_->Place(field.value->span);
    ARROW_ASSIGN_OR_RAISE(const auto text, BindReaderArgument(*field.value));
    if (!text->is_valid || text->type->id() != arrow::Type::STRING) {
      return BindError(place, "a column's type is a text: 'BIGINT'");
    }
    for (const auto& earlier : columns) {
      if (earlier->name() == field.name.text) {
        return BindError(context_->Place(field.name.span), "column ", Quoted(field.name.text),
                         " is given twice");
      }
    }
    auto type = ResolveTypeText(text->ToString());
    if (!type.ok()) {
      return BindError(place, "column ", Quoted(field.name.text), ": ", type.status().message());
    }
    columns.push_back(arrow::field(field.name.text, *std::move(type)));
  }
  return columns;
}

arrow::Result<Relation> QueryBinder::BindFunctionTable(const ast::FunctionTable& table) {
  const std::string name = PathText(table.name);
  const SourceSpan place = context_->Place(PathSpan(table.name));
  if (EqualNames(name, "unnest")) {
    return BindUnnest(OneRowRelation(), table, /*keeps_empty=*/false);
  }
  const auto reader = std::find_if(kReaders.begin(), kReaders.end(), [&](const ReaderName& each) {
    return EqualNames(each.function, name);
  });
  if (reader == kReaders.end()) {
    std::vector<std::string> names;
    for (const ReaderName& each : kReaders) {
      names.emplace_back(each.function);
    }
    const arrow::Status status = BindError(place, "table function ", name, " does not exist");
    const std::string nearest = NearestName(name, names);
    return nearest.empty() ? status : WithHint(status, "there is a table function " + nearest);
  }
  if (table.with_ordinality) {
    return UnsupportedError(context_->Place(table.span), "WITH ORDINALITY");
  }
  std::vector<std::string> paths;
  ReaderOptions::Values values;
  std::optional<arrow::FieldVector> columns;
  for (const ast::Argument& argument : table.arguments) {
    if (!argument.name.has_value()) {
      ARROW_ASSIGN_OR_RAISE(std::vector<std::string> texts, BindReaderPaths(name, *argument.value));
      paths.insert(paths.end(), texts.begin(), texts.end());
      continue;
    }
    const std::string option = LowerCase(argument.name->text);
    if (values.contains(option) || (option == "columns" && columns.has_value())) {
      return BindError(context_->Place(argument.name->span), "option ", Quoted(argument.name->text),
                       " is given twice");
    }
    if (option == "columns") {
      ARROW_ASSIGN_OR_RAISE(columns, BindReaderColumns(*argument.value));
    } else {
      ARROW_ASSIGN_OR_RAISE(values[option], BindReaderArgument(*argument.value));
    }
  }
  if (paths.empty()) {
    return BindError(context_->Place(table.span), name, " needs a file or a list of files");
  }
  auto source = context_->catalog->OpenFiles(paths, std::string(reader->reader),
                                             ReaderOptions(std::move(values), std::move(columns)));
  if (!source.ok()) {
    SourceSpan span = table.span;
    for (const ast::Argument& argument : table.arguments) {
      // A message about an option quotes its name.
      if (argument.name.has_value() &&
          source.status().message().find("\"" + LowerCase(argument.name->text) + "\"") !=
              std::string::npos) {
        span = argument.name->span;
      }
    }
    return WithSpan(source.status(), ErrorKind::kData, context_->Place(span));
  }
  return ScanSource(*std::move(source), Join(paths), FileAlias(paths));
}

}  // namespace keepone
