#include <limits>

#include <gtest/gtest.h>

#include "stance/io/urdf_numbers.h"
#include "stance/io/xml_text.h"
#include "stance/kernel/names.h"

namespace stance::io {
namespace {

double read(const std::string& text) {
  std::string error;
  const double value = read_number(text, error);
  EXPECT_EQ(error, "") << text;
  return value;
}

TEST(Numbers, AreReadToTheLastBit) {
  EXPECT_EQ(read("0.1"), 0.1);
  EXPECT_EQ(read("+1.5"), 1.5);
  EXPECT_EQ(read("-2.5E-3"), -2.5e-3);
  EXPECT_EQ(read(".5"), 0.5);
  EXPECT_EQ(read("5."), 5.0);
  EXPECT_EQ(read("1.7976931348623157e308"), std::numeric_limits<double>::max());
}

TEST(Numbers, WithAnythingElseAreRefused) {
  for (const std::string text :
       {"",    "+",   "-",   "abc", "1a",   "1e",     "1e+",   "0x10",  "1,5", "1..2",
        "--1", "+-1", "nan", "inf", "-INF", "NaN(1)", "1e999", "1_000", "1 2", "½"}) {
    std::string error;
    EXPECT_EQ(read_number(text, error), 0.0) << text;
    EXPECT_NE(error, "") << text;
  }
}

TEST(Numbers, SurviveWriting) {
  for (const double x : {0.1, 1.0 / 3.0, 1e-17, -123456.789e10, 0.0}) {
    Reading reading;
    reading.count = 1;
    reading.value[0] = x;
    EXPECT_EQ(read(write_numbers(reading)), x);
  }
}

TEST(Numbers, MayBeSeparatedByAnySpace) {
  const Reading reading = read_quantity(Quantity::kPosition3, "\n 1\t2 \r\n3 ");
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.value[0], 1.0);
  EXPECT_EQ(reading.value[1], 2.0);
  EXPECT_EQ(reading.value[2], 3.0);
}

TEST(Numbers, BeyondComputingAreMendedOrRefused) {
  EXPECT_EQ(read_quantity(Quantity::kMass, "1e-200").value[0], 0.0);
  EXPECT_NE(read_quantity(Quantity::kMass, "1e-200").warning, "");
  EXPECT_NE(read_quantity(Quantity::kMass, "1e100").error, "");
  EXPECT_EQ(read_quantity(Quantity::kLimit, "-1e300").value[0], -kNoLimit);
  EXPECT_EQ(read_quantity(Quantity::kMagnitude, "-1").value[0], kNoLimit);
}

TEST(NearestName, FindsSlipsOfTheFinger) {
  const std::vector<std::string_view> names = {"inertial", "visual", "collision"};
  EXPECT_EQ(kernel::find_nearest_name("inertal", names), "inertial");
  EXPECT_EQ(kernel::find_nearest_name("Visual", names), "visual");
  EXPECT_EQ(kernel::find_nearest_name("colision", names), "collision");
  EXPECT_EQ(kernel::find_nearest_name("viusal", names), "visual");
  EXPECT_EQ(kernel::find_nearest_name("wheel", names), "");
  EXPECT_EQ(kernel::find_nearest_name("", names), "");
}

TEST(XmlText, IsMadePrintable) {
  EXPECT_EQ(make_printable("a\tb\nc\x1b[31m"), "a b c [31m");
  EXPECT_EQ(make_printable("é\xC3"), "é?");
  EXPECT_TRUE(is_clean_utf8("手 и é"));
  EXPECT_FALSE(is_clean_utf8("\xED\xA0\x80"));  // a surrogate
  EXPECT_FALSE(is_clean_utf8("\xC0\xAF"));      // an overlong slash
}

}  // namespace
}  // namespace stance::io
