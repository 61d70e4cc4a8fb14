#include "stance/collision/surface_pair.h"

#include <algorithm>

#include "stance/collision/convex_pair.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::norm;

namespace {

// A normal leaning over a flat or hollow edge by more than this (rad) is replaced.
constexpr double kLean = 1e-10;
// Depths up to this (times the size of the shape) may be measured along the triangle's normal
// although another way out is shorter.
constexpr double kShallow = 0.1;
// What juts out so far to the front of a sheet (m) may still be behind it, however small it is.
constexpr double kJuts = 5e-4;
// Points so near to an edge (times the size of the shape) are at the edge.
constexpr double kEdge = 0.01;

// A triangle as a flat polyhedron in the frame of the shape: two faces, three sides without height,
// and every edge twice, its normals from the front to the side and from the side to the back.
struct FlatPolyhedron {
  Vec3d v[3], n, side[3];
  double xyz[12];
  PolyhedronFace faces[5];
  PolyhedronEdge edges[6];
  Convex convex;

  FlatPolyhedron(const SurfaceTriangle& t, const RelativePose& X) {
    static constexpr std::int32_t kLoopVertices[6] = {0, 1, 2, 0, 2, 1};
    static constexpr std::int32_t kLoopEdges[6] = {0, 1, 2, 2, 1, 0};
    double size = 0.0;
    for (int k = 0; k < 3; ++k) v[k] = madd(X.R_AB, t.v[k], X.p_AB);
    n = X.R_AB * t.n;
    for (int k = 0; k < 3; ++k) {
      const Vec3d e = v[k == 2 ? 0 : k + 1] - v[k];
      const double length = norm(e);
      size = std::max(size, length);
      const Vec3d d = (1.0 / length) * e;
      side[k] = cross(d, n);
      edges[k] = {d, n, side[k], k, k == 2 ? 0 : k + 1};
      faces[k + 2] = {side[k], dot(side[k], v[k]), k, 2};
      edges[k + 3] = {d, side[k], -n, k, k == 2 ? 0 : k + 1};
    }
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < 4; ++k) xyz[4 * axis + k] = v[std::min(k, 2)][axis];
    const double offset = dot(n, v[0]);
    faces[0] = {n, offset, 0, 3};
    faces[1] = {-n, -offset, 3, 3};
    convex.kind = ShapeKind::kHull;
    convex.p_GC = (1.0 / 3.0) * (v[0] + v[1] + v[2]);
    convex.size = size;
    convex.core = {v,          xyz, xyz + 4, xyz + 8, faces, edges, kLoopVertices,
                   kLoopEdges, 3,   5,       2,       6,     size,  false};
  }
};

// Is n a normal of the surface at this triangle?
bool is_normal(const FlatPolyhedron& flat, const SurfaceTriangle& t, const RelativePose& X,
               const Vec3d& n) {
  bool leans = false;
  for (int k = 0; k < 3; ++k) {
    if (dot(n, flat.side[k]) <= kLean) continue;
    if (!t.active[k]) return false;
    // not farther over than the side of a border, or than the normal of the triangle beyond
    const Vec3d limit = t.border[k] ? flat.n : cross(X.R_AB * t.beyond[k], flat.edges[k].d);
    if (dot(n, limit) < -kLean) return false;
    leans = true;
  }
  return leans || dot(n, flat.n) > 0.0;
}

std::uint32_t mix(std::uint32_t kind, std::uint32_t a, std::uint32_t b) {
  std::uint64_t x = std::uint64_t(a) << 32 | b;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return kind | static_cast<std::uint32_t>(x >> 34);
}

// Names of a triangle's corners and edges become those of the surface; a corner of the shape on a
// triangle keeps its own, so that it does not change from triangle to triangle.
std::uint32_t surface_name(std::uint32_t name, const SurfaceTriangle& t) {
  const std::uint32_t kind = name & kEdges, a = name >> 15 & 0x7fffu, b = name & 0x7fffu;
  if (kind == kVertexOfA) return name;
  if (kind == kVertexOfB) return mix(kind, 0, std::uint32_t(t.vertex[b % 3]));
  if (kind == kEdges) return mix(kind, a, std::uint32_t(t.edge[b % 3]));
  return mix(kind, a, std::uint32_t(t.index));
}

void append(const ManifoldPoint& point, const Vec3d& n, std::uint32_t name, SurfaceContacts& out) {
  if (out.count == kMaxSurfacePoints) return void(++out.dropped);
  out.points[out.count++] = {point.p, n, point.gap, name};
}

void append(const Manifold& manifold, const SurfaceTriangle& t, SurfaceContacts& out) {
  for (int k = 0; k < manifold.count; ++k) {
    const ManifoldPoint& p = manifold.points[k];
    append(p, manifold.n, surface_name(p.name, t), out);
  }
}

// Keeps the points of which f says so.
template <class F>
void keep_if(Manifold& manifold, F&& f) {
  int n = 0;
  for (int k = 0; k < manifold.count; ++k)
    if (f(manifold.points[k])) manifold.points[n++] = manifold.points[k];
  manifold.count = n;
}

// On the back, what is near a hollow edge may be a shape that stands on the front of the triangle
// beyond, the depth of its contact wide: not a contact with this one.
void drop_hollow(const Convex& shape, const FlatPolyhedron& flat, const SurfaceTriangle& t,
                 Manifold& manifold) {
  for (int side = 0; side < 3; ++side) {
    if (!t.hollow[side]) continue;
    keep_if(manifold, [&](const ManifoldPoint& point) {
      return dot(flat.side[side], point.p - flat.v[side]) < -kEdge * shape.size;
    });
  }
}

