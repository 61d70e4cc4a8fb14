#include "stance/solver/local_law.h"

namespace stance::solver {
namespace {

constexpr double kLost = 1e-14;  // an inverse inertia this far below its neighbours is rounding
constexpr double kThin = 1e-12;  // added to a tangential part that is singular

}  // namespace

LocalFactor make_local_factor(const Block& block, const Mat3d& W, double noise) {
  LocalFactor f;
  const double trace = W(0, 0) + W(1, 1) + W(2, 2);
  const double lost = std::max(kLost * trace, noise);
  const bool has_normal = W(0, 0) > lost;
  f.inverse_nn = has_normal ? 1.0 / W(0, 0) : 0.0;
  f.s11 = W(1, 1), f.s12 = W(1, 2), f.s21 = W(2, 1), f.s22 = W(2, 2);
  if (block.law == Law::kSpin) {  // its rows are bounded one after the other
    f.inverse_det = 1.0 / (f.s11 * f.s22 - f.s12 * f.s21);
    return f;
  }

  f.n1 = -W(0, 1) * f.inverse_nn, f.n2 = -W(0, 2) * f.inverse_nn;
  f.t1 = W(1, 0) * f.inverse_nn, f.t2 = W(2, 0) * f.inverse_nn;
  f.s11 += W(1, 0) * f.n1, f.s12 += W(1, 0) * f.n2;
  f.s21 += W(2, 0) * f.n1, f.s22 += W(2, 0) * f.n2;
  if (block.law == Law::kContact) {
    // Bodies linked by two joints cannot move apart in every direction: a contact between them
    // sticks with the least impulse that does it, and slides where nothing can hold it.
    const double across = f.s11 + f.s22;
    if (across > lost && !(f.s11 * f.s22 - f.s12 * f.s21 > kThin * across * across))
      f.s11 += kThin * across, f.s22 += kThin * across;
  }
  if (block.law == Law::kBilateral) {
    // rows that are unused or that follow from the others take no impulse of their own
    const double stiff = trace > lost ? trace : 1.0;
    if (!(f.s11 > lost)) f.s11 = stiff, f.s12 = f.s21 = 0.0;
    if (!(f.s11 * f.s22 - f.s12 * f.s21 > lost * f.s11)) f.s22 = f.s12 * f.s21 / f.s11 + stiff;
  }
  f.inverse_det = 1.0 / (f.s11 * f.s22 - f.s12 * f.s21);
  return f;
}

Vec3d solve_spin(const LocalFactor& f, const Block& block, const Mat3d& W, double normal,
                 const Vec3d& b, const Vec3d& p_old, double& lambda) {
  const double load = std::max(normal, 0.0);
  const double torsion = block.mu * load, radius = block.mu_rolling * load;
  const double b0 = b[0] + W(0, 1) * p_old[1] + W(0, 2) * p_old[2];
  const double p0 = std::clamp(-b0 * f.inverse_nn, -torsion, torsion);
  const double s1 = b[1] + W(1, 0) * p0, s2 = b[2] + W(2, 0) * p0;
  if (radius == 0.0 || (s1 == 0.0 && s2 == 0.0)) return {p0, 0.0, 0.0};
  LocalFactor disc = f;
  disc.inverse_nn = 0.0;
  const Vec3d held = hold(disc, {0.0, s1, s2});
  if (held[1] * held[1] + held[2] * held[2] <= radius * radius) return {p0, held[1], held[2]};
  const Vec3d rolling = slide(disc, 1.0, radius, s1, s2, lambda);
  return {p0, rolling[1], rolling[2]};
}

}  // namespace stance::solver
