#include "stance/dynamics/validate.h"

#include <cmath>
#include <vector>

#include "stance/dynamics/aba.h"
#include "stance/kernel/random.h"

namespace stance::dynamics {
namespace {

// How far the articulated inertia may fall below the composite one before rounding rules it.
constexpr double kSingular = 1e-10;

// Marks the bodies whose own elimination breaks down; those outside it are still sound.
void find_breakdowns(const Model& model, const Kinematics<double>& kin,
                     const Inertias<double>& inertias, std::vector<char>& sound) {
  std::vector<ArticulatedInertia<double>> IA(model.nbody);
  std::vector<RigidInertia<double>> Ic(model.nbody);
  for (int i = 1; i < model.nbody; ++i) {
    Ic[i] = calc_rigid_inertia(model, inertias, i);
    IA[i] = ArticulatedInertia<double>(Ic[i]);
  }
  for (int i = model.nbody - 1; i > 0; --i) {
    bool fine = true;
    for (int k = model.v_start[i] + model.joint_nv(i) - 1; k >= model.v_start[i]; --k) {
      const Force<double> U = IA[i] * kin.S[k];
      const double rotor = model.rotor_inertia[k];
      const double D = dot(kin.S[k], U) + rotor;
      const double composite = dot(kin.S[k], Ic[i] * kin.S[k]) + rotor;
      if (!(D > kSingular * composite) || !std::isfinite(1.0 / D)) {
        fine = false;
        continue;  // leave this direction in place, so that the bodies below are still judged
      }
      IA[i] = nmadd_outer(1.0 / D, U, IA[i]);
    }
    if (fine) sound[i] = 1;
    IA[model.parent[i]] += IA[i];
    Ic[model.parent[i]] += Ic[i];
  }
}

}  // namespace

model::BodyIndex find_singular_body(const Model& model) {
  constexpr int kPostures = 4;
  std::vector<char> sound(model.nbody, 0);
  Kinematics<double> kin(model);
  Inertias<double> inertias(model);
  kernel::Random random(1);
  std::vector<double> q = model::make_neutral(model), step(model.nv);
  for (int n = 0; n < kPostures; ++n) {
    update_kinematics(model, std::span<const double>(q), kin);
    update_inertias(model, kin, inertias);
    find_breakdowns(model, kin, inertias, sound);
    for (double& x : step) x = random.uniform(-1.0, 1.0);
    model::integrate(model, q.data(), step.data(), q.data());
  }
  for (int i = model.nbody - 1; i > 0; --i)
    if (!sound[i]) return BodyIndex(i);
  return BodyIndex();
}

}  // namespace stance::dynamics
