#include "stance/solver/contact_lanes.h"

#include <algorithm>
#include <cmath>

namespace stance::solver {

using kernel::Double4;
using kernel::fma4;
using kernel::fnma4;
using kernel::is_any;
using kernel::load4;
using kernel::Long4;
using kernel::select4;
using kernel::splat;
using kernel::sqrt4;
using kernel::store4;
using kernel::transpose4;

namespace {

constexpr int kFewest = 64;   // contacts for which it pays
constexpr int kMostOpen = 8;  // batches that wait for further pairs
constexpr int kLongestRun = 16;
constexpr double kSound = 1e-9;  // of its diagonal: a pivot that is more than rounding
constexpr double kNoise = 1e-14;

// f L, f_k being (ang, lin)
void multiply(const Force<double>& f, const std::array<double, 21>& L, double sign, double* J) {
  for (int j = 0; j < 6; ++j) {
    double sum = 0.0;
    for (int i = j; i < 6; ++i) sum += f[i] * L[i * (i + 1) / 2 + j];
    J[j] = sign * sum;
  }
}

}  // namespace

// ---- the batches --------------------------------------------------------------------------------

const ContactLanes::Root& ContactLanes::find_root(const BodyProblem& problem, int node) {
  Root& root = roots_[node];
  if (root.is_known) return root;
  root.is_known = true, root.is_sound = false;
  const BodyProblem::Node& at = problem.nodes[node];
  if (at.end - at.first != 1 || at.set >= 0) return root;
  const Mat6<double>& omega = problem.response[at.responses];
  for (int i = 0; i < 6; ++i) {
    double* row = root.L.data() + i * (i + 1) / 2;
    for (int j = 0; j <= i; ++j) {
      const double* other = root.L.data() + j * (j + 1) / 2;
      double rest = omega(i, j);
      for (int k = 0; k < j; ++k) rest -= row[k] * other[k];
      if (j < i) {
        row[j] = rest / other[j];
      } else {
        if (!(rest > kSound * omega(i, i))) return root;
        row[i] = std::sqrt(rest);
      }
    }
  }
  root.is_sound = true;
  return root;
}

// Contacts one after the other between the same two free bodies, those of many points first, so
// that pairs side by side have about as many.
void ContactLanes::find_runs(const BodyProblem& problem) {
  const auto fits = [&](int i) {
    const BodyProblem::Rows& rows = problem.rows[i];
    return problem.blocks[i].law == Law::kContact && rows.k1 < 0 && rows.a != rows.b &&
           !problem.C.has(i) && (rows.a < 0 || find_root(problem, rows.a).is_sound) &&
           (rows.b < 0 || find_root(problem, rows.b).is_sound);
  };
  runs_.clear();
  for (int i = 0; i < problem.num_blocks(); ++i) {
    if (!fits(i)) continue;
    is_here_[i] = 1, ++count_;
    if (!runs_.empty()) {
      Run& last = runs_.back();
      const BodyProblem::Rows &before = problem.rows[i - 1], &rows = problem.rows[i];
      if (last.first + last.count == i && before.a == rows.a && before.b == rows.b &&
          last.count < kLongestRun) {
        ++last.count;
        continue;
      }
    }
    runs_.push_back({i, 1});
  }
}

void ContactLanes::start(const BodyProblem& problem) {
  clear();
  const int n = problem.num_blocks(), world = problem.num_nodes();
  if (n < kFewest) return;
  is_here_.assign(n, 0);
  roots_.assign(problem.num_nodes(), {});
  find_runs(problem);
  if (count_ < kFewest) return clear();
  factors_.resize(n);
  y_.assign(world + 1, {});
  if (slots_.capacity() < problem.blocks.capacity()) slots_.reserve(problem.blocks.capacity());
  open_.clear();
  for (int points = kLongestRun; points > 0; --points)
    for (const Run& run : runs_)
      if (run.count == points) add(problem, run);
  for (const Batch& batch : batches_)
    for (int lane = batch.pairs; lane < 4; ++lane)
      for (int s = batch.first; s < batch.end; ++s) clear(slots_[s], lane);
}

void ContactLanes::add(const BodyProblem& problem, const Run& run) {
  const int world = problem.num_nodes();
  const BodyProblem::Rows& rows = problem.rows[run.first];
  const int a = rows.a < 0 ? world : rows.a, b = rows.b < 0 ? world : rows.b;
  const auto meets = [&](const Batch& batch) {
    for (int k = 0; k < batch.pairs; ++k) {
      if (a != world && (batch.a[k] == a || batch.b[k] == a)) return true;
      if (b != world && (batch.a[k] == b || batch.b[k] == b)) return true;
    }
    return false;
  };
  auto at = std::find_if(open_.begin(), open_.end(), [&](int k) { return !meets(batches_[k]); });
  if (at == open_.end()) {
    if (open_.size() == kMostOpen) open_.erase(open_.begin());
    const int first = static_cast<int>(slots_.size());
    open_.push_back(static_cast<int>(batches_.size()));
    at = open_.end() - 1;
    batches_.push_back(
        {{world, world, world, world}, {world, world, world, world}, 0, first, first + run.count});
    slots_.resize(first + run.count);
  }
  Batch& batch = batches_[*at];
  const int lane = batch.pairs++;
  batch.a[lane] = a, batch.b[lane] = b;
  for (int k = 0; k < run.count; ++k) fill(problem, run.first + k, slots_[batch.first + k], lane);
  for (int s = batch.first + run.count; s < batch.end; ++s) clear(slots_[s], lane);
  if (batch.pairs == 4) open_.erase(at);
}

void ContactLanes::clear(Slot& slot, int lane) {
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 6; ++j) slot.J_a[k][j][lane] = slot.J_b[k][j][lane] = 0.0;
    slot.q[k][lane] = 0.0;
  }
  for (Double4* value : {&slot.w_nn, &slot.inverse_nn, &slot.n1, &slot.n2, &slot.s11, &slot.s12,
                         &slot.s22, &slot.inverse_det, &slot.mu, &slot.lambda})
    (*value)[lane] = 0.0;
  slot.block[lane] = -1;
}