// Of those whose normal is none of the surface's, the one that is least deep along its own.
void keep_deepest(const Manifold& own, const SurfaceTriangle& t, double gap, SurfaceContacts& out) {
  if (own.count == 0 || (out.is_deep && gap <= out.deep)) return;
  out.is_deep = true, out.deep = gap, out.deepest = own;
  for (int k = 0; k < own.count; ++k) out.deepest_names[k] = surface_name(own.points[k].name, t);
}

const RelativePose kHere{Mat3d::identity(), Vec3d()};

// Contacts with the front of a triangle, which may be one that was turned over.
void add_front_contacts(const Convex& shape, const FlatPolyhedron& flat, const RelativePose& X_AS,
                        const SurfaceTriangle& t, bool is_back, double margin,
                        SurfaceContacts& out) {
  const double offset = dot(flat.n, flat.v[0]);
  const Support low = find_core_support(shape, -flat.n);
  const double s = dot(flat.n, low.p) - offset;
  if (s - shape.rounding >= margin) return;

  // the contact with the triangle alone
  Manifold manifold;
  find_convex_contacts(shape, flat.convex, kHere, margin, manifold);
  if (is_back) drop_hollow(shape, flat, t, manifold);
  if (manifold.count == 0) return;
  if (is_normal(flat, t, X_AS, manifold.n)) return append(manifold, t, out);

  // a normal the surface does not have: along the triangle's own, where that is not far deeper
  double least = margin;
  for (int k = 0; k < manifold.count; ++k) least = std::min(least, manifold.points[k].gap);
  const double along = s - shape.rounding;
  Manifold own;
  const Witness witness{flat.n, s, low.p, low.p - s * flat.n, 0};
  // where the deepest point of the shape is over another triangle: only what lies over this one
  if (!make_manifold(shape, flat.convex, kHere, witness, margin, own))
    keep_if(own, [&](const ManifoldPoint& point) { return point.name != witness.name; });
  if (is_back) drop_hollow(shape, flat, t, own);
  if (along < std::min(2.0 * least, -kShallow * shape.size))
    return keep_deepest(own, t, along, out);
  append(own, t, out);
}

// Whether a shape is on the back of a sheet's triangle: its middle is, and little juts out to the
// front.
bool is_behind(const Convex& shape, const FlatPolyhedron& flat) {
  const double offset = dot(flat.n, flat.v[0]);
  if (dot(flat.n, shape.p_GC) >= offset) return false;
  const double juts = dot(flat.n, find_core_support(shape, flat.n).p) + shape.rounding - offset;
  return juts <= std::max(kShallow * shape.size, std::min(0.5 * shape.size, kJuts));
}

// What meets the border of a sheet: its normal may point anywhere, from the front over the side to
// the back, and says on which side of the sheet the shape is. False if it does not.
bool add_border_contacts(const Convex& shape, const FlatPolyhedron& flat, const RelativePose& X_AS,
                         const SurfaceTriangle& t, double margin, SurfaceContacts& out) {
  if (!(t.border[0] || t.border[1] || t.border[2])) return false;
  // before anything else: whether it comes near one
  const auto is_over = [&](int k) {
    const Vec3d& side = flat.side[k];
    return t.border[k] && dot(side, find_core_support(shape, side).p) + shape.rounding + margin >
                              dot(side, flat.v[k]);
  };
  if (!is_over(0) && !is_over(1) && !is_over(2)) return false;
  Manifold manifold;
  find_convex_contacts(shape, flat.convex, kHere, margin, manifold);
  if (manifold.count == 0) return true;
  bool leans = false;
  for (int k = 0; k < 3; ++k)
    leans = leans || (t.border[k] && dot(manifold.n, flat.side[k]) > kLean);
  if (!leans) return false;
  if (dot(manifold.n, flat.n) >= 0.0) {
    if (!is_normal(flat, t, X_AS, manifold.n)) return false;
  } else {
    const SurfaceTriangle back = turn_over(t);
    if (!is_normal(FlatPolyhedron(back, X_AS), back, X_AS, manifold.n)) return false;
  }
  append(manifold, t, out);
  return true;
}

}  // namespace

void add_triangle_contacts(const Convex& shape, const RelativePose& X_AS, const SurfaceTriangle& t,
                           double margin, SurfaceContacts& out) {
  const FlatPolyhedron flat(t, X_AS);
  if (t.is_sheet && add_border_contacts(shape, flat, X_AS, t, margin, out)) return;
  if (t.is_sheet && is_behind(shape, flat)) {
    const SurfaceTriangle back = turn_over(t);
    return add_front_contacts(shape, FlatPolyhedron(back, X_AS), X_AS, back, true, margin, out);
  }
  // wholly behind something solid
  const double high = dot(flat.n, find_core_support(shape, flat.n).p) + shape.rounding;
  if (high <= dot(flat.n, flat.v[0])) return;
  add_front_contacts(shape, flat, X_AS, t, false, margin, out);
}

void add_deep_contacts(SurfaceContacts& contacts) {
  if (!contacts.is_deep || contacts.count > 0) return;
  for (int k = 0; k < contacts.deepest.count; ++k)
    append(contacts.deepest.points[k], contacts.deepest.n, contacts.deepest_names[k], contacts);
}

void find_lone_triangle_contacts(const Convex& shape, const RelativePose& X_AS,
                                 const SurfaceTriangle& t, double margin, Manifold& out) {
  const FlatPolyhedron flat(t, X_AS);
  find_convex_contacts(shape, flat.convex, kHere, margin, out);
}

}  // namespace stance::collision
