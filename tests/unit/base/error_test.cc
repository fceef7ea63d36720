// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <gtest/gtest.h>

namespace keepone {
namespace {

TEST(Error, ShowsThePlaceAndTheHint) {
  const arrow::Status status = WithHint(
      BindError({7, 5}, "column \"", "prise", "\" does not exist"), "t has a column \"price\"");
  EXPECT_EQ(FormatError(status, "SELECT prise FROM t"),
            "bind error: column \"prise\" does not exist\n"
            "  SELECT prise FROM t\n"
            "         ^^^^^\n"
            "hint: t has a column \"price\"");
}

TEST(Error, CaretsStandUnderCodePointsOfTheRightLine) {
  const std::string statement = "SELECT 1,\n 'é', x\nFROM t";
  const auto offset = static_cast<int64_t>(statement.find('x'));
  EXPECT_EQ(FormatError(BindError({offset, 1}, "no"), statement),
            "bind error: no\n   'é', x\n        ^");
}

TEST(Error, ASpanPastTheEndPointsBehindTheStatement) {
  EXPECT_EQ(FormatError(SyntaxError({100, 5}, "unexpected end"), "SELECT"),
            "syntax error: unexpected end\n  SELECT\n        ^");
}

TEST(Error, KindOfAnArrowStatusComesFromItsCode) {
  EXPECT_EQ(GetErrorKind(arrow::Status::IOError("x")), ErrorKind::kData);
  EXPECT_EQ(GetErrorKind(arrow::Status::OutOfMemory("x")), ErrorKind::kResource);
  EXPECT_EQ(GetErrorDetail(arrow::Status::IOError("x")), nullptr);
}

TEST(Error, NearestName) {
  EXPECT_EQ(NearestName("prise", {"sku", "Price", "ts"}), "Price");
  EXPECT_EQ(NearestName("zzzzzz", {"sku", "price"}), "");
}

}  // namespace
}  // namespace keepone