void ContactLanes::fill(const BodyProblem& problem, int block, Slot& slot, int lane) {
  const BodyProblem::Rows& rows = problem.rows[block];
  double J[3][12] = {};
  for (int k = 0; k < 3; ++k) {
    if (rows.a >= 0) multiply(rows.f_a[k], roots_[rows.a].L, 1.0, J[k]);
    if (rows.b >= 0) multiply(rows.f_b[k], roots_[rows.b].L, -1.0, J[k] + 6);
    for (int j = 0; j < 6; ++j) slot.J_a[k][j][lane] = J[k][j], slot.J_b[k][j][lane] = J[k][6 + j];
    slot.q[k][lane] = problem.q[block][k];
  }
  Mat3d W;
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l <= k; ++l) {
      double sum = 0.0;
      for (int j = 0; j < 12; ++j) sum += J[k][j] * J[l][j];
      W.c[l].set(k, sum), W.c[k].set(l, sum);
    }
  const double noise = kNoise * (W(0, 0) + W(1, 1) + W(2, 2));
  const LocalFactor f = factors_[block] = make_local_factor(problem.blocks[block], W, noise);
  slot.w_nn[lane] = f.inverse_nn > 0.0 ? W(0, 0) : 0.0, slot.inverse_nn[lane] = f.inverse_nn;
  slot.n1[lane] = f.n1, slot.n2[lane] = f.n2;
  slot.s11[lane] = f.s11, slot.s12[lane] = f.s12, slot.s22[lane] = f.s22;
  slot.inverse_det[lane] = f.inverse_det;
  slot.mu[lane] = problem.blocks[block].mu, slot.lambda[lane] = 0.0;
  slot.block[lane] = block;
}

// ---- velocities ---------------------------------------------------------------------------------

void ContactLanes::take(std::span<const Motion<double>> V) {
  for (std::size_t n = 0; n < V.size(); ++n) {
    if (!roots_[n].is_sound) continue;
    const std::array<double, 21>& L = roots_[n].L;
    double* y = y_[n].y;
    for (int i = 0; i < 6; ++i) {
      double rest = V[n][i];
      for (int k = 0; k < i; ++k) rest -= L[i * (i + 1) / 2 + k] * y[k];
      y[i] = rest / L[i * (i + 1) / 2 + i];
    }
  }
}

