#include "stance/collision/sat.h"

#include <algorithm>

#include "stance/collision/segments.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::norm;

namespace {

constexpr double kParallel2 = 1e-14;  // squared sine below which two edges are parallel
constexpr double kEdgeBias = 1e-10;   // times the size; an edge axis must beat the faces by it

// Faces of A as axes: B's lowest vertex above each. The normals point out of A.
struct FaceAxis {
  double separation = -1e300;
  int face = -1;
  int vertex = -1;
};

// X maps B into the frame of A.
bool find_face_axis(const PolyhedronView& A, const PolyhedronView& B, const RelativePose& X,
                    double margin, FaceAxis& best) {
  for (int f = 0; f < A.face_count; ++f) {
    const PolyhedronFace& face = A.faces[f];
    const PolyhedronSupport low = find_support(B, -transpose_mul(X.R_AB, face.n));
    const double s = dot(face.n, X.p_AB) - low.value - face.offset;
    if (s > best.separation) best = {s, f, low.vertex};
    if (s > margin) return false;
  }
  return true;
}

// Arcs that only touch give no new axis: it is the normal of a face there.
constexpr double kTouchingArcs = 1e-10;

bool on_both_sides(double a, double b) {
  return (a > kTouchingArcs && b < -kTouchingArcs) || (a < -kTouchingArcs && b > kTouchingArcs);
}

// Do the arcs of normals of two edges cross on the Gauss map? The normals of B are negated.
bool arcs_cross(bool whole_A, const PolyhedronEdge& a, bool whole_B, const Vec3d& d_B,
                const Vec3d& n0_B, const Vec3d& n1_B) {
  if (whole_A && whole_B) return true;
  if (whole_A) return on_both_sides(dot(n0_B, a.d), dot(n1_B, a.d));
  const double b0 = dot(a.n0, d_B), b1 = dot(a.n1, d_B);
  if (!on_both_sides(b0, b1)) return false;
  if (whole_B) return true;
  // each arc's ends on both sides of the other's circle, and on the same hemisphere
  const double a0 = -dot(n0_B, a.d), a1 = -dot(n1_B, a.d);
  return on_both_sides(a0, a1) && a0 * b1 > 0.0;
}

struct EdgeAxis {
  double separation = -1e300;
  int a = -1, b = -1;
  Vec3d n;
};

// Edges of a polyhedron that come within reach of another's bounding box; the nearest or deepest
// points lie on no other.
struct NearEdges {
  static constexpr int kMax = 1024;
  int count = 0;
  std::int32_t index[kMax];

