#pragma once

#include <span>

namespace stance::bench {

// t = a + b n by least squares.
struct LineFit {
  double a = 0.0, b = 0.0;
  double r_squared = 0.0;
};
LineFit fit_line(std::span<const double> n, std::span<const double> t);

// The exponent p of t ~ n^p: slope of log t over log n by least squares.
double fit_exponent(std::span<const double> n, std::span<const double> t);

}  // namespace stance::bench
