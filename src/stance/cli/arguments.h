#pragma once

// What the words of a command line must be, told in a sentence where they are not. CLI11's own
// checks let NaN pass and write bounds out with hundreds of digits.

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

namespace stance::cli {

inline constexpr std::int64_t kMostSeed = 9007199254740992;  // as in a scene: 2^53

// A finite number from low to high; or above low.
CLI::Validator number_in(double low, double high);
CLI::Validator number_above(double low, double high);

// A whole number from low to high.
CLI::Validator whole_number_in(std::int64_t low, std::int64_t high);

// A word that is there: an empty one is a variable of a script that was never set.
CLI::Validator not_empty();

// Throws stance::Error where a file of this name could not be written: before the work, not after.
// What is finished under another name and then takes this one must not be a device: it would take
// the place of /dev/null.
enum class Target { kNewFile, kFileOrDevice };
void check_target(const std::string& file, Target target = Target::kNewFile);

}  // namespace stance::cli