  NearEdges(const PolyhedronView& poly, const PolyhedronView& other, const RelativePose& X,
            double reach) {
    Vec3d low, high;  // of the other polyhedron, in the frame of this one
    for (int k = 0; k < 3; ++k) {
      const Vec3d axis(X.R_AB(k, 0), X.R_AB(k, 1), X.R_AB(k, 2));
      high.set(k, X.p_AB[k] + find_support(other, axis).value + reach);
      low.set(k, X.p_AB[k] - find_support(other, -axis).value - reach);
    }
    for (int e = 0; e < poly.edge_count && count < kMax; ++e) {
      const kernel::Double4 p = poly.vertices[poly.edges[e].v0].e;
      const kernel::Double4 q = poly.vertices[poly.edges[e].v1].e;
      const kernel::Long4 outside = ((p < low.e) & (q < low.e)) | ((p > high.e) & (q > high.e));
      if (!(outside[0] | outside[1] | outside[2])) index[count++] = e;
    }
  }
};

bool find_edge_axis(const Convex& A, const Convex& B, const RelativePose& X,
                    const RelativePose& X_BA, double margin, double face, EdgeAxis& best) {
  const PolyhedronView &pa = A.core, &pb = B.core;
  if (pa.edge_count == 0 || pb.edge_count == 0) return true;
  // overlapping shapes: an edge axis is of use only where it shows less depth than the faces
  const double reach = std::max(margin, -face);
  const NearEdges near_A(pa, pb, X, reach), near_B(pb, pa, X_BA, reach);
  for (int m = 0; m < near_B.count; ++m) {
    const int j = near_B.index[m];
    const PolyhedronEdge& eb = pb.edges[j];
    const Vec3d d_B = X.R_AB * eb.d, n0_B = X.R_AB * eb.n0, n1_B = X.R_AB * eb.n1;
    const Vec3d q = madd(X.R_AB, pb.vertices[eb.v0], X.p_AB);
    for (int l = 0; l < near_A.count; ++l) {
      const int i = near_A.index[l];
      const PolyhedronEdge& ea = pa.edges[i];
      if (!arcs_cross(pa.whole_arcs, ea, pb.whole_arcs, d_B, n0_B, n1_B)) continue;
      Vec3d n = cross(ea.d, d_B);
      const double length2 = dot(n, n);
      if (length2 < kParallel2) continue;
      n = 1.0 / std::sqrt(length2) * n;

      // out of A and into B, by the normals around the edges; two segments: towards B
      const Vec3d& p = pa.vertices[ea.v0];
      const double out_of_A = !pa.whole_arcs   ? dot(n, ea.n0 + ea.n1)
                              : !pb.whole_arcs ? -dot(n, n0_B + n1_B)
                                               : dot(n, q - p);
      if (out_of_A < 0.0) n = -n;
      if (!(dot(n, q - p) > best.separation)) continue;

      // by the whole shapes: near parallel edges the arcs are not to be trusted
      const double s = dot(n, X.p_AB) - find_support(pa, n).value -
                       find_support(pb, -transpose_mul(X.R_AB, n)).value;
      if (s > best.separation) best = {s, i, j, n};
      if (s > margin) return false;
    }
  }
  return true;
}

}  // namespace

bool find_polyhedra_axis(const Convex& A, const Convex& B, const RelativePose& X_AB, double margin,
                         Witness& out) {
  const PolyhedronView &pa = A.core, &pb = B.core;
  FaceAxis face_A, face_B;
  const Mat3d R_BA = transpose(X_AB.R_AB);
  const RelativePose X_BA{R_BA, -(R_BA * X_AB.p_AB)};
  if (!find_face_axis(pa, pb, X_AB, margin, face_A)) return false;
  if (!find_face_axis(pb, pa, X_BA, margin, face_B)) return false;
  const double face = std::max(face_A.separation, face_B.separation);
  EdgeAxis edge;
  if (!find_edge_axis(A, B, X_AB, X_BA, margin, face, edge)) return false;

  // faces win ties
  const double bias = kEdgeBias * std::min(A.size, B.size);
  if (edge.separation > face + (face > -1e299 ? bias : 0.0)) {
    const PolyhedronEdge &ea = pa.edges[edge.a], &eb = pb.edges[edge.b];
    const Vec3d& a = pa.vertices[ea.v0];
    const Vec3d b = madd(X_AB.R_AB, pb.vertices[eb.v0], X_AB.p_AB);
    const double la = 0.5 * norm(pa.vertices[ea.v1] - a);
    const double lb = 0.5 * norm(pb.vertices[eb.v1] - pb.vertices[eb.v0]);
    const Vec3d d_B = X_AB.R_AB * eb.d;
    const SegmentPoints points =
        find_line_points(madd(la, ea.d, a), ea.d, la, madd(lb, d_B, b), d_B, lb);
    out = {-edge.n, edge.separation, points.a, points.b, feature_name(kEdges, edge.a, edge.b)};
  } else if (face_B.separation > face_A.separation + bias || face_A.face < 0) {
    const Vec3d n = X_AB.R_AB * pb.faces[face_B.face].n, a = pa.vertices[face_B.vertex];
    out = {n, face_B.separation, a, madd(-face_B.separation, n, a),
           feature_name(kVertexOfA, face_B.vertex, 0)};
  } else {
    const Vec3d n = -pa.faces[face_A.face].n;
    const Vec3d b = madd(X_AB.R_AB, pb.vertices[face_A.vertex], X_AB.p_AB);
    out = {n, face_A.separation, madd(face_A.separation, n, b), b,
           feature_name(kVertexOfB, 0, face_A.vertex)};
  }
  return true;
}

}  // namespace stance::collision
