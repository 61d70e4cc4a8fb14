#include "solver/heap_problem.h"

#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "stance/kernel/random.h"

namespace stance::bench {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

VectorXd make_vector(kernel::Random& random, int size, double limit) {
  VectorXd x(size);
  for (double& value : x) value = random.uniform(-limit, limit);
  return x;
}

Vector3d make_direction(kernel::Random& random) {
  Vector3d x = make_vector(random, 3, 1.0);
  while (x.norm() < 0.1) x = make_vector(random, 3, 1.0);
  return x.normalized();
}

}  // namespace

solver::ContactProblem make_heap_problem(std::uint64_t seed, const HeapOptions& options) {
  kernel::Random random(0xc0117ac7 + seed);
  const int nv = 6 * options.bodies, rows = 3 * options.contacts;
  VectorXd inverse_mass(nv), v(nv);
  for (int b = 0; b < options.bodies; ++b) {
    const double mass = std::pow(options.mass_ratio, random.uniform(0.0, 1.0));
    for (int k = 0; k < 3; ++k) {
      inverse_mass[6 * b + k] = 1.0 / (mass * random.uniform(0.005, 0.02));
      inverse_mass[6 * b + 3 + k] = 1.0 / mass;
    }
    v.segment<6>(6 * b) = make_vector(random, 6, 1.0);
  }
  MatrixXd J = MatrixXd::Zero(rows, nv);
  for (int c = 0; c < options.contacts; ++c) {
    // between two bodies, or a body and the ground
    const int a = random.integer(options.bodies), b = random.integer(options.bodies + 1) - 1;
    const Vector3d n = make_direction(random), t1 = n.unitOrthogonal(), t2 = n.cross(t1);
    for (const auto& [body, sign] : {std::pair(a, 1.0), std::pair(b, -1.0)}) {
      if (body < 0 || a == b) continue;
      const Vector3d r = make_vector(random, 3, 0.1);
      int row = 3 * c;
      for (const Vector3d& d : {n, t1, t2}) {
        J.block<1, 3>(row, 6 * body) = sign * r.cross(d).transpose();
        J.block<1, 3>(row, 6 * body + 3) = sign * d.transpose();
        ++row;
      }
    }
    if (a == b) J.block<3, 3>(3 * c, 6 * a + 3).setIdentity();
  }
  const MatrixXd W = J * inverse_mass.asDiagonal() * J.transpose();
  const VectorXd q = J * v;
  solver::ContactProblem problem;
  problem.W = solver::make_block_matrix(options.contacts, std::span(W.data(), W.size()));
  for (int c = 0; c < options.contacts; ++c) {
    problem.q.emplace_back(q[3 * c], q[3 * c + 1], q[3 * c + 2]);
    problem.blocks.emplace_back();
    problem.blocks.back().mu = options.mu >= 0.0 ? options.mu : random.uniform(0.0, 1.0);
  }
  return problem;
}

}  // namespace stance::bench
