// `stance bench groups`: what collision groups are worth (H8, Figure 2 of paper H). k cubes of four
// points each, as one problem with its whole matrix, as a problem per cube, and as we do it.

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stance/cli/terminal.h"
#include "stance/sim/sample_piles.h"
#include "stance/sim/step.h"
#include "stance/solver/solve.h"

#include "contact/engine.h"
#include "fit.h"
#include "growth.h"
#include "machine.h"

namespace stance::bench {
namespace {

using solver::BodyProblem;
using solver::Vec3d;

constexpr int kMostCubes = 30, kFirstOfFit = 8;
constexpr int kRepeats = 100;
constexpr double kTolerance = 1e-8;

// Contacts of a scene at its start, from poses on: points found, and everything that a step does
// with them, from zero.
class DefaultPath {
 public:
  explicit DefaultPath(sim::Scene scene)
      : world_(std::move(scene.world)), start_(scene.start), scratch_(world_) {
    world_.contact.tolerance = kTolerance;
    (void)sim::step(world_, {}, kStep, scene.start, scratch_);
  }

  contact::ContactReport run() {
    contact::ContactScratch& s = scratch_.contact;
    contact::assemble(
        world_.model, world_.materials, world_.loops, scratch_.start.kin(), scratch_.art,
        {start_.q, start_.v, scratch_.v_free, scratch_.start.vel().V, scratch_.free.V},
        world_.contact, kStep, start_.warm, s);
    return contact::solve(world_.model, scratch_.start.kin(), world_.contact, kStep, s);
  }

  const BodyProblem& problem() const {
    return scratch_.contact.work[0]->problem;
  }  // of the last group

 private:
  sim::World world_;
  sim::State start_;  // with nothing to start from
  sim::Scratch scratch_;
};

// The problem of one cube so many times, side by side.
BodyProblem repeat_problem(const BodyProblem& one, int count) {
  BodyProblem all;
  for (int k = 0; k < count; ++k) {
    const int nodes = all.num_nodes(), responses = static_cast<int>(all.response.size());
    for (BodyProblem::Node node : one.nodes) {
      node.first += nodes, node.end += nodes, node.responses += responses;
      all.nodes.push_back(node);
    }
    for (BodyProblem::Rows rows : one.rows) {
      if (rows.a >= 0) rows.a += nodes;
      if (rows.b >= 0) rows.b += nodes;
      all.rows.push_back(rows);
    }
    all.response.insert(all.response.end(), one.response.begin(), one.response.end());
    all.blocks.insert(all.blocks.end(), one.blocks.begin(), one.blocks.end());
    all.q.insert(all.q.end(), one.q.begin(), one.q.end());
  }
  return all;
}

// The papers' way: the whole matrix, then plain sweeps over it.
class DenseSolve {
 public:
  explicit DenseSolve(BodyProblem problem)
      : problem_(std::move(problem)), p_(problem_.num_blocks()) {
    options_.tolerance = kTolerance;
    options_.accelerate = options_.use_newton = false;
  }

  solver::SolveStatus run() {
    make_explicit(problem_, motions_, matrix_);
    std::fill(p_.begin(), p_.end(), Vec3d());
    return solver_.solve(matrix_, options_, p_);
  }

