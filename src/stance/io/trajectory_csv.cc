#include "stance/io/trajectory_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::io {
namespace {

struct Cell {
  std::string_view text;
  int column = 1;  // where it begins, from 1
};

std::vector<Cell> split(std::string_view line) {
  std::vector<Cell> cells;
  std::size_t from = 0;
  while (true) {
    const std::size_t end = std::min(line.find(',', from), line.size());
    std::size_t first = from, last = end;
    while (first < last && (line[first] == ' ' || line[first] == '\t')) ++first;
    while (last > first && (line[last - 1] == ' ' || line[last - 1] == '\t')) --last;
    cells.push_back({line.substr(first, last - first), static_cast<int>(first) + 1});
    if (end == line.size()) return cells;
    from = end + 1;
  }
}

double parse(const Cell& cell, const Place& place) {
  double value = 0.0;
  const char *begin = cell.text.data(), *end = begin + cell.text.size();
  const auto [stop, code] = std::from_chars(begin, end, value);
  if (code != std::errc() || stop != end || !std::isfinite(value))
    throw Error(place, fmt::format("'{}' is not a finite number", cell.text));
  return value;
}

}  // namespace

JointTable load_joint_table(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw Error({file}, "the file cannot be read");
  JointTable table;
  std::string line;
  bool has_names = false;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos || line[0] == '#') continue;
    const std::vector<Cell> cells = split(line);
    const auto at = [&](const Cell& cell) { return Place{file, number, {}, cell.column}; };
    if (!has_names) {
      if (cells[0].text != "time")
        throw Error(at(cells[0]),
                    fmt::format("the first column must be 'time', not '{}'", cells[0].text));
      for (std::size_t k = 1; k < cells.size(); ++k) table.joints.emplace_back(cells[k].text);
      has_names = true;
      continue;
    }
    if (cells.size() != table.joints.size() + 1)
      throw Error(at(cells[0]), fmt::format("{} numbers in a table of {} columns", cells.size(),
                                            table.joints.size() + 1));
    const double time = parse(cells[0], at(cells[0]));
    if (!table.times.empty() && !(time > table.times.back()))
      throw Error(at(cells[0]), "times must grow from line to line");
    table.times.push_back(time);
    for (std::size_t k = 1; k < cells.size(); ++k)
      table.values.push_back(parse(cells[k], at(cells[k])));
  }
  if (table.times.empty() || table.joints.empty())
    throw Error({file}, "there are no keyframes; a line of names, 'time' first, then numbers");
  return table;
}

std::string print_joint_table(const JointTable& table) {
  std::string text = "time";
  for (const std::string& joint : table.joints) text += "," + joint;
  const std::size_t columns = table.joints.size();
  for (std::size_t k = 0; k < table.times.size(); ++k) {
    text += fmt::format("\n{:.4f}", table.times[k]);
    for (std::size_t c = 0; c < columns; ++c) {
      // no minus before a zero
      const double value = table.values[k * columns + c];
      text += fmt::format(",{:.7f}", std::abs(value) < 0.5e-7 ? 0.0 : value);
    }
  }
  return text + "\n";
}

}  // namespace stance::io