void ContactLanes::give(std::span<Motion<double>> V) const {
  for (std::size_t n = 0; n < V.size(); ++n) {
    if (!roots_[n].is_sound) continue;
    const std::array<double, 21>& L = roots_[n].L;
    double v[6] = {};
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k <= i; ++k) v[i] += L[i * (i + 1) / 2 + k] * y_[n].y[k];
    V[n] = {Vec3d(v[0], v[1], v[2]), Vec3d(v[3], v[4], v[5])};
  }
}

namespace {

// Six components of four nodes, side by side, and back.
[[gnu::always_inline]] inline void gather(const double* const from[4], Double4* y) {
  for (int k = 0; k < 4; ++k) y[k] = load4(from[k]);
  transpose4(y[0], y[1], y[2], y[3]);
  Double4 e = load4(from[0] + 4), f = load4(from[1] + 4), g = load4(from[2] + 4),
          h = load4(from[3] + 4);
  transpose4(e, f, g, h);
  y[4] = e, y[5] = f;
}
[[gnu::always_inline]] inline void scatter(Double4* y, double* const to[4]) {
  transpose4(y[0], y[1], y[2], y[3]);
  Double4 e = y[4], f = y[5], g{}, h{};
  transpose4(e, f, g, h);
  const Double4 last[4] = {e, f, g, h};
  for (int k = 0; k < 4; ++k) {
    store4(to[k], y[k]);
    store4(to[k] + 4, last[k]);
  }
}

// Impulses of four blocks, side by side, and back; -1 is none.
[[gnu::always_inline]] inline void gather(std::span<const Vec3d> p, const int* block,
                                          Double4* out) {
  Double4 lane[4];
  for (int k = 0; k < 4; ++k) lane[k] = block[k] >= 0 ? p[block[k]].e : Double4{};
  transpose4(lane[0], lane[1], lane[2], lane[3]);
  for (int k = 0; k < 3; ++k) out[k] = lane[k];
}
[[gnu::always_inline]] inline void scatter(const Double4* in, const int* block,
                                           std::span<Vec3d> p) {
  Double4 lane[4] = {in[0], in[1], in[2], {}};
  transpose4(lane[0], lane[1], lane[2], lane[3]);
  for (int k = 0; k < 4; ++k)
    if (block[k] >= 0) p[block[k]].e = lane[k];
}

// y += J^T p
[[gnu::always_inline]] inline void act(const Double4 (*J)[6], const Double4* p, Double4* y) {
  for (int j = 0; j < 6; ++j)
    y[j] = fma4(J[2][j], p[2], fma4(J[1][j], p[1], fma4(J[0][j], p[0], y[j])));
}

}  // namespace

// Calls visit(y_a, y_b) for the velocities of a batch and takes back what it leaves there.
template <class Visit>
void ContactLanes::visit_velocities(const Batch& batch, Visit&& visit) {
  double *a[4], *b[4];
  for (int k = 0; k < 4; ++k) a[k] = y_[batch.a[k]].y, b[k] = y_[batch.b[k]].y;
  Double4 y_a[6], y_b[6];
  gather(a, y_a), gather(b, y_b);
  visit(y_a, y_b);
  scatter(y_a, a), scatter(y_b, b);
}

void ContactLanes::place(std::span<const Vec3d> p) {
  std::fill(y_.begin(), y_.end(), NodeVelocity{});
  for (const Batch& batch : batches_) {
    visit_velocities(batch, [&](Double4* y_a, Double4* y_b) {
      for (int s = batch.first; s < batch.end; ++s) {
        Double4 impulse[3];
        gather(p, slots_[s].block, impulse);
        act(slots_[s].J_a, impulse, y_a), act(slots_[s].J_b, impulse, y_b);
      }
    });
  }
}

namespace {

// project_cone() of residual.h
[[gnu::always_inline]] inline void project4(Double4 mu, Double4* p) {
  const Double4 zero{}, one = splat(1.0);
  const Double4 t = sqrt4(fma4(p[1], p[1], p[2] * p[2]));
  const Double4 n = fma4(mu, t, p[0]) / fma4(mu, mu, one);
  const Long4 is_inside = t <= mu * p[0], is_out = mu * t <= -p[0];
  const Double4 scale = mu * n / select4(t > zero, t, one);
  p[0] = select4(is_out, zero, select4(is_inside, p[0], n));
  for (int k = 1; k < 3; ++k) p[k] = select4(is_out, zero, select4(is_inside, p[k], scale * p[k]));
}

}  // namespace

