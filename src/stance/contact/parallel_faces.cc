#include "stance/contact/parallel_faces.h"

#include <algorithm>
#include <cmath>

namespace stance::contact {
namespace {

using collision::ContactPoint;
using kernel::Vec3d;

// Either way round.
bool are_parallel(const Vec3d& a, const Vec3d& b) {
  const Vec3d across = cross(a, b);
  return dot(across, across) < ParallelFaces::kParallel * ParallelFaces::kParallel;
}

}  // namespace

void ParallelFaces::reserve(int bodies, int points) {
  faces_.reserve(points / 2), links_.reserve(points);
  last_.resize(bodies, -1);
}

// The face that all those that share its normal lead to.
int ParallelFaces::find_root(int face) {
  while (faces_[face].root != face) face = faces_[face].root = faces_[faces_[face].root].root;
  return face;
}

// A face of the fixed world comes before others, and the first before later ones.
void ParallelFaces::join(int a, int b) {
  a = find_root(a), b = find_root(b);
  if (a == b) return;
  const bool is_first = faces_[a].is_fixed != faces_[b].is_fixed ? faces_[a].is_fixed : a < b;
  (is_first ? faces_[b] : faces_[a]).root = is_first ? a : b;
}

// Joins a face with one that its body has already, and adds it to those.
void ParallelFaces::link(int body, int face) {
  if (body == 0) return;
  if (body >= static_cast<int>(last_.size())) last_.resize(body + 1, -1);
  for (int k = last_[body]; k >= 0; k = links_[k].next)
    if (are_parallel(faces_[links_[k].face].n, faces_[face].n)) {
      join(links_[k].face, face);
      break;
    }
  links_.push_back({face, last_[body]});
  last_[body] = static_cast<int>(links_.size()) - 1;
}

void ParallelFaces::add(std::span<const ContactPoint> points, int first, int end) {
  const ContactPoint& head = points[first];
  const int face = static_cast<int>(faces_.size());
  faces_.push_back({first, end, face, head.body_a == 0 || head.body_b == 0, head.n_W});
  link(head.body_a, face), link(head.body_b, face);
}

void ParallelFaces::turn(std::span<ContactPoint> points) {
  for (const Face& face : faces_) {
    const Vec3d n = faces_[find_root(static_cast<int>(&face - faces_.data()))].n;
    for (const int body : {points[face.first].body_a, points[face.first].body_b})
      if (body != 0) last_[body] = -1;
    if (!are_parallel(n, face.n)) continue;
    const Vec3d turned = dot(n, face.n) < 0.0 ? -n : n;
    const Vec3d change = turned - face.n;
    if (dot(change, change) == 0.0) continue;
    const Vec3d level = points[face.first].p_W;
    for (int k = face.first; k < face.end; ++k) {
      points[k].p_W = nmadd(dot(turned, points[k].p_W - level), turned, points[k].p_W);
      points[k].n_W = turned;
    }
  }
}

}  // namespace stance::contact
