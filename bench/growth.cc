#include "growth.h"

#include <algorithm>

#include "fit.h"

namespace stance::bench {

Growth find_growth(const Comparison& comparison, std::span<const int> sizes,
                   std::span<const int> subjects, int first_of_fit) {
  Growth growth;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    growth.n.push_back(sizes[k]);
    growth.us.push_back(comparison.best_us(subjects[k]).value());
  }
  growth.exponent = fit_exponent(from_size(growth, growth.n, first_of_fit),
                                 from_size(growth, growth.us, first_of_fit));
  return growth;
}

std::span<const double> from_size(const Growth& growth, const std::vector<double>& values,
                                  int first) {
  const auto at = std::find(growth.n.begin(), growth.n.end(), first) - growth.n.begin();
  return std::span(values).subspan(at);
}

Curve make_curve(std::string title, const Growth& growth) {
  Curve curve{std::move(title), {}};
  for (std::size_t k = 0; k < growth.n.size(); ++k)
    curve.points.emplace_back(growth.n[k], growth.us[k]);
  return curve;
}

}  // namespace stance::bench
