#pragma once

// Text for people: colours where there is a terminal, and columns that line up.

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace stance::cli {

// Escape codes; all empty where the stream is not a terminal or colours are not wanted (NO_COLOR).
struct Style {
  const char* bold = "";
  const char* dim = "";
  const char* red = "";
  const char* yellow = "";
  const char* green = "";
  const char* plain = "";
};
Style find_style(std::FILE* stream);

// How many columns a text takes, counting characters rather than bytes.
int calc_width(std::string_view text);

// Rows of equal length, the first being the heading; numbers stand right, the first column left.
std::string format_table(const std::vector<std::vector<std::string>>& rows, int left_columns,
                         const Style& style);

// A line on a terminal that fills up; nothing elsewhere. Its text goes away at the end.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* stream);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool is_shown() const { return is_shown_; }
  void show(double part, const std::string& text);  // part from 0 to 1

 private:
  std::FILE* stream_;
  bool is_shown_;
};

}  // namespace stance::cli
