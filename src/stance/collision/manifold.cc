#include "stance/collision/manifold.h"

#include <algorithm>
#include <cstdlib>

#include "stance/collision/lean.h"
#include "stance/collision/outline.h"

namespace stance::collision {

using kernel::dot;
using kernel::Double4;
using kernel::norm;

namespace {

// A polygon is clipped against when its normal is within about 11 degrees of the contact's.
constexpr double kAligned = 0.98;
// Segments within about 6 degrees of each other touch along a line.
constexpr double kParallelSine = 0.1;
// Lines of round shapes may be this far apart sideways (times the radii) and still touch.
constexpr double kSideways = 0.2;
// Corners this far outside (times the size) count as inside: names do not flicker when edges or
// corners of two shapes coincide.
constexpr double kClipSlack = 1e-5;
// Features whose deepest point is this much (times the size) above the witness hold it.
constexpr double kWitnessSlack = 1e-12;
// Up to this much the slack of clipping is to blame, and the deepest point takes the exact gap.
constexpr double kSlackGap = 1e-7;

// A corner of the clipped polygon, and its name in parts: sides are counted 0.. for the subject and
// kReferenceSide.. for the reference.
constexpr int kReferenceSide = 1 << 14;
constexpr int kMaxClipped = 3 * kMaxOutline + 2;

struct Clipped {
  int count = 0;
  Double4 p[kMaxClipped];
  std::uint32_t name[kMaxClipped];
  int side[kMaxClipped];  // of the side from this corner to the next

  Clipped() {}
};

// Names as seen from A and B, whichever of them is the reference.
struct Naming {
  const Outline& subject;
  const Outline& reference;
  bool subject_is_A;

  std::uint32_t subject_corner(int k) const {
    return subject_is_A ? feature_name(kVertexOfA, subject.vertex[k], 0)
                        : feature_name(kVertexOfB, 0, subject.vertex[k]);
  }
  // Where side i meets the reference side k: two sides of the reference share a corner of it.
  std::uint32_t crossing(int i, int k) const {
    if (i >= kReferenceSide) {
      const int j = i - kReferenceSide;
      const int corner = (k + 1) % reference.count == j ? j : k;
      const int v = reference.vertex[corner];
      return subject_is_A ? feature_name(kVertexOfB, 0, v) : feature_name(kVertexOfA, v, 0);
    }
    const int s = subject.edge[i], r = reference.edge[k];
    return subject_is_A ? feature_name(kEdges, s, r) : feature_name(kEdges, r, s);
  }
};

// Signed distance of points from one side of the reference, positive inside.
struct Side {
  double nx, ny, offset;