void ContactLanes::project_and_place(std::span<Vec3d> p) {
  std::fill(y_.begin(), y_.end(), NodeVelocity{});
  for (const Batch& batch : batches_) {
    visit_velocities(batch, [&](Double4* y_a, Double4* y_b) {
      for (int s = batch.first; s < batch.end; ++s) {
        const Slot& slot = slots_[s];
        Double4 impulse[3];
        gather(p, slot.block, impulse);
        project4(slot.mu, impulse);
        scatter(impulse, slot.block, p);
        act(slot.J_a, impulse, y_a), act(slot.J_b, impulse, y_b);
      }
    });
  }
}

// ---- a sweep ------------------------------------------------------------------------------------

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// slide() of local_law.h in the lanes of `todo`: p where a contact slides.
template <class Slot>
void slide4(Slot& f, Double4 n0, Double4 s1, Double4 s2, Long4 todo, double precision, Double4* p) {
  constexpr int kMaxSteps = 60;
  const Long4 slides = todo;
  const Double4 zero{}, infinite = splat(kInfinite);
  Double4 low{}, high = infinite;
  Double4 x = select4((f.lambda > zero) & (f.lambda < splat(1e300)), f.lambda, zero);
  Double4 det, p1, p2, pn, length;
  const Double4 cross = f.s12 * f.s12, by_s = fma4(f.n1, s1, f.n2 * s2);
  for (int k = 0;; ++k) {
    const Double4 a = f.s11 + x, d = f.s22 + x;
    det = fma4(a, d, -cross);
    p1 = fnma4(d, s1, f.s12 * s2);
    p2 = fnma4(a, s2, f.s12 * s1);
    pn = fma4(n0, det, fma4(f.n1, p1, f.n2 * p2));
    const Double4 length2 = fma4(p1, p1, p2 * p2);
    length = sqrt4(length2);
    const Double4 g = fma4(f.mu, pn, -length), enough = splat(precision) * length;
    todo &= ~((g < enough) & (g > -enough));
    if (k == kMaxSteps || !is_any(todo)) break;
    const Long4 is_high = g > zero;  // not a number counts as too low: S is singular
    high = select4(is_high, x, high), low = select4(is_high, low, x);
    // slopes in lambda: of det a + d, of p_T -s
    const Double4 pn_slope = fma4(n0, a + d, -by_s), along = -fma4(p1, s1, p2 * s2);
    Double4 next = x - g * length2 / (f.mu * fma4(pn_slope, length2, -(pn * along)));
    const Long4 is_lost = ~((next > low) & (next < high));
    if (is_any(is_lost & todo)) {
      const Double4 trace = f.s11 + f.s22;
      const Double4 grown =
          splat(4.0) * select4(x > zero, x, select4(trace > zero, trace, splat(1.0)));
      const Double4 between = select4(low > zero, sqrt4(low) * sqrt4(high), splat(0.5) * high);
      next = select4(is_lost, select4(high < infinite, between, grown), next);
    }
    todo &= next != x;
    x = select4(todo, next, x);
  }
  const Double4 inverse = splat(1.0) / det;
  const Long4 is_finite = length * inverse < infinite;
  f.lambda = select4(slides & is_finite, x, f.lambda);
  // in the cone to the last bit
  pn *= inverse, p1 *= inverse, p2 *= inverse;
  pn = select4(pn > zero, pn, zero);
  const Double4 limit = f.mu * pn;
  length = sqrt4(fma4(p1, p1, p2 * p2));
  const Double4 scale = select4(length > limit, limit / length, splat(1.0));
  p[0] = select4(slides, select4(is_finite, pn, n0), p[0]);
  p[1] = select4(slides, select4(is_finite, scale * p1, zero), p[1]);
  p[2] = select4(slides, select4(is_finite, scale * p2, zero), p[2]);
}

}  // namespace

