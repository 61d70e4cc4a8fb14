#pragma once

// Curves over time, in panels one above the other that share their time axis.

#include <string>
#include <vector>

namespace stance::cli {

struct TimeCurve {
  std::string title;
  std::vector<double> time, value;
  int colour = 0;          // curves of the same colour belong together
  bool is_dashed = false;  // of the recording to compare with
};

struct TimePanel {
  std::string label;    // of its axis, unit included
  std::string heading;  // of its legend
  std::vector<TimeCurve> curves;
};

struct TimeFigure {
  std::string title;
  std::vector<TimePanel> panels;
  std::vector<std::string> recordings;  // names, where there are two: solid, dashed
  double from = 0.0, to = 1.0;          // s
};

// A script for gnuplot that writes an SVG or PNG file, by its ending.
std::string write_time_figure(const TimeFigure& figure, const std::string& file);

// No more points than a picture can show: of each stretch of time the least and the largest value.
void thin_out(TimeCurve& curve, std::size_t stretches);

}  // namespace stance::cli