  Side(const Outline& reference, int k, double sign) {
    const Double4 a = reference.p[k], b = reference.p[k + 1 == reference.count ? 0 : k + 1];
    const double dx = b[0] - a[0], dy = b[1] - a[1];
    const double s = sign / std::sqrt(dx * dx + dy * dy);
    nx = -s * dy, ny = s * dx;
    offset = -(nx * a[0] + ny * a[1]);
  }
  double operator()(Double4 p) const { return nx * p[0] + ny * p[1] + offset; }
};

// Sutherland and Hodgman's clipping by one side.
void clip_side(const Clipped& in, const Side& side, int k, double slack, const Naming& naming,
               Clipped& out) {
  out.count = 0;
  double d = side(in.p[0]);
  const double first = d;
  for (int i = 0; i < in.count; ++i) {
    const int j = i + 1 == in.count ? 0 : i + 1;
    const double d_next = j == 0 ? first : side(in.p[j]);
    const bool inside = d >= -slack, next_inside = d_next >= -slack;
    if (inside) {
      out.p[out.count] = in.p[i];
      out.name[out.count] = in.name[i];
      out.side[out.count++] = in.side[i];
    }
    if (inside != next_inside) {
      const double t = std::clamp(d / (d - d_next), 0.0, 1.0);
      out.p[out.count] = in.p[i] + kernel::splat(t) * (in.p[j] - in.p[i]);
      out.name[out.count] = naming.crossing(in.side[i], k);
      out.side[out.count++] = inside ? kReferenceSide + k : in.side[i];
    }
    d = d_next;
  }
}

// A segment: keeps the part inside, moving its ends. Of a part that is shorter than the slack only
// ends of the segment stay: where the nearest point is a corner or an edge, the segment just
// touches the polygon there, and rounding would decide whether that are two points, named by what
// happens to come first, or none. Sides that cut at one place (a corner) give the name of the
// first.
void clip_segment(const Outline& subject, const Outline& reference, double sign, double slack,
                  const Naming& naming, Clipped& out) {
  double low = 0.0, high = 1.0;
  std::uint32_t low_name = naming.subject_corner(0), high_name = naming.subject_corner(1);
  const Double4 along = subject.p[1] - subject.p[0];
  const double length = std::hypot(along[0], along[1]);
  const double same = length > slack ? slack / length : 0.0;
  out.count = 0;
  for (int k = 0; k < reference.count; ++k) {
    const Side side(reference, k, sign);
    const double d0 = side(subject.p[0]), d1 = side(subject.p[1]);
    if (d0 < -slack && d1 < -slack) return;
    if (d0 >= -slack && d1 >= -slack) continue;
    const double t = std::clamp(d0 / (d0 - d1), 0.0, 1.0);
    if (d0 < d1 && t > low) {
      if (low == 0.0 || t > low + same) low_name = naming.crossing(0, k);
      low = t;
    }
    if (d0 > d1 && t < high) {
      if (high == 1.0 || t < high - same) high_name = naming.crossing(0, k);
      high = t;
    }
  }
  const bool is_short = high - low < same;
  const auto add = [&](double t, std::uint32_t name) {
    out.p[out.count] = t == 1.0 ? subject.p[1] : subject.p[0] + kernel::splat(t) * along;
    out.name[out.count++] = name;
  };
  if (low == 0.0 || !is_short) add(low, low_name);
  if (high == 1.0 || !is_short) add(high, high_name);
}

void clip_point(const Outline& subject, const Outline& reference, double sign, double slack,
                const Naming& naming, Clipped& out) {
  out.count = 0;
  for (int k = 0; k < reference.count; ++k)
    if (Side(reference, k, sign)(subject.p[0]) < -slack) return;
  out.p[0] = subject.p[0];
  out.name[0] = naming.subject_corner(0);
  out.count = 1;
}

// Polygon against polygon; the answer ends in out, other is a second buffer.
void clip_polygon(const Outline& subject, const Outline& reference, double sign, double slack,
                  const Naming& naming, Clipped& out, Clipped& other) {
  out.count = subject.count;
  for (int i = 0; i < subject.count; ++i) {
    out.p[i] = subject.p[i];
    out.name[i] = naming.subject_corner(i);
    out.side[i] = i;
  }
  Clipped *from = &out, *to = &other;
  for (int k = 0; k < reference.count && from->count > 0; ++k) {
    // sides that cut nothing off are passed over
    const Side side(reference, k, sign);
    bool cuts = false;
    for (int i = 0; i < from->count; ++i) cuts |= side(from->p[i]) < -slack;
    if (!cuts) continue;
    clip_side(*from, side, k, slack, naming, *to);
    std::swap(from, to);
  }
  if (from == &other) {
    out.count = other.count;
    std::copy(other.p, other.p + other.count, out.p);
    std::copy(other.name, other.name + other.count, out.name);
  }
}

// Adds those of the subject's inner points that the reference holds.
void add_inner(const Outline& subject, const Outline& reference, double sign, double slack,
               const Naming& naming, Clipped& out) {
  if (out.count < 3) return;
  for (int i = subject.count; i < subject.count + subject.inner; ++i) {
    bool is_inside = true;
    for (int k = 0; k < reference.count && is_inside; ++k)
      is_inside = Side(reference, k, sign)(subject.p[i]) >= -slack;
    if (!is_inside) continue;
    out.p[out.count] = subject.p[i];
    out.name[out.count++] = naming.subject_corner(i);
  }
}

// Keeps those of many that carry (lean.h).
void reduce(Clipped& c, const double* gap) {
  ChosenPoints chosen;
  choose_points(
      c.count,
      [&](int i) {
        return FlatPoint{c.p[i][0], c.p[i][1], gap[i]};
      },
      chosen);
  int n = 0;
  for (const int i : chosen.sort()) c.p[n] = c.p[i], c.name[n++] = c.name[i];
  c.count = n;
}

struct PairFrame {
  Projection A, B;
  double rounding_A, rounding_B;
  double margin;
  double separation;  // no two points of the shapes are closer along the normal
};

void append(const PairFrame& frame, double x, double y, double z_A, double z_B, std::uint32_t name,
            Manifold& out) {
  const double gap = std::max(z_A - z_B, frame.separation) - (frame.rounding_A + frame.rounding_B);
  if (gap >= frame.margin || out.count == kMaxManifold) return;
  const double z = 0.5 * ((z_A - frame.rounding_A) + (z_B + frame.rounding_B));
  out.points[out.count++] = {frame.A.axes * Vec3d(x, y, z), gap, name};
}

// The overlap of the outline `subject` with the polygon `reference`; returns the least distance.
double append_overlap(const PairFrame& frame, const Outline& subject, const Outline& reference,
                      bool subject_is_A, double slack, Manifold& out) {
  Clipped clipped, other;
  const Naming naming{subject, reference, subject_is_A};
  // seen along the normal the outline of A runs clockwise
  const double sign = subject_is_A ? 1.0 : -1.0;
  if (subject.count > 2)
    clip_polygon(subject, reference, sign, slack, naming, clipped, other);
  else if (subject.count == 2)
    clip_segment(subject, reference, sign, slack, naming, clipped);
  else
    clip_point(subject, reference, sign, slack, naming, clipped);
  add_inner(subject, reference, sign, slack, naming, clipped);

  // distance along the normal from the reference's plane
  const Double4 r = reference.p[0];
  const double z0 = r[2] - reference.slope_x * r[0] - reference.slope_y * r[1];
  const double side = subject_is_A ? 1.0 : -1.0;
  double gap[kMaxClipped], least = 1e300;
  int n = 0;
  for (int i = 0; i < clipped.count; ++i) {
    const Double4 p = clipped.p[i];
    const double z = z0 + reference.slope_x * p[0] + reference.slope_y * p[1];
    const double g = side * (p[2] - z);
    least = std::min(least, g);
    if (g - frame.rounding_A - frame.rounding_B >= frame.margin) continue;
    gap[n] = g;
    clipped.p[n] = p;
    clipped.name[n++] = clipped.name[i];
  }
  clipped.count = n;
  if (n > (subject.inner > 0 ? kMaxManifold : kFewPoints)) reduce(clipped, gap);
  for (int i = 0; i < clipped.count; ++i) {
    const Double4 p = clipped.p[i];
    const double z = z0 + reference.slope_x * p[0] + reference.slope_y * p[1];
    append(frame, p[0], p[1], subject_is_A ? p[2] : z, subject_is_A ? z : p[2], clipped.name[i],
           out);
  }
  return least;
}

// Two nearly parallel lines: the ends of the part they share, unless they have run apart there by
// more than their curvature (radius, of both together) forgives.
double append_shared_segment(const PairFrame& frame, const Double4* a, const int* a_names,
                             const Double4* b, const int* b_names, double radius, double slack,
                             Manifold& out) {
  const double ax = a[1][0] - a[0][0], ay = a[1][1] - a[0][1];
  const double bx = b[1][0] - b[0][0], by = b[1][1] - b[0][1];
  const double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by;
  const double cross = ax * by - ay * bx, along = ax * bx + ay * by;
  if (!(a2 > 0.0) || !(b2 > 0.0) || cross * cross > kParallelSine * kParallelSine * a2 * b2)
    return 1e300;

  // ends of B as parameters on A
  const double t0 = ((b[0][0] - a[0][0]) * ax + (b[0][1] - a[0][1]) * ay) / a2;
  const double t1 = t0 + along / a2;
  const bool same = along > 0.0;
  const double low = std::max(0.0, std::min(t0, t1)), high = std::min(1.0, std::max(t0, t1));
  // where ends of both meet, it is A's
  const double close = slack / std::sqrt(a2);
  const std::uint32_t low_name = low > close ? feature_name(kVertexOfB, 0, b_names[same ? 0 : 1])
                                             : feature_name(kVertexOfA, a_names[0], 0);
  const std::uint32_t high_name = high < 1.0 - close
                                      ? feature_name(kVertexOfB, 0, b_names[same ? 1 : 0])
                                      : feature_name(kVertexOfA, a_names[1], 0);
  // a part that is a point: the nearest ones are known better
  if (high - low < close) return 1e300;

  // points on both lines, and how far they are from each other sideways
  double least = 1e300;
  const auto point = [&](double t, std::uint32_t name) {
    const double s = std::clamp((t - t0) / (t1 - t0), 0.0, 1.0);
    const Double4 p = a[0] + kernel::splat(t) * (a[1] - a[0]);
    const Double4 q = b[0] + kernel::splat(s) * (b[1] - b[0]);
    const double sideways = std::hypot(p[0] - q[0], p[1] - q[1]);
    if (sideways > kSideways * radius + slack) return;
    const double bulge = radius > 0.0 ? 0.5 * sideways * sideways / radius : 0.0;
    least = std::min(least, p[2] - q[2] + bulge);
    append(frame, 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), p[2] + bulge, q[2], name, out);
  };
  point(low, low_name);
  point(high, high_name);
  return least;
}

// Unit vectors square to n.
void make_plane_axes(const Vec3d& n, Vec3d& x, Vec3d& y) {
  // (Duff et al. 2017, Building an orthonormal basis, revisited)
  const double sign = std::copysign(1.0, n[2]), a = -1.0 / (sign + n[2]), b = n[0] * n[1] * a;
  x = Vec3d(1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]);
  y = Vec3d(b, sign + n[1] * n[1] * a, -n[1]);
}

}  // namespace

