// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api.h>
#include <arrow/scalar.h>

#include "base/error.h"
#include "function/arrow_call.h"
#include "function/scalar_row.h"
#include "function/text_rows.h"

namespace keepone {

namespace {

using arrow::Datum;
using ArrayPtr = std::shared_ptr<arrow::Array>;

// A LIKE pattern in parts, so that a backslash escapes whatever the statement's escape is.
arrow::Result<std::string> WithBackslash(std::string_view pattern, std::string_view escape) {
  if (CodePoints(escape) > 1) {
    return DataError("ESCAPE takes one character, not \"", escape, "\"");
  }
  std::string out;
  while (!pattern.empty()) {
    const size_t size = ByteOfCodePoint(pattern, 1);
    const std::string_view code_point = pattern.substr(0, size);
    pattern.remove_prefix(size);
    if (!escape.empty() && code_point == escape) {
      if (pattern.empty()) {
        return DataError("a LIKE pattern must not end with its escape character");
      }
      const size_t next = ByteOfCodePoint(pattern, 1);
      out += '\\';
      out += pattern.substr(0, next);
      pattern.remove_prefix(next);
    } else {
      out += code_point == "\\" ? "\\\\" : std::string(code_point);
    }
  }
  return out;
}

// By backtracking to the last %; `pattern` escapes with a backslash.
bool MatchesLike(std::string_view text, std::string_view pattern) {
  size_t at = 0;
  size_t in_pattern = 0;
  size_t star = std::string_view::npos;
  size_t star_at = 0;
  while (at < text.size()) {
    const char c = in_pattern < pattern.size() ? pattern[in_pattern] : '\0';
    const size_t size = ByteOfCodePoint(text.substr(at), 1);
    if (in_pattern < pattern.size() && c == '%') {
      star = in_pattern++;
      star_at = at;
      continue;
    }
    const bool escaped = c == '\\' && in_pattern + 1 < pattern.size();
    if (in_pattern < pattern.size() && c == '_') {
      at += size;
      ++in_pattern;
    } else if (in_pattern < pattern.size() && pattern[in_pattern + (escaped ? 1 : 0)] == text[at]) {
      ++at;
      in_pattern += escaped ? 2 : 1;
    } else if (star != std::string_view::npos) {
      star_at += ByteOfCodePoint(text.substr(star_at), 1);
      at = star_at;
      in_pattern = star + 1;
    } else {
      return false;
    }
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '%') {
    ++in_pattern;
  }
  return in_pattern == pattern.size();
}

arrow::Result<Datum> NullBooleans(const ScalarCall& call, const Datum& like) {
  if (like.is_scalar()) {
    return Datum(std::make_shared<arrow::BooleanScalar>());
  }
  ARROW_ASSIGN_OR_RAISE(
      auto array, arrow::MakeArrayOfNull(arrow::boolean(), like.length(), PoolOf(call.context)));
  return Datum(std::move(array));
}

// A pattern for each row: matched by hand.
arrow::Result<Datum> LikeEachRow(const ScalarCall& call, const std::vector<Datum>& values) {
  const auto kernel =
      RowWise([](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
        arrow::BooleanBuilder builder(operands.pool());
        TextRow row(operands);
        for (int64_t i = 0; i < operands.length(); ++i) {
          if (operands.AnyNull(i)) {
            ARROW_RETURN_NOT_OK(builder.AppendNull());
            continue;
          }
          row.MoveTo(i);
          ARROW_ASSIGN_OR_RAISE(const std::string pattern,
                                WithBackslash(row.Text(1), row.size() == 3 ? row.Text(2) : "\\"));
          ARROW_RETURN_NOT_OK(builder.Append(MatchesLike(row.Text(0), pattern)));
        }
        return builder.Finish();
      });
  return kernel(call, values);
}

enum class Case { kRespect, kIgnore };

ScalarKernel LikeKernel(Case letters) {
  return
      [letters](const ScalarCall& call, const std::vector<Datum>& values) -> arrow::Result<Datum> {
        bool one_pattern = values[1].is_scalar();
        one_pattern = one_pattern && (values.size() < 3 || values[2].is_scalar());
        if (!one_pattern) {
          std::vector<Datum> texts = values;
          for (size_t i = 0; i < 2 && letters == Case::kIgnore; ++i) {
            ARROW_ASSIGN_OR_RAISE(texts[i], CallArrow(call.context, "utf8_lower", {texts[i]}));
          }
          return LikeEachRow(call, texts);
        }
        for (size_t i = 1; i < values.size(); ++i) {
          if (!values[i].scalar()->is_valid) {
            return NullBooleans(call, values[0]);
          }
        }
        const auto text_of = [&](size_t index) {
          return std::string(values[index].scalar_as<arrow::StringScalar>().view());
        };
        ARROW_ASSIGN_OR_RAISE(const std::string pattern,
                              WithBackslash(text_of(1), values.size() == 3 ? text_of(2) : "\\"));
        const arrow::compute::MatchSubstringOptions options(pattern, letters == Case::kIgnore);
        return CallArrow(call.context, "match_like", {values[0]}, &options);
      };
}

arrow::Status RegexError(const arrow::Status& status) {
  if (status.IsInvalid() && GetErrorDetail(status) == nullptr) {
    return DataError(status.message());
  }
  return status;
}

bool HasFlag(const std::string& flags, char flag) {
  return flags.find(flag) != std::string::npos;
}

// Runs `one` with the text arguments of a row; once for the whole batch when all of them are
// scalars, else for each row.
using OnePattern = std::function<arrow::Result<Datum>(const ScalarCall&, const Datum&,
                                                      const std::vector<std::string>&)>;

arrow::Result<Datum> RunOnePattern(const ScalarCall& call, const Datum& text,
                                   const std::vector<std::shared_ptr<arrow::Scalar>>& scalars,
                                   const TypePtr& type, const OnePattern& one) {
  std::vector<std::string> patterns;
  for (const auto& scalar : scalars) {
    if (!scalar->is_valid) {
      if (text.is_scalar()) {
        return Datum(arrow::MakeNullScalar(type));
      }
      ARROW_ASSIGN_OR_RAISE(auto nulls,
                            arrow::MakeArrayOfNull(type, text.length(), PoolOf(call.context)));
      return Datum(std::move(nulls));
    }
    patterns.push_back(scalar->ToString());
  }
  arrow::Result<Datum> answer = one(call, text, patterns);
  return answer.ok() ? answer : arrow::Result<Datum>(RegexError(answer.status()));
}

ScalarKernel PatternKernel(TypePtr type, OnePattern one) {
  return [type = std::move(type), one = std::move(one)](
             const ScalarCall& call, const std::vector<Datum>& values) -> arrow::Result<Datum> {
    std::vector<std::shared_ptr<arrow::Scalar>> scalars;
    for (size_t i = 1; i < values.size() && values[i].is_scalar(); ++i) {
      scalars.push_back(values[i].scalar());
    }
    if (scalars.size() + 1 == values.size()) {
      return RunOnePattern(call, values[0], scalars, type, one);
    }
    arrow::ArrayVector rows;
    for (int64_t row = 0; row < call.row_count; ++row) {
      scalars.clear();
      std::vector<Datum> cells;
      for (const Datum& value : values) {
        std::shared_ptr<arrow::Scalar> scalar = value.is_scalar() ? value.scalar() : nullptr;
        if (scalar == nullptr) {
          ARROW_ASSIGN_OR_RAISE(scalar, value.make_array()->GetScalar(row));
        }
        cells.emplace_back(scalar);
      }
      for (size_t i = 1; i < cells.size(); ++i) {
        scalars.push_back(cells[i].scalar());
      }
      ARROW_ASSIGN_OR_RAISE(const Datum answer, RunOnePattern(call, cells[0], scalars, type, one));
      ARROW_ASSIGN_OR_RAISE(auto array, DatumToArray(call.context, answer, 1));
      rows.push_back(std::move(array));
    }
    if (rows.empty()) {
      ARROW_ASSIGN_OR_RAISE(auto empty, arrow::MakeEmptyArray(type, PoolOf(call.context)));
      return Datum(std::move(empty));
    }
    ARROW_ASSIGN_OR_RAISE(auto joined, arrow::Concatenate(rows, PoolOf(call.context)));
    return Datum(std::move(joined));
  };
}

arrow::Result<Datum> MatchRegex(const ScalarCall& call, const Datum& text,
                                const std::vector<std::string>& patterns) {
  const bool ignore_case = patterns.size() > 1 && HasFlag(patterns[1], 'i');
  const arrow::compute::MatchSubstringOptions options(patterns[0], ignore_case);
  return CallArrow(call.context, "match_substring_regex", {text}, &options);
}

arrow::Result<Datum> MatchWholeRegex(const ScalarCall& call, const Datum& text,
                                     const std::vector<std::string>& patterns) {
  std::vector<std::string> whole = patterns;
  whole[0] = "\\A(?:" + patterns[0] + ")\\z";
  return MatchRegex(call, text, whole);
}

arrow::Result<Datum> ReplaceRegex(const ScalarCall& call, const Datum& text,
                                  const std::vector<std::string>& patterns) {
  const std::string flags = patterns.size() > 2 ? patterns[2] : "";
  const std::string pattern = HasFlag(flags, 'i') ? "(?i)" + patterns[0] : patterns[0];
  const arrow::compute::ReplaceSubstringOptions options(pattern, patterns[1],
                                                        HasFlag(flags, 'g') ? -1 : 1);
  return CallArrow(call.context, "replace_substring_regex", {text}, &options);
}

// Gives capture group `group` the name that Arrow's kernel asks for, and takes all others theirs;
// nothing when there is no such group.
std::optional<std::string> NameGroup(const std::string& pattern, int64_t group) {
  if (group == 0) {
    return "(?P<part>" + pattern + ")";
  }
  int64_t seen = 0;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      ++i;
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    } else if (c == '(' && !in_class && pattern.compare(i, 2, "(?") != 0 && ++seen == group) {
      return pattern.substr(0, i + 1) + "?P<part>" + pattern.substr(i + 1);
    }
  }
  return std::nullopt;
}

