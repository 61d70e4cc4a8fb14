#pragma once

// Figures by the program gnuplot.

#include <string>
#include <utility>
#include <vector>

namespace stance::bench {

struct Curve {
  std::string title;
  std::vector<std::pair<double, double>> points;
};

struct Figure {
  std::string title, x_label, y_label;
  bool log_x = false;
  std::vector<std::string> x_names = {};  // labels at x = 0, 1, ... instead of numbers
  std::vector<double> x_ticks = {};       // where gnuplot would choose badly
  std::vector<Curve> curves = {};
};

// Throws stance::Error when there is no gnuplot, or the file cannot be written; call it before a
// long measurement.
void check_plot(const std::string& file);

// Writes an SVG file, logarithmic in y. Throws stance::Error when gnuplot fails.
void draw_plot(const Figure& figure, const std::string& file);

}  // namespace stance::bench
