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

struct Face {
  kernel::Double4 n;  // outward unit normal
  double distance;    // of its plane from the origin
  int v[3];
};

class Polytope {
 public:
  Polytope(const Convex& A, const Convex& B, const RelativePose& X_AB)
      : A_(A), B_(B), X_AB_(X_AB), size_(A.size + B.size) {}

  bool start();
  bool expand(EpaResult& out);

 private:
  int add_point(const Vec3d& d);
  template <class Measure>
  void add_farther(const Vec3d& d, Measure&& measure);
  bool add_face(int i, int j, int k);
  bool replace_visible(int point);
  void read_off(const Face& face, EpaResult& out) const;
  Vec3d w(int k) const { return Vec3d(w_[k]); }

  const Convex &A_, &B_;
  const RelativePose& X_AB_;
  double size_;
  int point_count_ = 0, face_count_ = 0;
  kernel::Double4 w_[kMaxPoints], a_[kMaxPoints], b_[kMaxPoints];
  Face faces_[kMaxFaces];
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
  return add_face(0, 1, 2) && add_face(0, 3, 1) && add_face(0, 2, 3) && add_face(1, 3, 2);
}

bool Polytope::add_face(int i, int j, int k) {
  if (face_count_ == kMaxFaces) return false;
  const Vec3d n = cross(w(j) - w(i), w(k) - w(i));
  const double length = norm(n);
  // without area: it closes the surface, is never nearest and never seen
  if (!(length > kSliver * size_ * size_)) {
    faces_[face_count_++] = {kernel::Double4{}, 1e300, {i, j, k}};
    return true;
  }
  const Vec3d unit = (1.0 / length) * n;
  faces_[face_count_++] = {unit.e, dot(unit, w(i)), {i, j, k}};
  return true;
}

// Faces that see the new point give way to a fan from it over their horizon.
bool Polytope::replace_visible(int point) {
  int edges[kMaxFaces][2], count = 0;
  const Vec3d p = w(point);
  int kept = 0;
  for (int f = 0; f < face_count_; ++f) {
    const Face& face = faces_[f];
    if (dot(Vec3d(face.n), p) - face.distance <= kVisible * size_) {
      if (kept != f) faces_[kept] = face;
      ++kept;
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      // an edge met in both directions is inside the hole
      const int u = face.v[k], v = face.v[(k + 1) % 3];
      int e = 0;
      while (e < count && !(edges[e][0] == v && edges[e][1] == u)) ++e;
      if (e < count) {
        --count;
        edges[e][0] = edges[count][0], edges[e][1] = edges[count][1];
      } else {
        if (count == kMaxFaces) return false;
        edges[count][0] = u, edges[count++][1] = v;
      }
    }
  }
  face_count_ = kept;
  for (int e = 0; e < count; ++e)
    if (!add_face(edges[e][0], edges[e][1], point)) return false;
  return count > 0;
}

bool Polytope::expand(EpaResult& out) {
  // the best face so far stands when the polytope cannot go on
  for (;;) {
    const Face* nearest = nullptr;
    for (int f = 0; f < face_count_; ++f)
      if (nearest == nullptr || faces_[f].distance < nearest->distance) nearest = &faces_[f];
    if (nearest == nullptr) return false;
    read_off(*nearest, out);
    if (point_count_ == kMaxPoints) return true;
    const Vec3d n(nearest->n);
    const double distance = nearest->distance;
    const int point = add_point(n);
    if (dot(n, w(point)) - distance <= kTolerance * size_) return true;
    if (!replace_visible(point)) return true;
  }
}

// The origin's foot on the face, as weights of its corners.
void Polytope::read_off(const Face& face, EpaResult& out) const {
  const Vec3d p = w(face.v[0]), q = w(face.v[1]), r = w(face.v[2]), n(face.n);
  const Vec3d foot = face.distance * n;
  const double area = dot(n, cross(q - p, r - p));
  const double wq = dot(n, cross(foot - p, r - p)) / area;
  const double wr = dot(n, cross(q - p, foot - p)) / area;
  const double wp = 1.0 - wq - wr;
  const auto mix = [&](const kernel::Double4* from) {
    return wp * Vec3d(from[face.v[0]]) + wq * Vec3d(from[face.v[1]]) + wr * Vec3d(from[face.v[2]]);
  };
  // A - B reaches as far as depth along n: A must move by -n depth
  out = {std::max(0.0, face.distance), -n, mix(a_), mix(b_)};
}

}  // namespace

bool find_depth(const Convex& A, const Convex& B, const RelativePose& X_AB, EpaResult& out) {
  Polytope polytope(A, B, X_AB);
  return polytope.start() && polytope.expand(out);
}

}  // namespace stance::collision
