#pragma once

// Distance of two convex cores by their support functions (Gilbert, Johnson, Keerthi 1988).

#include "stance/collision/convex.h"

namespace stance::collision {

enum class GjkStatus {
  kApart,   // distance and nearest points found
  kBeyond,  // farther apart than asked for; nothing else filled
  kOverlap  // the cores meet or are closer than rounding allows to tell
};

struct GjkSimplex {
  int count = 0;
  Vec3d w[4], a[4], b[4];  // w = a - b, points of A and B in the frame of A
  int vertex_a[4], vertex_b[4];
  double weight[4];
};

struct GjkResult {
  GjkStatus status = GjkStatus::kOverlap;
  double distance = 0.0;
  Vec3d n;     // unit, from B to A
  Vec3d a, b;  // nearest points, in the frame of A
  GjkSimplex simplex;
};

// Tolerance: relative 1e-13 in the distance for polyhedra, 1e-10 where cylinders take part.
void find_distance(const Convex& A, const Convex& B, const RelativePose& X_AB, double beyond,
                   GjkResult& out);

// The farthest point of A - B in direction d (frame of A).
void add_support(const Convex& A, const Convex& B, const RelativePose& X_AB, const Vec3d& d,
                 GjkSimplex& simplex);

}  // namespace stance::collision