 private:
  BodyProblem problem_;
  solver::NodeMotions motions_;
  solver::ContactProblem matrix_;
  std::vector<Vec3d> p_;
  solver::Solver solver_;
  solver::SolveOptions options_;
};

struct Way {
  const char* name;
  const char* title;
  const char* expected;  // exponent
};
constexpr Way kWays[] = {
    {"one_group_dense", "one group, whole matrix", "near 2"},
    {"group_per_cube", "a group per cube, each its matrix", "near 1"},
    {"ours_on_slab", "ours, one group (cubes on a slab)", "near 1"},
    {"ours_apart", "ours, cubes apart", "near 1"},
};

struct WayGrowth : Growth {
  LineFit quadratic;  // of t / k = a + b k
  int sweeps = 0;     // with the most cubes
};

struct Subjects {
  std::unique_ptr<DenseSolve> dense, cube;
  std::unique_ptr<DefaultPath> slab, apart;
};

std::vector<WayGrowth> measure_growth(int repeats) {
  DefaultPath single(sim::make_resting_cubes(1));
  single.run();
  const BodyProblem one = single.problem();

  std::vector<Subjects> all;
  std::vector<WayGrowth> growths(std::size(kWays));
  Comparison comparison;
  std::vector<std::vector<int>> numbers(std::size(kWays));
  for (int k = 1; k <= kMostCubes; ++k) {
    Subjects& s = all.emplace_back();
    s.dense = std::make_unique<DenseSolve>(repeat_problem(one, k));
    s.cube = std::make_unique<DenseSolve>(one);
    s.slab = std::make_unique<DefaultPath>(sim::make_cubes_on_slab(k));
    s.apart = std::make_unique<DefaultPath>(sim::make_resting_cubes(k));
    growths[0].sweeps = s.dense->run().sweeps;
    growths[1].sweeps = s.cube->run().sweeps;
    growths[2].sweeps = s.slab->run().sweeps;
    growths[3].sweeps = s.apart->run().sweeps;
    numbers[0].push_back(comparison.add("dense", [dense = s.dense.get()] { (void)dense->run(); }));
    numbers[1].push_back(comparison.add("cube", [cube = s.cube.get(), k] {
      for (int i = 0; i < k; ++i) (void)cube->run();
    }));
    numbers[2].push_back(comparison.add("slab", [slab = s.slab.get()] { (void)slab->run(); }));
    numbers[3].push_back(comparison.add("apart", [apart = s.apart.get()] { (void)apart->run(); }));
  }
  comparison.measure({repeats, 500.0, "measuring groups"});

  std::vector<int> counts(kMostCubes);
  std::iota(counts.begin(), counts.end(), 1);
  for (std::size_t w = 0; w < growths.size(); ++w) {
    WayGrowth& growth = growths[w];
    static_cast<Growth&>(growth) = find_growth(comparison, counts, numbers[w], kFirstOfFit);
    std::vector<double> per_cube;
    for (std::size_t k = 0; k < growth.n.size(); ++k)
      per_cube.push_back(growth.us[k] / growth.n[k]);
    growth.quadratic = fit_line(from_size(growth, growth.n, kFirstOfFit),
                                from_size(growth, per_cube, kFirstOfFit));
  }
  return growths;
}

void print_growth(const std::vector<WayGrowth>& growths) {
  fmt::print(
      "Figure 2 of paper H (row H8 of docs/papers.md): k cubes of 4 points each on a floor, from "
      "zero to a residual of "
      "{:g}\n{}\n\nMicroseconds to make the problems and solve them; the best of many batches\n\n",
      kTolerance, describe_machine());
  std::vector<std::vector<std::string>> rows = {{"cubes"}};
  for (const Way& way : kWays) rows[0].push_back(way.name);
  for (const int k : {1, 2, 4, 8, 12, 16, 20, 25, 30}) {
    rows.push_back({std::to_string(k)});
    for (const WayGrowth& growth : growths) rows.back().push_back(format_us(growth.us[k - 1]));
  }
  fmt::print("{}", cli::format_table(rows, 1, cli::find_style(stdout)));

  rows = {{"way", "what", "exponent", "expected", "a, us", "b, us", "sweeps"}};
  for (std::size_t w = 0; w < growths.size(); ++w)
    rows.push_back({kWays[w].name, kWays[w].title, fmt::format("{:.2f}", growths[w].exponent),
                    kWays[w].expected, fmt::format("{:.2f}", growths[w].quadratic.a),
                    fmt::format("{:.3f}", growths[w].quadratic.b),
                    std::to_string(growths[w].sweeps)});
  fmt::print(
      "\nExponent of t ~ k^p, and t = a k + b k^2, over k = {} .. {}; sweeps with {} cubes\n\n{}",
      kFirstOfFit, kMostCubes, kMostCubes, cli::format_table(rows, 2, cli::find_style(stdout)));
}

Json to_json(const std::vector<WayGrowth>& growths) {
  Json list = Json::array();
  for (std::size_t w = 0; w < growths.size(); ++w)
    list.push_back({{"row", "H8"},
                    {"name", kWays[w].name},
                    {"k", growths[w].n},
                    {"us", growths[w].us},
                    {"exponent", growths[w].exponent},
                    {"expected", kWays[w].expected},
                    {"linear_us", growths[w].quadratic.a},
                    {"quadratic_us", growths[w].quadratic.b},
                    {"sweeps", growths[w].sweeps}});
  return list;
}

Figure draw_growth(const std::vector<WayGrowth>& growths) {
  Figure figure{"Contact problems of k cubes on a floor, 4 points each", "cubes k", "time (µs)",
                true};
  figure.x_ticks = {1, 2, 3, 5, 8, 12, 20, 30};
  for (std::size_t w = 0; w < growths.size(); ++w)
    figure.curves.push_back(
        make_curve(fmt::format("{}: ~ k^{:.2f}", kWays[w].title, growths[w].exponent), growths[w]));
  return figure;
}

constexpr GrowthBench<std::vector<WayGrowth>> kBench = {kRepeats, measure_growth, print_growth,
                                                        to_json, draw_growth};

}  // namespace

void run_groups(const Options& options) { kBench.run(options); }

}  // namespace stance::bench
