#include "stance/io/urdf_numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace stance::io {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// Beyond these a product of a few numbers would leave the range of doubles, and no robot is meant.
constexpr double kLargest = 1e15;
constexpr double kSmallest = 1e-100;       // closer to zero is zero
constexpr double kSmallestMass = 1e-15;    // kg
constexpr double kSmallestMoment = 1e-30;  // kg m^2
constexpr double kFarAway = 1e5;           // m
constexpr double kHeavy = 1e9;             // kg
constexpr double kManyRadians = 10.0;      // nobody turns a frame further; degrees, probably

std::string quote(std::string_view text) {
  constexpr std::size_t kShown = 40;
  return text.size() <= kShown ? fmt::format("\"{}\"", text)
                               : fmt::format("\"{}...\"", text.substr(0, kShown));
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;
       at = text.find_first_not_of(kSpace, at)) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

int count_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::kPosition3:
    case Quantity::kAngle3:
    case Quantity::kDirection3:
    case Quantity::kSize3:
    case Quantity::kScale3: return 3;
    case Quantity::kColour4: return 4;
    default: return 1;
  }
}

// One value against the range of its quantity; mends what can be mended, with a warning.
void check_value(Quantity quantity, double& value, Reading& reading) {
  const double size = std::abs(value);
  const auto fail = [&](std::string what) { reading.error = std::move(what); };
  const auto warn = [&](std::string what) { reading.warning = std::move(what); };

  const bool is_limit = quantity == Quantity::kLimit || quantity == Quantity::kMagnitude;
  if (is_limit && size >= kNoLimit) {
    warn(fmt::format("{:.4g} is taken as no limit at all", value));
    value = std::copysign(kNoLimit, value);
    return;
  }
  if (size > kLargest)
    return fail(fmt::format("{:.4g} is too large to be meant; the units are m, kg, s, rad", value));
  if (size > 0.0 && size < kSmallest) {
    warn(fmt::format("{:.4g} is too small to compute with and is taken as 0", value));
    value = 0.0;
  }

  switch (quantity) {
    case Quantity::kPosition3:
      if (size > kFarAway) warn(fmt::format("{:.4g} m is far away; lengths are in metres", value));
      break;
    case Quantity::kAngle3:
      if (size > kManyRadians)
        warn(fmt::format("{:.4g} rad looks like degrees; rpy is in radians", value));
      break;
    case Quantity::kSize3:
    case Quantity::kSize:
      if (value < 0.0) return fail(fmt::format("the size {:.4g} is negative", value));
      if (value == 0.0) warn("a size of 0 makes a shape without volume");
      if (size > kFarAway) warn(fmt::format("{:.4g} m is large; lengths are in metres", value));
      break;
    case Quantity::kScale3:
      if (value == 0.0) warn("a scale of 0 makes a shape without volume");
      break;
    case Quantity::kMass:
      if (value < 0.0)
        return fail(fmt::format("the mass {:.4g} kg is negative, and no body has that", value));
      if (value > 0.0 && value < kSmallestMass) {
        warn(
            fmt::format("the mass {:.4g} kg is too small to compute with; the link is taken as "
                        "massless",
                        value));
        value = 0.0;
      } else if (value == 0.0 && reading.warning.empty()) {
        warn("the mass is 0: the link is taken as massless (leave <inertial> out to say so)");
      } else if (value > kHeavy) {
        warn(fmt::format("{:.4g} kg is heavy; masses are in kilograms", value));
      }
      break;
    case Quantity::kMoment:
    case Quantity::kProduct:
      if (value != 0.0 && size < kSmallestMoment) value = 0.0;
      break;
    case Quantity::kMagnitude:
      if (value < 0.0) {
        warn(fmt::format("the limit {:.4g} is negative and is taken as no limit at all", value));
        value = kNoLimit;
      }
      break;
    case Quantity::kLoss:
      if (value < 0.0)
        return fail(fmt::format("{:.4g} is negative, which would create energy", value));
      break;
    case Quantity::kColour4:
      if (value < 0.0 || value > 1.0) {
        warn(fmt::format("the colour value {:.4g} is not between 0 and 1", value));
        value = std::clamp(value, 0.0, 1.0);
      }
      break;
    case Quantity::kDirection3:
    case Quantity::kLimit:
    case Quantity::kFactor: break;
  }
}

}  // namespace

double read_number(std::string_view text, std::string& error) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0.0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = !digits.empty() && end == digits.data() + digits.size() &&
                     !(text.starts_with('+') && digits.starts_with('-'));
  if (code == std::errc::result_out_of_range && whole) {
    error = fmt::format("{} is too large or too small for a computer's number", quote(text));
  } else if (code != std::errc() || !whole) {
    if (text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos)
      error = fmt::format(
          "{} is an expression that xacro was to fill in; expand the file first: "
          "xacro robot.urdf.xacro > robot.urdf",
          quote(text));
    else if (text.find(',') != std::string_view::npos)
      error = fmt::format(
          "{} is not a number; decimals are written with a point (0.5) and numbers "
          "are separated by spaces",
          quote(text));
    else
      error = fmt::format("{} is not a number", quote(text));
  } else if (!std::isfinite(value)) {
    error = fmt::format("{} is not a finite number", quote(text));
  }
  return error.empty() ? value : 0.0;
}

Reading read_quantity(Quantity quantity, std::string_view text) {
  Reading reading;
  reading.count = count_of(quantity);
  const std::vector<std::string_view> words = split(text);
  for (std::size_t k = 0; k < words.size() && reading.error.empty(); ++k) {
    const double value = read_number(words[k], reading.error);
    if (static_cast<int>(k) < reading.count) reading.value[k] = value;
  }
  if (!reading.error.empty()) return reading;
  if (static_cast<int>(words.size()) != reading.count) {
    const bool one = reading.count == 1;
    if (words.empty())
      reading.error = one ? "the number is missing" : "the numbers are missing";
    else if (one)
      reading.error = fmt::format("needs one number, but has {}", words.size());
    else
      reading.error = fmt::format("needs {} numbers, separated by spaces, but has {}",
                                  reading.count, words.size());
    return reading;
  }
  for (int k = 0; k < reading.count && reading.error.empty(); ++k)
    check_value(quantity, reading.value[k], reading);
  return reading;
}

std::string write_numbers(const Reading& reading) {
  return fmt::format("{}",
                     fmt::join(reading.value.begin(), reading.value.begin() + reading.count, " "));
}

}  // namespace stance::io