void ContactLanes::sweep(std::span<Vec3d> p, double relaxation, double precision, Sums& sums) {
  const Double4 zero{};
  const auto visit = [&](Slot& f, Double4* y_a, Double4* y_b) {
    Double4 old[3], u[3];
    gather(p, f.block, old);
    for (int k = 0; k < 3; ++k) {
      Double4 by_a = fma4(f.J_a[k][0], y_a[0], f.q[k]), by_b = f.J_b[k][0] * y_b[0];
      for (int j = 1; j < 6; ++j) {
        by_a = fma4(f.J_a[k][j], y_a[j], by_a);
        by_b = fma4(f.J_b[k][j], y_b[j], by_b);
      }
      u[k] = by_a + by_b;
    }

    if (!is_any((old[0] != zero) | (u[0] < zero))) {
      // open, and stay so: many points of a heap are only near
      sums.velocity2 = fma4(u[0], u[0], fma4(u[1], u[1], fma4(u[2], u[2], sums.velocity2)));
      return;
    }

    // solve_contact() of local_law.h, with what b = u - W p comes to: n0 = -b_N / W_NN and
    // s = b_T - W_TN b_N / W_NN
    const Double4 at_rest = fnma4(f.n1, old[1], fnma4(f.n2, old[2], old[0]));
    const Double4 n0 = f.inverse_nn * fma4(f.w_nn, at_rest, -u[0]);
    const Double4 s1 = fma4(f.n1, u[0], u[1]) - fma4(f.s11, old[1], f.s12 * old[2]);
    const Double4 s2 = fma4(f.n2, u[0], u[2]) - fma4(f.s12, old[1], f.s22 * old[2]);
    Double4 now[3];
    now[1] = fnma4(f.s22, s1, f.s12 * s2) * f.inverse_det;
    now[2] = fnma4(f.s11, s2, f.s12 * s1) * f.inverse_det;
    now[0] = fma4(f.n1, now[1], fma4(f.n2, now[2], n0));
    const Double4 limit = f.mu * now[0];
    const Long4 is_closed = n0 > zero;
    const Long4 sticks =
        (fma4(now[1], now[1], now[2] * now[2]) <= limit * limit) & (now[0] >= zero);
    const Long4 is_smooth = (f.mu == zero) | ((s1 == zero) & (s2 == zero));
    const Long4 slides = is_closed & ~sticks;
    now[0] = select4(sticks, now[0], n0);
    now[1] = select4(sticks, now[1], zero);
    now[2] = select4(sticks, now[2], zero);
    for (int k = 0; k < 3; ++k) now[k] = select4(is_closed, now[k], zero);
    if (is_any(slides & ~is_smooth)) slide4(f, n0, s1, s2, slides & ~is_smooth, precision, now);

    Double4 dp[3];
    for (int k = 0; k < 3; ++k) dp[k] = now[k] - old[k];
    const Double4 du_n = f.w_nn * fnma4(f.n1, dp[1], fnma4(f.n2, dp[2], dp[0]));
    const Double4 du_1 = fnma4(f.n1, du_n, fma4(f.s11, dp[1], f.s12 * dp[2]));
    const Double4 du_2 = fnma4(f.n2, du_n, fma4(f.s12, dp[1], f.s22 * dp[2]));
    sums.change2 = fma4(du_n, du_n, fma4(du_1, du_1, fma4(du_2, du_2, sums.change2)));
    u[0] += du_n, u[1] += du_1, u[2] += du_2;
    sums.velocity2 = fma4(u[0], u[0], fma4(u[1], u[1], fma4(u[2], u[2], sums.velocity2)));
    if (relaxation != 1.0) {
      for (int k = 0; k < 3; ++k) {
        dp[k] *= splat(relaxation);
        now[k] = old[k] + dp[k];
      }
    }
    for (int k = 0; k < 3; ++k) sums.impulse2 = fma4(now[k], now[k], sums.impulse2);
    scatter(now, f.block, p);
    act(f.J_a, dp, y_a), act(f.J_b, dp, y_b);
  };
  for (const Batch& batch : batches_) {
    visit_velocities(batch, [&](Double4* y_a, Double4* y_b) {
      for (int s = batch.first; s < batch.end; ++s) visit(slots_[s], y_a, y_b);
    });
  }
}

}  // namespace stance::solver
