#pragma once

// Values that are worked out: "2 * radius", "deg(20)", "robots/${model}.urdf".

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "stance/kernel/random.h"

namespace stance::io {

// What names stand for.
struct Scope {
  std::map<std::string, std::variant<double, std::string>, std::less<>> variables;
  std::map<std::string, double, std::less<>> locals;  // i of copies, x and y of a height field
  kernel::Random* random = nullptr;                   // of random(low, high)
};

// The value of an expression: numbers, + - * / ^, parentheses, pi, variables (name or ${name}) and
// the functions of the list below. Throws stance::Error (without a place) that says what is wrong;
// what comes back is finite.
double evaluate(std::string_view text, const Scope& scope);

// The text with every ${name} replaced by the variable's value.
std::string substitute(std::string_view text, const Scope& scope);

// True for a word that can name a variable: letters, digits, _, and none of ours.
bool is_variable_name(std::string_view name);

// Functions, as documented: "abs(x)", ...
struct FunctionRule {
  std::string_view name;
  int arguments = 1;
  std::string_view about;
};
std::span<const FunctionRule> scene_functions();

}  // namespace stance::io
