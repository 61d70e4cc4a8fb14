#include "solver/random_body_problem.h"

#include <Eigen/Core>

#include "support/random_forest.h"

namespace stance::test {

using Eigen::MatrixXd;
using kernel::Force;
using kernel::Mat6;
using kernel::Vec3d;
using solver::Block;
using solver::BodyProblem;
using solver::ContactProblem;
using solver::Law;

namespace {

Force<double> make_wrench(kernel::Random& random) {
  return {Vec3d(Eigen::Vector3d(make_vector(random, 3, 0.3))),
          Vec3d(Eigen::Vector3d(make_vector(random, 3, 1.0)))};
}

}  // namespace

BodyProblem make_body_problem(std::uint64_t seed, CoordinateData& data) {
  kernel::Random random(7300 + seed);
  BodyProblem problem;
  for (int tree = 0; tree < 4; ++tree) {
    const int first = problem.num_nodes(), count = 1 + random.integer(3);
    const int coordinates = seed % 2 == 0 ? 0 : random.integer(6);
    const int size = 6 * count + coordinates;
    MatrixXd A(size, size);
    for (int c = 0; c < size; ++c) A.col(c) = make_vector(random, size, 1.0);
    const MatrixXd omega = A * A.transpose() / size + 0.1 * MatrixXd::Identity(size, size);
    for (int j = 0; j < count; ++j) {
      BodyProblem::Node& node = problem.nodes.emplace_back();
      node.first = first, node.end = first + count;
      node.responses = static_cast<int>(problem.response.size());
      for (int k = 0; k < count; ++k) {
        Mat6<double> block;
        for (int c = 0; c < 6; ++c) {
          const Eigen::Matrix<double, 6, 1> column = omega.block<6, 1>(6 * k, 6 * j + c);
          block.c[c] = {Vec3d(Eigen::Vector3d(column.head<3>())),
                        Vec3d(Eigen::Vector3d(column.tail<3>()))};
        }
        problem.response.push_back(block);
      }
    }
    if (coordinates == 0) continue;
    BodyProblem::CoordinateSet& set = problem.sets.emplace_back();
    set.first_node = first, set.end_node = first + count;
    set.first = problem.num_coordinates;
    set.count = coordinates, set.stride = (coordinates + 3) / 4 * 4;
    problem.num_coordinates += set.stride;
    const int at = 6 * count;
    double* own = data.make(set.count * set.stride);
    set.response = own;
    for (int i = 0; i < coordinates; ++i)
      for (int j = 0; j < coordinates; ++j) own[i * set.stride + j] = omega(at + i, at + j);
    for (int j = 0; j < count; ++j) {
      double* rows = data.make(6 * set.stride);
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < coordinates; ++c) rows[r * set.stride + c] = omega(6 * j + r, at + c);
      problem.nodes[first + j].set = static_cast<int>(problem.sets.size()) - 1;
      problem.nodes[first + j].by_coordinates = rows;
    }
  }
  const std::size_t sets = problem.sets.size();
  for (int i = 0; i < 12; ++i) {
    BodyProblem::Rows rows;
    Block block;
    problem.q.emplace_back(Eigen::Vector3d(make_vector(random, 3, 1.0)));
    if (sets > 0 && i % 2 == 1) {
      rows.set1 = random.integer(sets), rows.set2 = random.integer(sets);
      rows.k1 = problem.sets[rows.set1].first + random.integer(problem.sets[rows.set1].count);
      rows.c1 = random.uniform(0.5, 1.0);
      if (i % 3 == 0) {
        rows.k2 = problem.sets[rows.set2].first + random.integer(problem.sets[rows.set2].count);
        if (rows.k2 == rows.k1) rows.k2 = -1;
        rows.c2 = random.uniform(-1.0, -0.5);
      }
      block.law = i % 4 == 1 ? Law::kBox : Law::kUnilateral;
      block.rows = 1, block.bound = 0.3;
      problem.q.back() = Vec3d(problem.q.back()[0], 0.0, 0.0);
      problem.rows.push_back(rows), problem.blocks.push_back(block);
      continue;
    }
    rows.a = random.integer(problem.num_nodes());
    rows.b =
        random.integer(problem.num_nodes() + 1) - 1;  // some with the world, some within a tree
    if (rows.b == rows.a) rows.b = -1;
    for (int k = 0; k < 3; ++k)
      rows.f_a[k] = make_wrench(random), rows.f_b[k] = make_wrench(random);
    problem.rows.push_back(rows);
    block.mu = random.uniform(0.0, 0.8);
    problem.blocks.push_back(block);
  }
  return problem;
}

ContactProblem make_whole(const BodyProblem& problem) {
  ContactProblem same;
  solver::NodeMotions work;
  make_explicit(problem, work, same);
  return same;
}

BodyProblem make_free_bodies(std::uint64_t seed, int count) {
  kernel::Random random(9100 + seed);
  BodyProblem problem;
  for (int j = 0; j < count; ++j) {
    MatrixXd A(6, 6);
    for (int c = 0; c < 6; ++c) A.col(c) = make_vector(random, 6, 1.0);
    const MatrixXd omega = A * A.transpose() / 6 + 0.1 * MatrixXd::Identity(6, 6);
    BodyProblem::Node& node = problem.nodes.emplace_back();
    node.first = j, node.end = j + 1, node.responses = j;
    Mat6<double> block;
    for (int c = 0; c < 6; ++c)
      block.c[c] = {Vec3d(Eigen::Vector3d(omega.col(c).head<3>())),
                    Vec3d(Eigen::Vector3d(omega.col(c).tail<3>()))};
    problem.response.push_back(block);
  }
  for (int i = 0; i < 3 * count; ++i) {
    BodyProblem::Rows rows;
    rows.a = i % count;
    rows.b = i < count ? (i + 1) % count : random.integer(count + 1) - 1;
    if (rows.b == rows.a) rows.b = -1;
    for (int k = 0; k < 3; ++k)
      rows.f_a[k] = make_wrench(random), rows.f_b[k] = make_wrench(random);
    Block block;
    block.mu = random.uniform(0.0, 0.8);
    problem.rows.push_back(rows);
    problem.blocks.push_back(block);
    problem.q.push_back(Vec3d(Eigen::Vector3d(make_vector(random, 3, 1.0))));
  }
  return problem;
}

BodyProblem make_mixed_bodies(std::uint64_t seed) {
  BodyProblem problem = make_free_bodies(seed, 32 + static_cast<int>(seed % 7));
  for (int i = 0; i < problem.num_blocks(); ++i) {
    if (i % 5 == 4) {
      // a second point of the pair before
      problem.rows[i].a = problem.rows[i - 1].a, problem.rows[i].b = problem.rows[i - 1].b;
    }
    if (i % 11 == 3) problem.blocks[i].mu = 0.0;
    if (seed % 2 == 0) continue;
    if (i % 7 == 2) problem.blocks[i].law = Law::kBilateral;
    if (i % 7 == 5 && problem.blocks[i - 1].law == Law::kContact)
      problem.blocks[i].law = Law::kSpin, problem.blocks[i].normal = i - 1;
  }
  return problem;
}

}  // namespace stance::test
