#include "stance/cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace stance::cli {

Style find_style(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused =
      (no_colour && *no_colour) || (terminal && std::string_view(terminal) == "dumb");
  if (refused || !isatty(fileno(stream))) return {};
  return {"\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[32m", "\033[0m"};
}

int calc_width(std::string_view text) {
  // every byte but those that continue a UTF-8 character
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string format_table(const std::vector<std::vector<std::string>>& rows, int left_columns,
                         const Style& style) {
  std::vector<int> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t k = 0; k < row.size(); ++k)
      widths[k] = std::max(widths[k], calc_width(row[k]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t k = 0; k < rows[r].size(); ++k) {
      const std::string gap(widths[k] - calc_width(rows[r][k]), ' ');
      line += "  ";
      line += static_cast<int>(k) < left_columns ? rows[r][k] + gap : gap + rows[r][k];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += r == 0 ? fmt::format("{}{}{}\n", style.dim, line, style.plain) : line + "\n";
  }
  return text;
}

ProgressBar::ProgressBar(std::FILE* stream) : stream_(stream) {
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal && std::string_view(terminal) == "dumb";
  is_shown_ = !is_dumb && isatty(fileno(stream));
}

ProgressBar::~ProgressBar() {
  if (is_shown_) fmt::print(stream_, "\r\033[K");
}

void ProgressBar::show(double part, const std::string& text) {
  if (!is_shown_) return;
  constexpr int kWidth = 30;
  const int filled = static_cast<int>(std::clamp(part, 0.0, 1.0) * kWidth);
  std::string bar;
  for (int k = 0; k < kWidth; ++k) bar += k < filled ? "█" : "░";
  fmt::print(stream_, "\r\033[K{} {:3.0f} % {}", bar, 100.0 * part, text);
  std::fflush(stream_);
}

}  // namespace stance::cli
