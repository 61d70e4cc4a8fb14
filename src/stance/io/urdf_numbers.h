#pragma once

// Numbers as people write them into robot descriptions: every one must be finite, of the right
// count, without junk behind it, and in a range that the dynamics can compute with.

#include <array>
#include <string>
#include <string_view>

namespace stance::io {

// What an attribute's numbers mean, which decides how many there are and what is plausible.
enum class Quantity {
  kPosition3,   // xyz of an origin, m
  kAngle3,      // rpy, rad
  kDirection3,  // axis, any length
  kSize3,       // edges of a box, m
  kSize,        // radius, length, m
  kScale3,      // of a mesh
  kMass,        // kg
  kMoment,      // ixx, iyy, izz, kg m^2
  kProduct,     // ixy, ixz, iyz, kg m^2
  kLimit,       // lower, upper, rad or m; beyond kNoLimit there is none
  kMagnitude,   // effort, velocity; beyond kNoLimit, or negative, there is none
  kLoss,        // damping, friction, rotor inertia: never negative
  kFactor,      // multiplier, offset of a mimic
  kColour4,     // rgba, 0 to 1
};

// A limit at or above this is no limit: other programs write 1e16 or 1.8e308 for "none".
inline constexpr double kNoLimit = 1e12;

struct Reading {
  int count = 0;                  // how many numbers belong to the quantity
  std::array<double, 4> value{};  // the first `count`; sane even where there is a warning
  std::string error;              // a sentence, empty when the numbers can be used
  std::string warning;            // a sentence, empty when there is nothing to say
};

Reading read_quantity(Quantity quantity, std::string_view text);

// One number without units or junk; the error is a sentence about the text.
double read_number(std::string_view text, std::string& error);

// The numbers as text that any reader turns back into the same bits.
std::string write_numbers(const Reading& reading);

}  // namespace stance::io