// Arrow names all groups or none, so the others must not capture.
std::string WithoutOtherGroups(const std::string& pattern) {
  std::string out;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    out += c;
    if (c == '\\' && i + 1 < pattern.size()) {
      out += pattern[++i];
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    } else if (c == '(' && !in_class && pattern.compare(i, 2, "(?") != 0) {
      out += "?:";
    }
  }
  return out;
}

arrow::Result<Datum> ExtractRegex(const ScalarCall& call, const Datum& text, int64_t group,
                                  const std::vector<std::string>& patterns) {
  const std::optional<std::string> named = NameGroup(patterns[0], group);
  if (!named.has_value()) {
    return DataError("the pattern \"", patterns[0], "\" has no group ", group);
  }
  const arrow::compute::ExtractRegexOptions options(WithoutOtherGroups(*named));
  ARROW_ASSIGN_OR_RAISE(const Datum found,
                        CallArrow(call.context, "extract_regex", {text}, &options));
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr array, DatumToArray(call.context, found, 1));
  ARROW_ASSIGN_OR_RAISE(
      const ArrayPtr part,
      static_cast<const arrow::StructArray&>(*array).GetFlattenedField(0, PoolOf(call.context)));
  if (text.is_scalar()) {
    ARROW_ASSIGN_OR_RAISE(auto scalar, part->GetScalar(0));
    return Datum(std::move(scalar));
  }
  return Datum(part);
}

