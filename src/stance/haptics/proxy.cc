#include "stance/haptics/proxy.h"

#include <algorithm>
#include <cmath>

namespace stance::haptics {
namespace {

using collision::ShapeKind;

constexpr int kMostMoves = 12;
constexpr double kStill = 1e-10;   // m
constexpr double kMargin = 0.005;  // m, of what is told to the device's thread beyond the reach

// At least as far as the geometry is from the point.
double bound_distance(const collision::CollisionModel& shapes,
                      const collision::CollisionScratch& poses, int g, const Vec3d& point) {
  if (shapes.kind[g] == ShapeKind::kPlane) return 0.0;
  const collision::LocalBounds& bounds = shapes.placements[g].bounds;
  const Vec3d p = transpose_mul(poses.R_WG[g], point - poses.p_WG[g]) - bounds.center;
  Vec3d out;
  for (int k = 0; k < 3; ++k) out.set(k, std::max(0.0, std::abs(p[k]) - bounds.half[k]));
  return norm(out) - bounds.rounding;
}

}  // namespace

void Proxy::place(const Vec3d& probe) {
  position_ = probe;
  is_new_ = true, sunk_ = 0.0;
  num_inside_ = count_ = 0;
}

void Proxy::change_world() {
  // what it leans on may have moved into it within a step
  is_new_ = true, sunk_ = 0.25 * radius_;
  num_inside_ = count_ = 0;
}

bool Proxy::is_passed_over(int geometry) const {
  return std::find(inside_, inside_ + num_inside_, geometry) != inside_ + num_inside_;
}

// Planes of all shapes within reach of the sphere where it is; the nearest ones when there are
// more than there is room for.
void Proxy::look_around(const collision::CollisionModel& shapes,
                        const collision::CollisionScratch& poses, double reach) {
  count_ = 0;
  int still_inside = 0;
  for (int g = 0; g < shapes.size(); ++g) {
    if (bound_distance(shapes, poses, g, position_) > radius_ + reach) continue;
    collision::ClosestPoints near;
    if (!find_closest_to_sphere(shapes, poses, position_, radius_, g, reach, near)) continue;
    if (is_new_ && near.distance < -sunk_ && num_inside_ < kMostPlanes) inside_[num_inside_++] = g;
    if (is_passed_over(g)) {
      if (near.distance < 0.0) {
        inside_[still_inside++] = g;
        continue;
      }
    }
    int place = count_;
    if (count_ == kMostPlanes) {
      const double* worst = std::max_element(gaps_, gaps_ + kMostPlanes);
      if (*worst <= near.distance) continue;
      place = static_cast<int>(worst - gaps_);
    } else {
      ++count_;
    }
    gaps_[place] = near.distance;
    touches_[place] = {g, {near.n_W, dot(near.n_W, position_) - near.distance}, near.p_b_W, 0.0};
  }
  num_inside_ = still_inside;
  is_new_ = false;
}

void Proxy::follow(const collision::CollisionModel& shapes,
                   const collision::CollisionScratch& poses, const Vec3d& probe) {
  bool has_surfaces = false;
  for (const ShapeKind kind : shapes.kind)
    has_surfaces = has_surfaces || kind == ShapeKind::kMesh || kind == ShapeKind::kHeightField;
  for (int move = 0; move < kMostMoves; ++move) {
    // a convex shape lies wholly behind its plane, a surface only near where it was looked at
    Vec3d goal = probe;
    const double far = norm(probe - position_), longest = 0.5 * radius_;
    if (has_surfaces && far > longest) goal = position_ + (longest / far) * (probe - position_);
    look_around(shapes, poses, norm(goal - position_) + kMargin);
    Plane planes[kMostPlanes];
    for (int k = 0; k < count_; ++k) planes[k] = touches_[k].plane;
    const Nearest found = find_nearest({planes, std::size_t(count_)}, goal);
    for (int k = 0; k < count_; ++k) touches_[k].pull = found.pull[k];
    const double moved = norm(found.x - position_);
    position_ = found.x;
    if (moved < kStill) break;
  }
}

}  // namespace stance::haptics
