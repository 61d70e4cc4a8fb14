#include "fit.h"

#include <cmath>
#include <vector>

namespace stance::bench {

LineFit fit_line(std::span<const double> n, std::span<const double> t) {
  const double count = static_cast<double>(n.size());
  double mean_n = 0.0, mean_t = 0.0;
  for (std::size_t k = 0; k < n.size(); ++k) mean_n += n[k] / count, mean_t += t[k] / count;
  double nn = 0.0, nt = 0.0, tt = 0.0;
  for (std::size_t k = 0; k < n.size(); ++k) {
    nn += (n[k] - mean_n) * (n[k] - mean_n);
    nt += (n[k] - mean_n) * (t[k] - mean_t);
    tt += (t[k] - mean_t) * (t[k] - mean_t);
  }
  LineFit fit;
  fit.b = nt / nn;
  fit.a = mean_t - fit.b * mean_n;
  fit.r_squared = nt * nt / (nn * tt);
  return fit;
}

double fit_exponent(std::span<const double> n, std::span<const double> t) {
  std::vector<double> log_n, log_t;
  for (std::size_t k = 0; k < n.size(); ++k) {
    log_n.push_back(std::log(n[k]));
    log_t.push_back(std::log(t[k]));
  }
  return fit_line(log_n, log_t).b;
}

}  // namespace stance::bench
