// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/unit/function/apply_function.h"

namespace keepone {
namespace {

TEST(Text, CountsCodePoints) {
  const auto texts = Column(arrow::utf8(), R"(["aéx", "", null])");
  EXPECT_EQ(Apply("length", {texts}), "3 | 0 | NULL");
  EXPECT_EQ(Apply("octet_length", {texts}), "4 | 0 | NULL");
  EXPECT_EQ(Apply("upper", {texts}), "AÉX |  | NULL");
  EXPECT_EQ(Apply("reverse", {texts}), "xéa |  | NULL");
  EXPECT_EQ(Apply("substring", {texts, Number(2)}), "éx |  | NULL");
  EXPECT_EQ(Apply("substring", {texts, Number(2), Number(1)}), "é |  | NULL");
  EXPECT_EQ(Apply("substring", {Text("hello"), Number(0), Number(2)}), "h");
  EXPECT_EQ(Apply("left", {Text("hello"), Number(-2)}), "hel");
  EXPECT_EQ(Apply("right", {Text("hello"), Number(2)}), "lo");
  EXPECT_EQ(Apply("strpos", {Text("aéx"), Text("x")}), "3");
  EXPECT_EQ(Apply("position", {Text("x"), Text("aéx")}), "3");
}

TEST(Text, Edits) {
  EXPECT_EQ(Apply("trim", {Text("  a b ")}), "a b");
  EXPECT_EQ(Apply("ltrim", {Text("xxa"), Text("x")}), "a");
  EXPECT_EQ(Apply("lpad", {Text("ab"), Number(5), Text("xy")}), "xyxab");
  EXPECT_EQ(Apply("rpad", {Text("abc"), Number(2)}), "ab");
  EXPECT_EQ(Apply("repeat", {Text("ab"), Number(3)}), "ababab");
  EXPECT_EQ(Apply("repeat", {Text("ab"), Number(int64_t{1} << 40)}),
            "data error: a text of 2199023255552 bytes is longer than 1 GiB");
  EXPECT_EQ(Apply("replace", {Text("aXbX"), Text("X"), Text("--")}), "a--b--");
  EXPECT_EQ(Apply("split_part", {Text("a,b,c"), Text(","), Number(2)}), "b");
  EXPECT_EQ(Apply("split_part", {Text("a,b,c"), Text(","), Number(-1)}), "c");
  EXPECT_EQ(Apply("concat", {Column(arrow::utf8(), R"(["a", null])"), Number(1)}), "a1 | NULL");
  EXPECT_EQ(Apply("concat_ws", {Text("-"), Column(arrow::utf8(), R"(["a", null])"), Text("c")}),
            "a-c | c");
  EXPECT_EQ(Apply("translate", {Text("abc"), Text("ac"), Text("x")}), "xb");
  EXPECT_EQ(Apply("starts_with", {Text("abc"), Text("ab")}), "true");
  EXPECT_EQ(Apply("ends_with", {Text("abc"), Text("ab")}), "false");
  EXPECT_EQ(Apply("contains", {Text("abc"), Text("bc")}), "true");
  EXPECT_EQ(Apply("chr", {Number(233)}), "é");
  EXPECT_EQ(Apply("ascii", {Text("é")}), "233");
}

TEST(Pattern, Like) {
  const auto texts = Column(arrow::utf8(), R"(["abc", "a%c", "éb", null])");
  EXPECT_EQ(Apply("like", {texts, Text("a_c")}), "true | true | false | NULL");
  EXPECT_EQ(Apply("like", {texts, Text("a\\%c")}), "false | true | false | NULL");
  EXPECT_EQ(Apply("like", {texts, Text("a!%c"), Text("!")}), "false | true | false | NULL");
  EXPECT_EQ(Apply("like", {texts, Text("_b")}), "false | false | true | NULL");
  EXPECT_EQ(Apply("ilike", {texts, Text("A%")}), "true | true | false | NULL");
  EXPECT_EQ(Apply("like", {texts, Null()}), "NULL | NULL | NULL | NULL");
  EXPECT_EQ(Apply("like", {texts, Column(arrow::utf8(), R"(["%c", "a_", "_b", "x"])")}),
            "true | false | true | NULL");
  EXPECT_EQ(Apply("like", {Text("a"), Text("a!"), Text("!")}),
            "data error: a LIKE pattern must not end with its escape character");
}

TEST(Pattern, RegularExpressions) {
  EXPECT_EQ(Apply("regexp_matches", {Column(arrow::utf8(), R"(["abc", "xyz", null])"), Text("b.")}),
            "true | false | NULL");
  EXPECT_EQ(Apply("regexp_full_match", {Text("abc"), Text("b.")}), "false");
  EXPECT_EQ(Apply("regexp_replace", {Text("aaa"), Text("a"), Text("b")}), "baa");
  EXPECT_EQ(Apply("regexp_replace", {Text("aaa"), Text("a"), Text("b"), Text("g")}), "bbb");
  EXPECT_EQ(Apply("regexp_extract", {Text("ab12"), Text("([a-z]+)([0-9]+)"), Number(2)}), "12");
  EXPECT_EQ(Apply("regexp_extract", {Text("ab12"), Text("[0-9]+")}), "12");
  EXPECT_EQ(Apply("~", {Text("a"), Text("(")}),
            "data error: Invalid regular expression: missing ): (");
}

TEST(Text, NamesWhatItTakes) {
  EXPECT_EQ(
      Apply("upper", {Number(1)}),
      "bind error: no function \"upper\" takes (BIGINT)\nhint: it is upper(VARCHAR) -> VARCHAR");
  EXPECT_EQ(Apply("uper", {Number(1)}),
            "bind error: function \"uper\" does not exist\nhint: the nearest function is upper");
  EXPECT_EQ(Apply("upper", {Null()}), "NULL");
}

}  // namespace
}  // namespace keepone
