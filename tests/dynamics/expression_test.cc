// All templated dynamics with a scalar that records expressions: recorded once, without a state,
// and evaluated at many. Code that branched on a value of its scalar would not compile here.

#include "stance/kernel/expression.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "stance/dynamics/delassus.h"

#include "support/contacts.h"
#include "support/random_forest.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::VectorXd;
using kernel::Expression;

constexpr double kRounding = 1e-12;  // of the largest entry
constexpr double kSolve = 1e-10;     // through M^-1

// Results of one algorithm, one number after the other.
template <class T>
struct Result {
  const char* name;
  double tolerance;
  std::vector<T> values{};
  double scale = 0.0;  // of the numbers that went in, where results are differences of them

  void add(const T& x) { values.push_back(x); }
  void add(const kernel::Vec3<T>& a) {
    for (int k = 0; k < 3; ++k) add(T(a[k]));
  }
  void add(const kernel::Mat3<T>& a) {
    for (const kernel::Vec3<T>& column : a.c) add(column);
  }
  template <class Spatial>
  requires requires(Spatial a) { a.ang, a.lin; }
  void add(const Spatial& a) { add(a.ang), add(a.lin); }
  template <class Item>
  void add(const std::vector<Item>& items) {
    for (const Item& item : items) add(item);
  }
};

// What the algorithms take, cut from one list of numbers.
template <class T>
struct Input {
  Input(const Model& model, std::span<const T> x) : left(x) {
    q = take(model.nq), v = take(model.nv), vdot = take(model.nv), tau = take(model.nv);
    diagonal = take(model.nv), move = take(model.nv);
    for (int i = 0; i < model.nbody; ++i) {
      const std::span<const T> f = take(6);
      wrenches.push_back({{f[0], f[1], f[2]}, {f[3], f[4], f[5]}});
    }
  }
  static int count(const Model& model) { return model.nq + 5 * model.nv + 6 * model.nbody; }

  std::span<const T> take(int n) {
    const std::span<const T> part = left.first(n);
    left = left.subspan(n);
    return part;
  }

  std::span<const T> left, q, v, vdot, tau, diagonal, move;
  std::vector<Force<T>> wrenches;
};

// Every templated algorithm of the layer, one after the other.
template <class T>
std::vector<Result<T>> run_all(const Model& model, const ContactSet& contacts, const Input<T>& in) {
  std::vector<Result<T>> results;
  const auto add = [&](const char* name, double tolerance, const auto&... parts) {
    (results.push_back({name, tolerance}), ..., results.back().add(parts));
  };
  const Vec3d gravity = test::kTiltedGravity;
  const std::span<const Force<T>> wrenches(in.wrenches);
  Kinematics<T> kin(model);
  update_kinematics(model, in.q, kin);
  add("poses", kRounding, kin.R_WB, kin.p_OB, kin.p_WO, kin.S);
  Velocities<T> vel(model);
  update_velocities(model, kin, in.v, vel);
  add("velocities", kRounding, vel.V, vel.c);
  Inertias<T> inertias(model);
  update_inertias(model, kin, inertias);
  add("centres", kRounding, inertias.p_OC);
  std::vector<kernel::Mat3<T>> I_C;
  for (const kernel::Sym3<T>& I : inertias.I_C) I_C.push_back(I.full());
  add("inertias", kRounding, I_C);

  NewtonEuler<T> newton_euler(model);
  std::vector<T> tau(model.nv), vdot(model.nv);
  calc_body_forces(model, gravity, kin, inertias, vel, in.vdot, wrenches, newton_euler);
  add("body forces", kRounding, newton_euler.F);
  calc_inverse_dynamics(model, gravity, kin, inertias, vel, in.vdot, wrenches, newton_euler,
                        std::span<T>(tau));
  add("inverse dynamics", kRounding, tau);
  MassMatrix<T> mass(model);
  update_mass_matrix(model, kin, inertias, mass);
  std::vector<T> M;
  for (int j = 0; j < model.nv; ++j)
    for (int i = 0; i < model.nv; ++i) M.push_back(mass.M(i, j));
  add("mass matrix", kRounding, M);

  Articulated<T> art(model);
  ForwardDynamics<T> forward(model);
  const AddedInertia<T> added[] = {
      {1, ArticulatedInertia<T>(calc_rigid_inertia(model, inertias, 1))}};
  for (const bool is_plain : {true, false}) {
    update_articulated(model, kin, inertias, is_plain ? std::span<const T>() : in.diagonal,
                       is_plain ? std::span<const AddedInertia<T>>() : added, art);
    calc_forward_dynamics(model, gravity, kin, inertias, vel, art, in.tau, wrenches, forward,
                          std::span<T>(vdot));
    add("forward dynamics", kSolve, vdot);
    apply_inverse_mass(model, kin, art, in.tau, wrenches, forward, std::span<T>(vdot));
    add("inverse mass", kSolve, vdot);
  }
  Delassus<T> delassus(model);
  update_points(model, kin, contacts, delassus);
  for (const DelassusMethod method : kDelassusMethods) {
    if (method == DelassusMethod::kDirect) continue;  // of doubles only
    update_lambda(method, model, kin, art, contacts, delassus);
    const auto lambda = delassus.lambda();
    add(delassus_method_name(method), kSolve, std::vector<T>(lambda.begin(), lambda.end()));
  }
  std::vector<T> next(model.nq), back(model.nv);
  model::integrate(model, in.q.data(), in.move.data(), next.data());
  model::difference(model, in.q.data(), next.data(), back.data());
  add("integration", kRounding, next);
  // coordinates of size 1 less others: what rounding leaves of those is absolute
  add("difference", kRounding, back);
  results.back().scale = 1.0;
  return results;
}

