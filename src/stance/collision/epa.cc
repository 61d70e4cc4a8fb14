#include "stance/collision/epa.h"

#include <algorithm>

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::norm;

namespace {

constexpr int kMaxPoints = 128, kMaxFaces = 2 * kMaxPoints;
constexpr double kTolerance = 1e-10;  // times the sizes, between face and support
constexpr double kNoVolume = 1e-12;   // times the sizes cubed
constexpr double kSliver = 1e-13;  // times the sizes squared: area below which a face has no normal
constexpr double kVisible = 1e-13;  // times the sizes
constexpr double kGone = 1e300;     // distance of a face that is no longer there

struct Face {
  kernel::Double4 n;  // outward unit normal
  double distance;    // of its plane from the origin
  int v[3];
  int next[3];  // faces across the edges v[k], v[k + 1]
  bool is_seen;
};

// An edge between faces that see the new point and one that does not.
struct HorizonEdge {
  int u, v;    // as the seen face has them
  int beyond;  // the other face
};

class Polytope {
 public:
  Polytope(const Convex& A, const Convex& B, const RelativePose& X_AB)
      : A_(A), B_(B), X_AB_(X_AB), size_(A.size + B.size) {}

  bool start();
  void expand(EpaResult& out);

 private:
  int add_point(const Vec3d& d);
  template <class Measure>
  void add_farther(const Vec3d& d, Measure&& measure);
  bool find_plane(int i, int j, int k, Face& face) const;
  void find_seen(int nearest, const Vec3d& p);
  bool see(int f);
  bool find_horizon(int point);
  int order_horizon();
  bool replace_seen(int point);
  void read_off(const Face& face, double reach, EpaResult& out) const;
  Vec3d w(int k) const { return Vec3d(w_[k]); }

