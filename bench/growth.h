#pragma once

// How a cost grows with a size, for benches that are about that.

#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "measure.h"
#include "options.h"
#include "plot.h"
#include "record.h"

namespace stance::bench {

// Times of one way of doing it.
struct Growth {
  std::vector<double> n, us;
  double exponent = 0.0;  // of us ~ n^p, over the sizes from the first of the fit on
};

// Of what was measured: a subject for every size.
Growth find_growth(const Comparison& comparison, std::span<const int> sizes,
                   std::span<const int> subjects, int first_of_fit);

// Part of a growth, from a size on.
std::span<const double> from_size(const Growth& growth, const std::vector<double>& values,
                                  int first);

Curve make_curve(std::string title, const Growth& growth);

// The course of such a bench, with what the user asked for: --plot is looked at before it takes its
// time.
template <class Results>
struct GrowthBench {
  int repeats;  // where the user does not say
  Results (*measure)(int repeats);
  void (*print)(const Results& results);
  Json (*to_json)(const Results& results);
  Figure (*draw)(const Results& results);

  void run(const Options& options) const {
    if (!options.plot.empty()) check_plot(options.plot);
    const Results results = measure(options.repeats ? options.repeats : repeats);
    if (options.json)
      fmt::print("{}\n", to_json(results).dump(2));
    else
      print(results);
    if (!options.plot.empty()) draw_plot(draw(results), options.plot);
  }
};

}  // namespace stance::bench