void make_single_contact(const Convex& A, const Convex& B, const Witness& witness, double margin,
                         Manifold& out) {
  const double gap = witness.separation - (A.rounding + B.rounding);
  out.n = witness.n;
  out.count = 0;
  if (gap >= margin) return;
  const Vec3d p_A = witness.a - A.rounding * witness.n, p_B = witness.b + B.rounding * witness.n;
  out.points[out.count++] = {0.5 * (p_A + p_B), gap, witness.name};
}

bool make_manifold(const Convex& A, const Convex& B, const RelativePose& X_AB,
                   const Witness& witness, double margin, Manifold& out) {
  out.n = witness.n;
  out.count = 0;

  // both shapes in a frame along the normal
  PairFrame frame{{}, {}, A.rounding, B.rounding, margin, witness.separation};
  Vec3d x, y;
  make_plane_axes(witness.n, x, y);
  frame.A.axes = Mat3d(x, y, witness.n);
  const Mat3d& R = X_AB.R_AB;
  const Vec3d n_B = transpose_mul(R, witness.n);
  frame.B = {Mat3d(transpose_mul(R, x), transpose_mul(R, y), n_B),
             transpose_mul(frame.A.axes, X_AB.p_AB)};
  Outline a, b;
  find_outline(A, -witness.n, frame.A, a);
  find_outline(B, n_B, frame.B, b);

  // a face towards a face, an edge or a point; else two lines side by side; else one point
  const double slack = kClipSlack * std::min(A.size, B.size);
  double least = 1e300;
  const bool has_face = std::max(a.alignment, b.alignment) > kAligned;
  if (has_face) {
    const bool B_is_flatter =
        (b.inner > 0) == (a.inner > 0) ? b.alignment >= a.alignment - 1e-9 : a.inner > 0;
    const bool can_choose = std::min(a.alignment, b.alignment) > kAligned;
    const bool B_is_reference = can_choose ? B_is_flatter : b.alignment >= a.alignment - 1e-9;
    least = append_overlap(frame, B_is_reference ? a : b, B_is_reference ? b : a, B_is_reference,
                           slack, out);
  } else {
    Vec3d ends_A[2], ends_B[2];
    int names_A[2], names_B[2];
    if (find_edge(A, -witness.n, ends_A, names_A) && find_edge(B, n_B, ends_B, names_B)) {
      const Double4 pa[2] = {frame.A(ends_A[0]), frame.A(ends_A[1])};
      const Double4 pb[2] = {frame.B(ends_B[0]), frame.B(ends_B[1])};
      const double radius = A.rounding + A.radius + B.rounding + B.radius;
      least = append_shared_segment(frame, pa, names_A, pb, names_B, radius, slack, out);
    }
  }

  // the nearest points themselves, where the features did not hold them
  const double size = std::max(A.size, B.size), short_of = least - witness.separation;
  if (short_of <= kWitnessSlack * size) return has_face;
  const double gap = witness.separation - (A.rounding + B.rounding);
  if (gap >= margin) return false;
  if (short_of < kSlackGap * size && out.count > 0) {
    std::min_element(out.points, out.points + out.count, [](const auto& p, const auto& q) {
      return p.gap < q.gap;
    })->gap = gap;
    return false;
  }
  const Vec3d p_A = witness.a - A.rounding * witness.n, p_B = witness.b + B.rounding * witness.n;
  // a name is given once: the point that has it is less exact
  int at = 0;
  while (at < out.count && out.points[at].name != witness.name) ++at;
  if (at == kMaxManifold) --at;
  out.points[at] = {0.5 * (p_A + p_B), gap, witness.name};
  out.count = std::max(out.count, at + 1);
  return false;
}

}  // namespace stance::collision