  const Convex &A_, &B_;
  const RelativePose& X_AB_;
  double size_;
  Vec3d inside_;  // a point of the polytope that stays inside
  int point_count_ = 0, face_count_ = 0, free_count_ = 0, seen_count_ = 0, horizon_count_ = 0;
  kernel::Double4 w_[kMaxPoints], a_[kMaxPoints], b_[kMaxPoints];
  Face faces_[kMaxFaces];
  int free_[kMaxFaces], seen_[kMaxFaces];
  HorizonEdge horizon_[kMaxFaces + 2];  // connected: two more than faces at the most
};

int Polytope::add_point(const Vec3d& d) {
  GjkSimplex one;
  add_support(A_, B_, X_AB_, d, one);
  w_[point_count_] = one.w[0].e;
  a_[point_count_] = one.a[0].e;
  b_[point_count_] = one.b[0].e;
  return point_count_++;
}

// The farther of the two points in directions d and -d, by `measure`.
template <class Measure>
void Polytope::add_farther(const Vec3d& d, Measure&& measure) {
  const int k = add_point(d);
  add_point(-d);
  if (measure(w(k + 1)) > measure(w(k))) w_[k] = w_[k + 1], a_[k] = a_[k + 1], b_[k] = b_[k + 1];
  --point_count_;
}

// A large tetrahedron. It need not hold the origin: faces that the origin lies outside of have
// negative distances and are pushed out first.
bool Polytope::start() {
  add_point(Vec3d(1, 0, 0));
  add_point(Vec3d(-1, 0, 0));
  const Vec3d e = w(1) - w(0);
  // square to the segment, whatever its direction
  const Vec3d d = cross(e, std::abs(e[1]) < std::abs(e[2]) ? Vec3d(0, 1, 0) : Vec3d(0, 0, 1));
  add_farther(d, [&](const Vec3d& p) { return norm(cross(p - w(0), e)); });
  const Vec3d n = cross(w(1) - w(0), w(2) - w(0));
  add_farther(n, [&](const Vec3d& p) { return std::abs(dot(p - w(0), n)); });

  const double volume = dot(n, w(3) - w(0));
  if (!(std::abs(volume) > kNoVolume * size_ * size_ * size_)) return false;
  if (volume > 0.0) std::swap(w_[1], w_[2]), std::swap(a_[1], a_[2]), std::swap(b_[1], b_[2]);
  inside_ = 0.25 * (w(0) + w(1) + w(2) + w(3));
  constexpr int kCorners[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  constexpr int kNext[4][3] = {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}};
  for (int f = 0; f < 4; ++f) {
    if (!find_plane(kCorners[f][0], kCorners[f][1], kCorners[f][2], faces_[f])) return false;
    std::copy(kNext[f], kNext[f] + 3, faces_[f].next);
  }
  face_count_ = 4;
  return true;
}

// The face of three corners; false when it has no area or the inside on the wrong side.
bool Polytope::find_plane(int i, int j, int k, Face& face) const {
  const Vec3d n = cross(w(j) - w(i), w(k) - w(i));
  const double length = norm(n);
  if (!(length > kSliver * size_ * size_)) return false;
  const Vec3d unit = (1.0 / length) * n;
  if (!(dot(unit, w(i) - inside_) > 0.0)) return false;
  face = {unit.e, dot(unit, w(i)), {i, j, k}, {}, false};
  return true;
}

bool Polytope::see(int f) {
  if (faces_[f].is_seen) return false;
  faces_[f].is_seen = true;
  seen_[seen_count_++] = f;
  return true;
}

// Faces that see p, spreading from the one it was looked for beyond.
void Polytope::find_seen(int nearest, const Vec3d& p) {
  seen_count_ = 0;
  see(nearest);
  for (int s = 0; s < seen_count_; ++s)
    for (const int g : faces_[seen_[s]].next)
      if (dot(Vec3d(faces_[g].n), p) - faces_[g].distance > kVisible * size_) see(g);
}

// Puts the horizon's edges in the order of a walk from the first; how many until it closes.
int Polytope::order_horizon() {
  for (int e = 0; e + 1 < horizon_count_; ++e) {
    if (horizon_[e].v == horizon_[0].u) return e + 1;
    int k = e + 1;
    while (k < horizon_count_ && horizon_[k].u != horizon_[e].v) ++k;
    if (k == horizon_count_) return e + 1;
    std::swap(horizon_[e + 1], horizon_[k]);
  }
  return horizon_count_;
}

// The horizon of the faces that see the point. Rounding can leave it in pieces, or with edges that
// the point makes no outward face with, where faces lie in one plane (caps of cylinders): there the
// faces beyond are taken for seen too, until all is in order.
bool Polytope::find_horizon(int point) {
  for (;;) {
    horizon_count_ = 0;
    for (int s = 0; s < seen_count_; ++s) {
      const Face& face = faces_[seen_[s]];
      for (int k = 0; k < 3; ++k)
        if (!faces_[face.next[k]].is_seen)
          horizon_[horizon_count_++] = {face.v[k], face.v[(k + 1) % 3], face.next[k]};
    }
    if (horizon_count_ < 3) return false;
    bool has_grown = false;
    Face ignored;
    for (int e = 0; e < horizon_count_; ++e)
      if (!find_plane(horizon_[e].u, horizon_[e].v, point, ignored))
        has_grown |= see(horizon_[e].beyond);
    if (has_grown) continue;
    const int closed = order_horizon();
    if (closed == horizon_count_) return true;
    // the smaller of two pieces
    const bool is_first = 2 * closed <= horizon_count_;
    for (int e = is_first ? 0 : closed; e < (is_first ? closed : horizon_count_); ++e)
      see(horizon_[e].beyond);
  }
}

// A fan from the point to the horizon takes the place of the faces that see it.
bool Polytope::replace_seen(int point) {
  for (int s = 0; s < seen_count_; ++s) {
    faces_[seen_[s]].distance = kGone;
    free_[free_count_++] = seen_[s];
  }
  int places[kMaxFaces];
  for (int e = 0; e < horizon_count_; ++e) {
    if (free_count_ == 0 && face_count_ == kMaxFaces) return false;
    places[e] = free_count_ > 0 ? free_[--free_count_] : face_count_++;
  }
  for (int e = 0; e < horizon_count_; ++e) {
    const HorizonEdge& edge = horizon_[e];
    Face& face = faces_[places[e]];
    find_plane(edge.u, edge.v, point, face);
    face.next[0] = edge.beyond;
    face.next[1] = places[(e + 1) % horizon_count_];
    face.next[2] = places[(e + horizon_count_ - 1) % horizon_count_];
    Face& beyond = faces_[edge.beyond];
    for (int k = 0; k < 3; ++k)
      if (beyond.v[k] == edge.v && beyond.v[(k + 1) % 3] == edge.u) beyond.next[k] = places[e];
  }
  return true;
}

// Every direction's support is an upper bound of the depth, the nearest face a lower one. The least
// upper bound stands when the polytope cannot go on, so that the answer is at worst too deep, and
// never deeper than the shapes are along its normal.
void Polytope::expand(EpaResult& out) {
  double least = 1e300;
  for (;;) {
    int nearest = 0;
    for (int f = 1; f < face_count_; ++f)
      if (faces_[f].distance < faces_[nearest].distance) nearest = f;
    const Vec3d n(faces_[nearest].n);
    if (point_count_ == kMaxPoints) return;
    const int point = add_point(n);
    if (const double reach = dot(n, w(point)); reach < least) {
      least = reach;
      read_off(faces_[nearest], reach, out);
    }
    if (least - faces_[nearest].distance <= kTolerance * size_) return;
    find_seen(nearest, w(point));
    if (!find_horizon(point) || !replace_seen(point)) return;
  }
}

// The origin's foot on the face, as weights of its corners, and out to where the shapes reach.
void Polytope::read_off(const Face& face, double reach, EpaResult& out) const {
  const Vec3d p = w(face.v[0]), q = w(face.v[1]), r = w(face.v[2]), n(face.n);
  const Vec3d foot = face.distance * n;
  const double area = dot(n, cross(q - p, r - p));
  const double wq = dot(n, cross(foot - p, r - p)) / area;
  const double wr = dot(n, cross(q - p, foot - p)) / area;
  const double wp = 1.0 - wq - wr;
  const auto mix = [&](const kernel::Double4* from) {
    return wp * Vec3d(from[face.v[0]]) + wq * Vec3d(from[face.v[1]]) + wr * Vec3d(from[face.v[2]]);
  };
  const double step = 0.5 * (reach - face.distance);
  // A - B reaches as far as depth along n: A must move by -n depth
  out = {std::max(0.0, reach), -n, madd(step, n, mix(a_)), nmadd(step, n, mix(b_))};
}

}  // namespace

bool find_depth(const Convex& A, const Convex& B, const RelativePose& X_AB, EpaResult& out) {
  Polytope polytope(A, B, X_AB);
  if (!polytope.start()) return false;
  polytope.expand(out);
  return true;
}

}  // namespace stance::collision
