#include "stance/io/scene_expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "stance/kernel/error.h"
#include "stance/kernel/names.h"

namespace stance::io {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kDeepest = 100;           // parentheses and signs within each other
constexpr std::size_t kLongest = 4096;  // characters
constexpr FunctionRule kFunctions[] = {
    {"deg", 1, "an angle in degrees, as radians"},
    {"sin", 1, "of radians"},
    {"cos", 1, "of radians"},
    {"tan", 1, "of radians"},
    {"asin", 1, "in radians"},
    {"acos", 1, "in radians"},
    {"atan", 1, "in radians"},
    {"atan2", 2, "angle of (x, y), written atan2(y, x)"},
    {"sqrt", 1, "square root"},
    {"exp", 1, "e to the power"},
    {"log", 1, "natural logarithm"},
    {"abs", 1, "without its sign"},
    {"floor", 1, "the next integer below"},
    {"mod", 2, "what is left of the first after division by the second"},
    {"min", 2, "the smaller"},
    {"max", 2, "the larger"},
    {"random", 2, "drawn between the two, from the scene's seed"},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string suggest(std::string_view name, const Scope& scope) {
  std::vector<std::string_view> known;
  for (const auto& [key, value] : scope.variables) known.push_back(key);
  for (const auto& [key, value] : scope.locals) known.push_back(key);
  for (const FunctionRule& rule : kFunctions) known.push_back(rule.name);
  const std::string_view nearest = kernel::find_nearest_name(name, known);
  return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

class Reader {
 public:
  Reader(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

  double read() {
    if (text_.size() > kLongest) throw Error("the expression is too long");
    const double value = read_sum();
    skip();
    if (at_ < text_.size()) fail_at_rest();
    if (!std::isfinite(value)) throw Error(fmt::format("'{}' is not a finite number", text_));
    return value;
  }

 private:
  double read_sum() {
    const Depth depth(*this);
    double value = read_product();
    for (;;) {
      if (take('+'))
        value += read_product();
      else if (take('-'))
        value -= read_product();
      else
        return value;
    }
  }

  double read_product() {
    double value = read_signed();
    for (;;) {
      if (take('*')) {
        value *= read_signed();
      } else if (take('/')) {
        const double divisor = read_signed();
        if (divisor == 0.0) throw Error(fmt::format("'{}' divides by zero", text_));
        value /= divisor;
      } else {
        return value;
      }
    }
  }

  double read_signed() {
    const Depth depth(*this);
    if (take('-')) return -read_signed();
    if (take('+')) return read_signed();
    const double value = read_primary();
    return take('^') ? std::pow(value, read_signed()) : value;
  }

  double read_primary() {
    skip();
    if (at_ == text_.size()) throw Error(fmt::format("'{}' ends too early", text_));
    if (take('(')) {
      const double value = read_sum();
      demand(')');
      return value;
    }
    if (text_.substr(at_, 2) == "${") {
      at_ += 2;
      const std::string_view name = read_word();
      demand('}');
      return find(name);
    }
    if (is_digit(text_[at_]) || text_[at_] == '.') return read_number();
    if (is_letter(text_[at_])) {
      const std::string_view name = read_word();
      return take('(') ? call(name) : find(name);
    }
    fail_at_rest();
  }

  double read_number() {
    if (text_.substr(at_, 4) == ".inf" || text_.substr(at_, 4) == ".nan" ||
        text_.substr(at_, 4) == ".Inf" || text_.substr(at_, 4) == ".NaN")
      throw Error(fmt::format("'{}' is not a finite number", text_));
    const std::size_t start = at_;
    double value = 0.0;
    const auto [end, code] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (code == std::errc::result_out_of_range)
      throw Error(fmt::format("'{}' is too large or too small for a number", text_));
    if (code != std::errc()) throw Error(fmt::format("'{}' is not a number", text_));
    at_ = end - text_.data();
    if (text_[start] == '0' && at_ > start + 1 && is_digit(text_[start + 1]))
      throw Error(fmt::format("'{}' begins with a zero; write it without, numbers are decimal",
                              text_.substr(start, at_ - start)));
    // "2 kg", "1_000", "0x10", "1:30"
    if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == ':')) fail_after_number();
    const std::size_t next = text_.find_first_not_of(' ', at_);
    if (next != std::string_view::npos && is_letter(text_[next])) fail_after_number();
    return value;
  }

  [[noreturn]] void fail_after_number() const {
    throw Error(
        fmt::format("'{}' has something after the number; write plain numbers, without "
                    "units (they are SI) and with '*' between factors",
                    text_));
  }
  [[noreturn]] void fail_at_rest() const {
    throw Error(fmt::format("'{}' is not a number, nor an expression: '{}' cannot stand there",
                            text_, text_.substr(at_, 1)));
  }

  std::string_view read_word() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return text_.substr(start, at_ - start);
  }

  double find(std::string_view name) const {
    if (name == "pi") return kPi;
    if (const auto it = scope_.locals.find(name); it != scope_.locals.end()) return it->second;
    const auto it = scope_.variables.find(name);
    if (it == scope_.variables.end()) fail_unknown(name);
    if (const double* value = std::get_if<double>(&it->second)) return *value;
    throw Error(fmt::format("the variable '{}' is text ('{}'), a number is needed here", name,
                            std::get<std::string>(it->second)));
  }

  [[noreturn]] void fail_unknown(std::string_view name) const {
    if (name == "inf" || name == "nan" || name == "NaN" || name == "Infinity")
      throw Error(fmt::format("'{}' is not a finite number", text_));
    if (name == "true" || name == "false" || name == "yes" || name == "no")
      throw Error(fmt::format("a number is needed here, not '{}'", name));
    if (text_ == name)
      throw Error(fmt::format("'{}' is not a number, and there is no variable of that name{}", name,
                              suggest(name, scope_)));
    throw Error(fmt::format("there is no variable '{}'{}", name, suggest(name, scope_)));
  }

  double call(std::string_view name) {
    const auto* rule = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                    [&](const FunctionRule& r) { return r.name == name; });
    if (rule == std::end(kFunctions))
      throw Error(fmt::format("there is no function '{}'{}", name, suggest(name, scope_)));
    double a[2] = {0.0, 0.0};
    for (int k = 0; k < rule->arguments; ++k) {
      if (k > 0) demand(',');
      a[k] = read_sum();
    }
    demand(')');
    return apply(name, a[0], a[1]);
  }

