#include "stance/haptics/recorded.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::haptics {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t comma = line.find(',');
    out.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    line.remove_prefix(comma + 1);
  }
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

}  // namespace

RecordedDevice::RecordedDevice(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw Error(
        fmt::format("{}: cannot be read; a device is 'haply', 'spacemouse', 'emulator' or "
                    "the CSV file of a trajectory",
                    file));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  parse(text, file);
}

RecordedDevice::RecordedDevice(std::string_view text, const std::string& name) {
  parse(text, name);
}

void RecordedDevice::parse(std::string_view text, const std::string& name) {
  facts_.name = "recorded";
  int line_number = 0, columns = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++line_number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> words = split(line);
    const auto fail = [&](const std::string& what) {
      throw Error(fmt::format("{}:{}: {}", name, line_number, what));
    };
    if (columns == 0) {
      columns = static_cast<int>(words.size());
      const std::vector<std::string_view> wanted = {"time", "x", "y", "z", "button"};
      if (columns < 4 || columns > 5 || !std::equal(words.begin(), words.end(), wanted.begin()))
        fail("the first line must be time,x,y,z or time,x,y,z,button");
      continue;
    }
    if (static_cast<int>(words.size()) != columns)
      fail(fmt::format("{} values, where the first line names {}", words.size(), columns));
    double values[5] = {};
    for (int k = 0; k < columns; ++k) {
      const std::optional<double> value = parse_number(words[k]);
      if (!value) fail(fmt::format("'{}' is no finite number", words[k]));
      values[k] = value.value_or(0.0);
    }
    if (!rows_.empty() && !(values[0] > rows_.back().time))
      fail(fmt::format("the time {} is not after the one before", values[0]));
    rows_.push_back({values[0], {values[1], values[2], values[3]}, values[4] != 0.0});
  }
  if (rows_.empty()) throw Error(name + ": has no line with numbers");
  for (const Row& row : rows_) facts_.workspace = std::max(facts_.workspace, norm(row.position));
}

Reading RecordedDevice::read(double now, DeviceSample& sample) {
  if (!has_begun_) began_ = now, has_begun_ = true;
  const double time = now - began_;
  while (row_ + 1 < rows_.size() && rows_[row_ + 1].time <= time) ++row_;
  const Row& row = rows_[row_];
  sample = {};
  sample.position = row.position, sample.buttons = row.buttons;
  if (row_ + 1 < rows_.size() && time > row.time) {
    const Row& next = rows_[row_ + 1];
    sample.velocity = (1.0 / (next.time - row.time)) * (next.position - row.position);
    sample.position += (time - row.time) * sample.velocity;
  }
  sample.applied = number_;
  return Reading::kFresh;
}

void RecordedDevice::write(double, const DeviceForce& force) { number_ = force.number; }

}  // namespace stance::haptics
