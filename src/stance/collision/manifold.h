#pragma once

// Several contact points with one normal: the overlap of the two features that face each other.
//
// Given the normal n, both shapes show an outline towards each other: a face, a segment or a
// point. The outlines are projected along n and intersected in the plane; every corner of the
// intersection is a contact whose gap is the distance of the two surfaces along n. Corners are
// named by what made them (a vertex of A, a vertex of B, an edge of A across an edge of B),
// whichever shape was taken as the reference, so that names survive a flip of the reference.

#include <cstdint>

#include "stance/collision/convex.h"

namespace stance::collision {

inline constexpr int kMaxManifold = 32;  // points kept of one pair of convex shapes

struct ManifoldPoint {
  Vec3d p;             // midway between the surfaces
  double gap;          // m
  std::uint32_t name;  // feature_name below
};

// In the frame of A.
struct Manifold {
  Vec3d n;  // unit, from B to A
  int count = 0;
  ManifoldPoint points[kMaxManifold];
};

// Names of features: what kind of meeting in the two highest bits.
inline constexpr std::uint32_t kVertexOfA = 1u << 30, kVertexOfB = 2u << 30, kEdges = 3u << 30;
inline std::uint32_t feature_name(std::uint32_t kind, int a, int b) {
  return kind | (static_cast<std::uint32_t>(a) & 0x7fffu) << 15 |
         (static_cast<std::uint32_t>(b) & 0x7fffu);
}

// What is known of the pair before: the normal, how far apart the cores are along it, and one pair
// of points where that distance is taken (in the frame of A).
struct Witness {
  Vec3d n;
  double separation;
  Vec3d a, b;
  std::uint32_t name;
};

// Fills the manifold with the points whose gap is below margin. Where the features do not hold a
// point as near as the witness, its own points are added. True when a face holds it: a proof that
// the separation is the distance.
bool make_manifold(const Convex& A, const Convex& B, const RelativePose& X_AB,
                   const Witness& witness, double margin, Manifold& out);

// The witness as the only point: a sphere has no more.
void make_single_contact(const Convex& A, const Convex& B, const Witness& witness, double margin,
                         Manifold& out);

}  // namespace stance::collision