  double apply(std::string_view name, double a, double b) const {
    if (name == "deg") return a * (kPi / 180.0);
    if (name == "sin") return std::sin(a);
    if (name == "cos") return std::cos(a);
    if (name == "tan") return std::tan(a);
    if (name == "asin") return std::asin(a);
    if (name == "acos") return std::acos(a);
    if (name == "atan") return std::atan(a);
    if (name == "atan2") return std::atan2(a, b);
    if (name == "sqrt") return std::sqrt(a);
    if (name == "exp") return std::exp(a);
    if (name == "log") return std::log(a);
    if (name == "abs") return std::abs(a);
    if (name == "floor") return std::floor(a);
    if (name == "mod") return a - b * std::floor(a / b);
    if (name == "min") return std::min(a, b);
    if (name == "max") return std::max(a, b);
    if (!scope_.random) throw Error("random() cannot stand here");
    return scope_.random->uniform(a, b);
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void demand(char c) {
    if (!take(c)) throw Error(fmt::format("'{}' lacks a '{}'", text_, c));
  }

  struct Depth {
    explicit Depth(Reader& owner) : reader(owner) {
      if (++reader.depth_ > kDeepest) throw Error("the expression is nested too deeply");
    }
    ~Depth() { --reader.depth_; }
    Reader& reader;
  };

  std::string_view text_;
  const Scope& scope_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double evaluate(std::string_view text, const Scope& scope) { return Reader(text, scope).read(); }

std::string substitute(std::string_view text, const Scope& scope) {
  std::string out;
  for (;;) {
    const std::size_t start = text.find("${");
    out += text.substr(0, start);
    if (start == std::string_view::npos) return out;
    const std::size_t end = text.find('}', start);
    if (end == std::string_view::npos) throw Error("a '${' is not closed by '}'");
    const std::string_view name = text.substr(start + 2, end - start - 2);
    text.remove_prefix(end + 1);
    if (const auto local = scope.locals.find(name); local != scope.locals.end()) {
      out += fmt::format("{}", local->second);
      continue;
    }
    const auto it = scope.variables.find(name);
    if (it == scope.variables.end())
      throw Error(fmt::format("there is no variable '{}'{}", name, suggest(name, scope)));
    if (const double* value = std::get_if<double>(&it->second))
      out += fmt::format("{}", *value);
    else
      out += std::get<std::string>(it->second);
  }
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || !is_letter(name[0])) return false;
  if (!std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); }))
    return false;
  for (const std::string_view word : {"pi", "i", "x", "y", "inf", "nan", "true", "false"})
    if (name == word) return false;
  return std::none_of(std::begin(kFunctions), std::end(kFunctions),
                      [&](const FunctionRule& rule) { return rule.name == name; });
}

std::span<const FunctionRule> scene_functions() { return kFunctions; }

}  // namespace stance::io