std::vector<double> make_numbers(kernel::Random& random, const Model& model, double move) {
  std::vector<double> x;
  const auto add = [&](const VectorXd& part) { x.insert(x.end(), part.begin(), part.end()); };
  add(test::make_coordinates(random, model));
  for (int k = 0; k < 3; ++k) add(test::make_vector(random, model.nv, 2.0));  // v, vdot, tau
  add(test::make_vector(random, model.nv, 0.5).cwiseAbs());
  add(test::make_vector(random, model.nv, move));
  add(test::make_vector(random, 6 * model.nbody, 3.0));
  return x;
}

TEST(Expression, PassesThroughAllTemplatedDynamics) {
  for (int seed = 0; seed < 12; ++seed) {
    const Model model = test::make_forest(seed);
    kernel::Random random(900 + seed);
    ContactSet contacts(model);
    contacts.set(model, test::make_contacts(random, model, 5));
    Expression::tape() = {};
    std::vector<Expression> symbols;
    for (int k = 0; k < Input<Expression>::count(model); ++k)
      symbols.push_back(Expression::make_input());
    const auto recorded =
        run_all(model, contacts, Input<Expression>(model, std::span<const Expression>(symbols)));
    std::vector<double> values;
    // small moves and large ones: both ways of turning a quaternion
    for (const double move : {0.0, 1e-5, 0.1, 1.0}) {
      const std::vector<double> x = make_numbers(random, model, move);
      Expression::tape().evaluate(x, values);
      const auto expected =
          run_all(model, contacts, Input<double>(model, std::span<const double>(x)));
      ASSERT_EQ(recorded.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const std::size_t n = expected[k].values.size();
        ASSERT_EQ(recorded[k].values.size(), n);
        VectorXd got(n), wanted(n);
        for (std::size_t j = 0; j < n; ++j) {
          got[j] = values[recorded[k].values[j].node()];
          wanted[j] = expected[k].values[j];
        }
        const double size = std::max(n == 0 ? 0.0 : wanted.norm(), expected[k].scale);
        if (size == 0.0) {
          EXPECT_EQ(got.norm(), 0.0);
          continue;
        }
        EXPECT_LT((got - wanted).norm() / size, expected[k].tolerance)
            << expected[k].name << ", seed " << seed << ", move " << move;
      }
    }
  }
}

}  // namespace
}  // namespace stance::dynamics
