// `stance bench chain`: how the cost grows with the number of links, 1 to 1000.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stance/cli/terminal.h"
#include "stance/model/samples.h"

#include "fit.h"
#include "growth.h"
#include "machine.h"
#include "workload.h"

namespace stance::bench {
namespace {

constexpr int kRepeats = 100;
constexpr int kLengths[] = {1, 2, 5, 10, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000};
constexpr int kFirstOfSlope = 30;  // below, what does not depend on n shows

struct Algorithm {
  const char* name;
  bool linear;
  void (*run)(Workload&);
};
constexpr Algorithm kAlgorithms[] = {
    {"fk", true, [](Workload& w) { w.run_fk(); }},
    {"rnea", true, [](Workload& w) { w.run_rnea(); }},
    {"aba", true, [](Workload& w) { w.run_aba(); }},
    {"lambda", true, [](Workload& w) { w.run_lambda(DelassusMethod::kSkeleton); }},
    {"crba", false, [](Workload& w) { w.run_crba(); }},  // n^2 entries are to be written
};

// A chain with one contact at its tip.
struct Chain {
  explicit Chain(int n) : model(model::make_chain(n)), work(model, make_state(model)) {
    work.set_contacts({{model::BodyIndex(model.nbody - 1), Vec3d(0.0, 0.0, -0.1)}});
  }

  static MotionState make_state(const Model& model) {
    std::vector<double> q = model::make_neutral(model);
    for (std::size_t k = 0; k < q.size(); ++k) q[k] = 0.3 * std::sin(1.0 + static_cast<double>(k));
    return make_motion(model, q);
  }

  Model model;
  Workload work;
};

struct AlgorithmGrowth : Growth {
  LineFit line;
  long long heap_calls = 0;
};

std::vector<AlgorithmGrowth> measure_growth(int repeats) {
  std::vector<std::unique_ptr<Chain>> chains;
  for (int n : kLengths) chains.push_back(std::make_unique<Chain>(n));
  Comparison comparison;
  std::vector<std::vector<int>> subjects;
  std::vector<AlgorithmGrowth> growths;
  for (const Algorithm& algorithm : kAlgorithms) {
    subjects.emplace_back();
    growths.emplace_back();
    for (const auto& chain : chains) {
      const auto run = [&work = chain->work, &algorithm] { algorithm.run(work); };
      subjects.back().push_back(comparison.add(algorithm.name, run));
      growths.back().heap_calls = std::max(growths.back().heap_calls, count_heap_per_run(run));
    }
  }
  comparison.measure({repeats, 200.0, "measuring chains"});

  for (std::size_t a = 0; a < growths.size(); ++a) {
    static_cast<Growth&>(growths[a]) =
        find_growth(comparison, kLengths, subjects[a], kFirstOfSlope);
    growths[a].line = fit_line(growths[a].n, growths[a].us);
  }
  return growths;
}

void print_growth(const std::vector<AlgorithmGrowth>& growths) {
  std::vector<std::vector<std::string>> rows = {{"links"}};
  for (const Algorithm& algorithm : kAlgorithms) rows[0].push_back(algorithm.name);
  for (std::size_t k = 0; k < growths[0].n.size(); ++k) {
    rows.push_back({fmt::format("{}", growths[0].n[k])});
    for (const AlgorithmGrowth& growth : growths) rows.back().push_back(format_us(growth.us[k]));
  }
  fmt::print("Chains of hinges, fixed at one end; lambda is of one contact at the tip\n{}\n\n",
             describe_machine());
  fmt::print("Microseconds from q, v and tau on; the best of many batches\n\n{}",
             cli::format_table(rows, 1, cli::find_style(stdout)));

  rows = {{"name", "a, us", "b, us per link", "R^2", "slope", "heap calls"}};
  for (std::size_t a = 0; a < growths.size(); ++a) {
    const AlgorithmGrowth& g = growths[a];
    const bool linear = kAlgorithms[a].linear;
    rows.push_back({kAlgorithms[a].name, linear ? fmt::format("{:.3f}", g.line.a) : "-",
                    linear ? fmt::format("{:.4f}", g.line.b) : "-",
                    linear ? fmt::format("{:.5f}", g.line.r_squared) : "-",
                    fmt::format("{:.2f}", g.exponent), std::to_string(g.heap_calls)});
  }
  fmt::print(
      "\nLeast squares t = a + b n over all lengths; slope of log t over log n from {} links on.\n"
      "The mass matrix (crba) has n^2 entries, so it cannot grow linearly.\n\n{}",
      kFirstOfSlope, cli::format_table(rows, 1, cli::find_style(stdout)));
}

Json to_json(const std::vector<AlgorithmGrowth>& growths) {
  Json list = Json::array();
  for (std::size_t a = 0; a < growths.size(); ++a) {
    const AlgorithmGrowth& g = growths[a];
    Json entry = {{"name", kAlgorithms[a].name}, {"n", g.n}, {"us", g.us}, {"slope", g.exponent}};
    if (kAlgorithms[a].linear)
      entry["fit"] = {{"a_us", g.line.a}, {"b_us", g.line.b}, {"r_squared", g.line.r_squared}};
    entry["heap_calls"] = g.heap_calls;
    list.push_back(entry);
  }
  return list;
}

Figure draw_growth(const std::vector<AlgorithmGrowth>& growths) {
  Figure figure{"Cost along a chain of n links", "links n", "time (µs)", true};
  for (std::size_t a = 0; a < growths.size(); ++a)
    figure.curves.push_back(make_curve(kAlgorithms[a].name, growths[a]));
  return figure;
}

constexpr GrowthBench<std::vector<AlgorithmGrowth>> kBench = {kRepeats, measure_growth,
                                                              print_growth, to_json, draw_growth};

}  // namespace

void run_chain(const Options& options) { kBench.run(options); }

}  // namespace stance::bench
