#pragma once

// Curves as CSV files, and as pictures where gnuplot is installed.

#include <string>
#include <vector>

struct Curve {
  std::string title, style;  // style: gnuplot's, such as "lines lw 2"
  std::vector<double> x, y;
};

struct Figure {
  std::string name, title, x, y;  // file name without ending; labels with units
  std::string extra;              // more lines for gnuplot: ranges, labels
  std::vector<Curve> curves;
};

// Writes FOLDER/NAME.csv (curve, x, y) and NAME.gp, and NAME.svg by gnuplot if it is there; returns
// whether the picture was drawn.
bool write_figure(const std::string& folder, const Figure& figure);
