#pragma once

// Free motion of a model by the library's integrators.

#include <functional>

#include "stance/dynamics/integrators.h"

#include "support/workbench.h"

namespace stance::test {

enum class Method { kSemiImplicit, kRk4 };

class Simulation {
 public:
  Simulation(const model::Model& model, const kernel::Vec3d& gravity)
      : bench(model), integrator_(model), tau_(Eigen::VectorXd::Zero(model.nv)) {
    bench.gravity = gravity;
  }

  void start(const Eigen::VectorXd& q_start, const Eigen::VectorXd& v_start) {
    q = q_start;
    v = v_start;
  }

  void step(Method method, double h) {
    const auto accelerate = [&](std::span<const double> q_now, std::span<const double> v_now,
                                std::span<double> vdot) {
      bench.set(Eigen::Map<const Eigen::VectorXd>(q_now.data(), bench.model.nq),
                Eigen::Map<const Eigen::VectorXd>(v_now.data(), bench.model.nv));
      Eigen::Map<Eigen::VectorXd>(vdot.data(), bench.model.nv) = bench.calc_forward(tau_);
    };
    if (method == Method::kRk4)
      dynamics::step_rk4(bench.model, h, accelerate, out(q), out(v), integrator_);
    else
      dynamics::step_semi_implicit(bench.model, h, accelerate, out(q), out(v), integrator_);
  }

  void run(Method method, double h, int steps) {
    for (int n = 0; n < steps; ++n) step(method, h);
  }

  // The bench at the present state, to read energies and momenta from.
  Workbench& look() {
    bench.set(q, v);
    return bench;
  }

  Workbench bench;
  Eigen::VectorXd q, v;

 private:
  dynamics::IntegratorWork integrator_;
  Eigen::VectorXd tau_;
};

}  // namespace stance::test
