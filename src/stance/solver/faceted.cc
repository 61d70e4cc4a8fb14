#include "stance/solver/faceted.h"

#include <cmath>
#include <numbers>

#include "stance/kernel/assert.h"
#include "stance/solver/lemke.h"

namespace stance::solver {
namespace {

// A nonnegative impulse along one direction of a block; friction ones belong to a limit.
struct Push {
  int block;
  Vec3d along;
  int limit = -1;
};

// sum of the pushes of this limit <= fixed + slope times the push `normal`
struct Limit {
  double fixed = 0.0, slope = 0.0;
  int normal = -1;
};

struct Faceted {
  std::vector<Push> pushes;
  std::vector<Limit> limits;

  void add_both_ways(int block, int row, int limit) {
    for (const double sign : {1.0, -1.0}) {
      Vec3d along;
      along.set(row, sign);
      pushes.push_back({block, along, limit});
    }
  }
  void add_pyramid(int block, int facets, int limit) {
    for (int k = 0; k < facets; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / facets;
      pushes.push_back({block, Vec3d(0.0, std::cos(angle), std::sin(angle)), limit});
    }
  }
  int add_limit(const Limit& limit) {
    limits.push_back(limit);
    return static_cast<int>(limits.size()) - 1;
  }
};

Faceted make_faceted(const ContactProblem& problem, int facets) {
  Faceted f;
  std::vector<int> normal_of(problem.num_blocks(), -1);
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Block& block = problem.blocks[i];
    if (block.law == Law::kContact || block.law == Law::kUnilateral) {
      normal_of[i] = static_cast<int>(f.pushes.size());
      f.pushes.push_back({i, Vec3d(1.0, 0.0, 0.0)});
    }
    if (block.law == Law::kContact && block.mu > 0.0)
      f.add_pyramid(i, facets, f.add_limit({0.0, block.mu, normal_of[i]}));
    if (block.law == Law::kBilateral)
      for (int r = 0; r < block.rows; ++r) f.add_both_ways(i, r, -1);
    if (block.law == Law::kBox) f.add_both_ways(i, 0, f.add_limit({block.bound}));
  }
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Block& block = problem.blocks[i];
    if (block.law != Law::kSpin) continue;
    const int normal = normal_of[block.normal];
    if (block.mu > 0.0) f.add_both_ways(i, 0, f.add_limit({0.0, block.mu, normal}));
    if (block.mu_rolling > 0.0)
      f.add_pyramid(i, facets, f.add_limit({0.0, block.mu_rolling, normal}));
  }
  return f;
}

}  // namespace

FacetedStatus solve_faceted(const ContactProblem& problem, const FacetedOptions& options,
                            std::span<Vec3d> p) {
  STANCE_DEMAND(static_cast<int>(p.size()) == problem.num_blocks());
  const Faceted f = make_faceted(problem, options.facets);
  const int num_pushes = static_cast<int>(f.pushes.size());
  const int size = num_pushes + static_cast<int>(f.limits.size());
  std::vector<std::vector<int>> of_block(problem.num_blocks());
  for (int a = 0; a < num_pushes; ++a) of_block[f.pushes[a].block].push_back(a);

  // rows of pushes: e . u + lambda; rows of limits: what is left of them
  BlockMatrix room;
  const BlockMatrix& W = find_total(problem, room);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd q(size), z;
  for (int a = 0; a < num_pushes; ++a) {
    const Push& push = f.pushes[a];
    const int i = push.block;
    q[a] = dot(push.along, problem.q[i]);
    for (int k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
      for (const int b : of_block[W.column[k]])
        M(a, b) = dot(push.along, W.block[k] * f.pushes[b].along);
    if (push.limit < 0) continue;
    M(a, num_pushes + push.limit) = 1.0;
    M(num_pushes + push.limit, a) = -1.0;
  }
  for (std::size_t g = 0; g < f.limits.size(); ++g) {
    q[num_pushes + g] = f.limits[g].fixed;
    if (f.limits[g].normal >= 0) M(num_pushes + g, f.limits[g].normal) += f.limits[g].slope;
  }

  const LemkeStatus lemke =
      solve_lcp(M, q, options.max_pivots, options.should_stop, options.stop_argument, z);
  for (Vec3d& impulse : p) impulse = {};
  for (int a = 0; a < num_pushes; ++a)
    p[f.pushes[a].block] = madd(z[a], f.pushes[a].along, p[f.pushes[a].block]);
  return {lemke.is_solved, lemke.pivots, size, calc_lcp_residual(M, q, z)};
}

}  // namespace stance::solver
