// Numbers that are worked out.

#include "stance/io/scene_expression.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stance/kernel/error.h"

namespace stance::io {
namespace {

Scope make_scope() {
  Scope scope;
  scope.variables["radius"] = 0.5;
  scope.variables["mass_1"] = 3.0;
  scope.variables["model"] = std::string("humanoid");
  scope.locals["i"] = 4.0;
  return scope;
}

double eval(const std::string& text) { return evaluate(text, make_scope()); }

std::string complain(const std::string& text) {
  try {
    const double value = eval(text);
    return "it is " + std::to_string(value);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Expression, IsArithmetic) {
  EXPECT_EQ(eval("2"), 2.0);
  EXPECT_EQ(eval(" -1.5e-3 "), -1.5e-3);
  EXPECT_EQ(eval("1 + 2 * 3"), 7.0);
  EXPECT_EQ(eval("(1 + 2) * 3"), 9.0);
  EXPECT_EQ(eval("8 / 2 / 2"), 2.0);
  EXPECT_EQ(eval("7 - 2 - 1"), 4.0);
  EXPECT_EQ(eval("2 ^ 3 ^ 2"), 512.0);
  EXPECT_EQ(eval("-2 ^ 2"), -4.0);
  EXPECT_EQ(eval("2 * -3"), -6.0);
  EXPECT_EQ(eval("2^-1"), 0.5);
  EXPECT_EQ(eval(".5"), 0.5);
  EXPECT_EQ(eval("+3"), 3.0);
}

TEST(Expression, KnowsVariablesAndFunctions) {
  EXPECT_EQ(eval("2 * radius"), 1.0);
  EXPECT_EQ(eval("${radius} * ${mass_1}"), 1.5);
  EXPECT_EQ(eval("0.1 * i"), 0.4);
  EXPECT_DOUBLE_EQ(eval("deg(180)"), M_PI);
  EXPECT_DOUBLE_EQ(eval("sin(pi / 6)"), 0.5);
  EXPECT_DOUBLE_EQ(eval("atan2(1, 1)"), M_PI / 4);
  EXPECT_EQ(eval("max(min(3, 2), 1)"), 2.0);
  EXPECT_EQ(eval("mod(7, 3)"), 1.0);
  EXPECT_EQ(eval("mod(-1, 3)"), 2.0);
  EXPECT_EQ(eval("floor(2.7) + abs(-2)"), 4.0);
  EXPECT_DOUBLE_EQ(eval("sqrt(2)^2"), 2.0);
  EXPECT_DOUBLE_EQ(eval("log(exp(2))"), 2.0);
}

TEST(Expression, DrawsFromTheSeed) {
  kernel::Random first(7), second(7);
  Scope scope;
  scope.random = &first;
  const double a = evaluate("random(2, 3)", scope);
  EXPECT_GE(a, 2.0);
  EXPECT_LT(a, 3.0);
  EXPECT_NE(evaluate("random(2, 3)", scope), a);
  scope.random = &second;
  EXPECT_EQ(evaluate("random(2, 3)", scope), a);
}

TEST(Expression, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "ends too early"},
      {"2 *", "ends too early"},
      {"(1 + 2", "lacks a ')'"},
      {"1 + 2)", "')' cannot stand there"},
      {"2 kg", "without units"},
      {"2kg", "without units"},
      {"1_000", "without units"},
      {"0x10", "without units"},
      {"1:30", "without units"},
      {"010", "begins with a zero"},
      {"1,5", "',' cannot stand there"},
      {".inf", "not a finite number"},
      {"-.inf", "not a finite number"},
      {".nan", "not a finite number"},
      {"nan", "not a finite number"},
      {"inf", "not a finite number"},
      {"1e999", "too large"},
      {"1 / 0", "divides by zero"},
      {"sqrt(-1)", "not a finite number"},
      {"10^400", "not a finite number"},
      {"radios", "did you mean 'radius'?"},
      {"2 * radios", "there is no variable 'radios', did you mean 'radius'?"},
      {"sine(2)", "there is no function 'sine', did you mean 'sin'?"},
      {"max(1)", "lacks a ','"},
      {"sin(1, 2)", "lacks a ')'"},
      {"model * 2", "is text ('humanoid')"},
      {"true", "a number is needed here"},
      {"${radius", "lacks a '}'"},
      {"2 $ 3", "'$' cannot stand there"},
      {"random(1, 2)", "cannot stand here"},
  };
  for (const auto& [text, part] : kCases)
    EXPECT_NE(complain(text).find(part), std::string::npos) << text << ": " << complain(text);
}

TEST(Expression, DepthAndLengthHaveLimits) {
  EXPECT_NE(complain(std::string(5000, '(')).find("too long"), std::string::npos);
  EXPECT_NE(complain(std::string(2000, '(')).find("too deeply"), std::string::npos);
  EXPECT_NE(complain(std::string(2000, '-') + "1").find("too deeply"), std::string::npos);
  std::string deep = "1";
  for (int k = 0; k < 40; ++k) deep = "(" + deep + ")";
  EXPECT_EQ(eval(deep), 1.0);
}

TEST(Expression, TextsHaveVariablesToo) {
  const Scope scope = make_scope();
  EXPECT_EQ(substitute("robots/${model}.urdf", scope), "robots/humanoid.urdf");
  EXPECT_EQ(substitute("r${radius}_${i}", scope), "r0.5_4");
  EXPECT_EQ(substitute("nothing", scope), "nothing");
  EXPECT_THROW(substitute("${modell}", scope), Error);
  EXPECT_THROW(substitute("${model", scope), Error);
}

TEST(Expression, NamesOfVariablesAreOurs) {
  for (const char* name : {"a", "mass_1", "_x", "Radius"}) EXPECT_TRUE(is_variable_name(name));
  for (const char* name : {"", "1a", "a-b", "pi", "i", "x", "sin", "a b", "nan"})
    EXPECT_FALSE(is_variable_name(name)) << name;
}

}  // namespace
}  // namespace stance::io
