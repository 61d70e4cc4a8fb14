#include "stance/cli/arguments.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::cli {
namespace {

template <class T>
bool parse(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

CLI::Validator make_number(double low, double high, bool is_above) {
  const std::string wanted = fmt::format("{} {:g}{}", is_above ? "above" : "from", low,
                                         std::isinf(high) ? "" : fmt::format(" to {:g}", high));
  return CLI::Validator(
      [=](std::string& text) {
        double value = 0.0;
        const bool is_fine = parse(text, value) && std::isfinite(value) &&
                             (is_above ? value > low : value >= low) && value <= high;
        return is_fine ? std::string() : fmt::format("'{}' is not a number {}", text, wanted);
      },
      "");
}

}  // namespace

CLI::Validator number_in(double low, double high) { return make_number(low, high, false); }
CLI::Validator number_above(double low, double high) { return make_number(low, high, true); }

CLI::Validator whole_number_in(std::int64_t low, std::int64_t high) {
  return CLI::Validator(
      [=](std::string& text) {
        std::int64_t value = 0;
        return parse(text, value) && value >= low && value <= high
                   ? std::string()
                   : fmt::format("'{}' is not a whole number from {} to {}", text, low, high);
      },
      "");
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) { return text.empty() ? std::string("it is empty") : std::string(); },
      "");
}

void check_target(const std::string& file, Target target) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_status status = fs::status(file, code);
  if (fs::is_directory(status)) throw Error({file}, "this is a folder; name a file");
  if (target == Target::kNewFile && fs::exists(status) && !fs::is_regular_file(status))
    throw Error({file}, "this is a device or pipe; name a file");
  const fs::path parent = fs::path(file).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(folder, code))
    throw Error({file}, fmt::format("there is no folder {} to write it to", folder));
  if (access(fs::exists(status) ? file.c_str() : folder.c_str(), W_OK) != 0)
    throw Error({file}, fmt::format("it cannot be written: {}", std::strerror(errno)));
}

}  // namespace stance::cli