arrow::Result<std::optional<ScalarResolution>> ResolveExtractRegex(ScalarArguments arguments) {
  int64_t group = 0;
  if (arguments.size() == 3) {
    const std::optional<int64_t> literal = LiteralInteger(arguments[2]);
    if (!literal.has_value() || *literal < 0) {
      return std::nullopt;
    }
    group = *literal;
  }
  ARROW_ASSIGN_OR_RAISE(auto resolution,
                        Overloads({{{arrow::utf8(), arrow::utf8()}, arrow::utf8(), nullptr}})(
                            arguments.first(arguments.size() == 3 ? 2 : arguments.size())));
  if (!resolution.has_value()) {
    return resolution;
  }
  const ScalarKernel kernel = PatternKernel(
      arrow::utf8(),
      [group](const ScalarCall& call, const Datum& text, const std::vector<std::string>& patterns) {
        return ExtractRegex(call, text, group, patterns);
      });
  if (arguments.size() == 3) {
    resolution->argument_types.push_back(arguments[2].type);
  }
  resolution->run = [kernel](const ScalarCall& call, const std::vector<Datum>& values) {
    return kernel(call, {values[0], values[1]});
  };
  return resolution;
}

}  // namespace

std::vector<ScalarRow> PatternRows() {
  const TypePtr text = arrow::utf8();
  const TypePtr boolean = arrow::boolean();
  const auto like = [&](Case letters) {
    return Overloads({{{text, text}, boolean, LikeKernel(letters)},
                      {{text, text, text}, boolean, LikeKernel(letters)}});
  };
  const auto regex = [&](OnePattern one) {
    const ScalarKernel kernel = PatternKernel(boolean, std::move(one));
    return Overloads({{{text, text}, boolean, kernel}, {{text, text, text}, boolean, kernel}});
  };
  const ScalarKernel replace = PatternKernel(text, ReplaceRegex);
  return {
      {"like",
       {"~~"},
       "like(VARCHAR, VARCHAR pattern[, VARCHAR escape]) -> BOOLEAN",
       "text LIKE pattern: % for any text, _ for one character, \\ escapes",
       like(Case::kRespect)},
      {"ilike",
       {"~~*"},
       "ilike(VARCHAR, VARCHAR pattern[, VARCHAR escape]) -> BOOLEAN",
       "LIKE without regard to case",
       like(Case::kIgnore)},
      {"regexp_matches",
       {"~", "regexp_like", "regexp_contains"},
       "regexp_matches(VARCHAR, VARCHAR pattern[, VARCHAR flags]) -> BOOLEAN",
       "whether the regular expression (RE2) matches a part of the text; flag i ignores case",
       regex(MatchRegex)},
      {"regexp_full_match",
       {},
       "regexp_full_match(VARCHAR, VARCHAR pattern[, VARCHAR flags]) -> BOOLEAN",
       "whether the regular expression matches the whole text",
       regex(MatchWholeRegex)},
      {"regexp_replace",
       {},
       "regexp_replace(VARCHAR, VARCHAR pattern, VARCHAR replacement[, VARCHAR flags]) -> VARCHAR",
       "the first match replaced, all with flag g; \\1 is the first group",
       Overloads({{{text, text, text}, text, replace}, {{text, text, text, text}, text, replace}})},
      {"regexp_extract",
       {},
       "regexp_extract(VARCHAR, VARCHAR pattern[, BIGINT group]) -> VARCHAR",
       "the first match, or its group; NULL without a match",
       ResolveExtractRegex},
  };
}

}  // namespace keepone
