#pragma once

// Points of soles of many kinds, whose hulls stand on something: with bevels and rounded edges,
// with pads of not quite the same height, rough by nanometres to micrometres.

#include <cmath>
#include <vector>

#include "stance/kernel/random.h"

#include "sim/simulation.h"

namespace stance::test {

using kernel::Random;

enum class SoleKind { kPolygon, kBevel, kSteps, kDisc, kRoundEdge, kRough, kPads, kFloat, kArch };
inline constexpr SoleKind kSoleKinds[] = {
    SoleKind::kPolygon, SoleKind::kBevel, SoleKind::kSteps, SoleKind::kDisc, SoleKind::kRoundEdge,
    SoleKind::kRough,   SoleKind::kPads,  SoleKind::kFloat, SoleKind::kArch};

// Built one after the other: rings around z and clouds.
class SolePoints {
 public:
  explicit SolePoints(Random& random)
      : random_(random), a_(random.uniform(0.06, 0.15)), b_(random.uniform(0.04, 0.1)) {}

  std::vector<Vec3d> make(SoleKind kind) {
    switch (kind) {
      case SoleKind::kPolygon:
        make_outline(4 + random_.integer(37), true), add_rings({{1, 0}});
        break;
      case SoleKind::kBevel: {
        const double bevel = log_uniform(1e-5, 3e-3);
        make_outline(3 + random_.integer(38), random_.integer(2) == 0);
        add_rings({{1, 0}, {1 + random_.uniform(1, 30) * bevel, bevel}});
        break;
      }
      case SoleKind::kSteps: {
        const double rise = log_uniform(1e-6, 1e-4);
        make_outline(3 + random_.integer(38), random_.integer(2) == 0);
        add_rings({{1, 0}, {1.02, rise}, {1.05, 4 * rise}, {1.07, 9 * rise}, {1.1, 16 * rise}});
        break;
      }
      case SoleKind::kDisc:
        make_outline(20 + random_.integer(180), false), add_rings({{1, 0}});
        break;
      case SoleKind::kRoundEdge: {
        const double radius = random_.uniform(0.002, 0.015);
        const int rings = 3 + random_.integer(10);
        make_outline(20 + random_.integer(60), false);
        for (int k = 0; k <= rings; ++k) {
          const double angle = 0.5 * M_PI * k / rings;
          add_rings({{1 + radius * std::sin(angle) / a_, radius * (1 - std::cos(angle))}});
        }
        break;
      }
      case SoleKind::kRough:
        add_rough_grid(4 + random_.integer(12), log_uniform(1e-9, 1e-5));
        break;
      case SoleKind::kPads: add_pads(log_uniform(1e-7, 1e-5)); break;
      case SoleKind::kFloat: {
        make_outline(3 + random_.integer(38), random_.integer(2) == 0);
        add_rings({{1, 0}, {1.02, 4e-4}});
        round_to_float();
        break;
      }
      case SoleKind::kArch: add_arch(random_.uniform(0, 1e-5)); break;
    }
    for (int k = 0; k < 4; ++k)  // what stands on the sole
      points_.emplace_back((k & 1 ? 1.1 : -1.1) * a_, (k & 2 ? 1.1 : -1.1) * b_, 0.05);
    return points_;
  }

 private:
  struct Ring {
    double scale, z;
  };

  double log_uniform(double low, double high) {
    return low * std::pow(high / low, random_.uniform(0.0, 1.0));
  }
  void make_outline(int corners, bool is_irregular) {
    for (int k = 0; k < corners; ++k) {
      const double angle =
          2 * M_PI * (is_irregular ? random_.uniform(0.0, 1.0) : double(k) / corners);
      outline_.emplace_back(a_ * std::cos(angle), b_ * std::sin(angle), 0.0);
    }
  }
  void add_rings(std::initializer_list<Ring> rings) {
    for (const Ring& ring : rings)
      for (const Vec3d& p : outline_)
        points_.emplace_back(ring.scale * p[0], ring.scale * p[1], ring.z);
  }
  void add_rough_grid(int n, double height) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        points_.emplace_back(a_ * (2.0 * i / (n - 1) - 1), b_ * (2.0 * j / (n - 1) - 1),
                             random_.uniform(-height, height));
  }
  void add_pads(double height) {
    for (int pad = 0; pad < 6; ++pad) {
      const double x = random_.uniform(-a_, a_), y = random_.uniform(-b_, b_);
      const double z = random_.uniform(-height, height);
      const int corners = 4 + random_.integer(20);
      for (int k = 0; k < corners; ++k)
        points_.emplace_back(x + 0.02 * std::cos(2 * M_PI * k / corners),
                             y + 0.02 * std::sin(2 * M_PI * k / corners), z);
    }
  }
  // Heel and toe with bevels, one of them a little higher.
  void add_arch(double height) {
    for (const double side : {-0.7, 0.7}) {
      const int corners = 6 + random_.integer(20);
      const double z = side < 0 ? height : 0.0;
      for (int k = 0; k < corners; ++k) {
        const double c = std::cos(2 * M_PI * k / corners), s = std::sin(2 * M_PI * k / corners);
        points_.emplace_back(side * a_ + 0.3 * a_ * c, b_ * s, z);
        points_.emplace_back(side * a_ + 0.33 * a_ * c, 1.1 * b_ * s, z + 1e-3);
      }
    }
  }
  // As a mesh in single precision has them, whose axes are others.
  void round_to_float() {
    const kernel::Mat3d R = make_rotation({1, 2, 3}, random_.uniform(0.0, 3.0));
    for (Vec3d& p : points_) {
      const Vec3d q = R * p + Vec3d(0.3, 0.1, -0.2);
      p = transpose(R) * (Vec3d(float(q[0]), float(q[1]), float(q[2])) - Vec3d(0.3, 0.1, -0.2));
    }
  }

  Random& random_;
  double a_, b_;  // m, half length and half width
  std::vector<Vec3d> outline_, points_;
};

}  // namespace stance::test
