#pragma once

// The god-object: a sphere that goes where the probe is, but stays outside all shapes (README.md).

#include <span>

#include "stance/collision/queries.h"
#include "stance/haptics/planes.h"

namespace stance::haptics {

class Proxy {
 public:
  struct Touch {
    int geometry = -1;
    Plane plane{};      // of the sphere's centre
    Vec3d point{};      // m, on the geometry
    double pull = 0.0;  // m: its share in proxy - probe
  };

  explicit Proxy(double radius) : radius_(radius) {}

  // Puts it down where the probe is. What it is inside of then is passed over until it has left.
  void place(const Vec3d& probe);
  // The shapes have other numbers. It stays where it is; what it is deep inside of is passed over.
  void change_world();

  // Follows the probe, as far as the shapes where they are now allow. Asks for no memory.
  void follow(const collision::CollisionModel& shapes, const collision::CollisionScratch& poses,
              const Vec3d& probe);

  const Vec3d& position() const { return position_; }
  double radius() const { return radius_; }
  // What is near, at most kMostPlanes; those with a pull are touched.
  std::span<const Touch> touches() const { return {touches_, std::size_t(count_)}; }

 private:
  void look_around(const collision::CollisionModel& shapes,
                   const collision::CollisionScratch& poses, double reach);
  bool is_passed_over(int geometry) const;

  double radius_;
  Vec3d position_{};
  bool is_new_ = true;
  double sunk_ = 0.0;  // m, deeper than that is inside, when it is new
  Touch touches_[kMostPlanes];
  double gaps_[kMostPlanes] = {};
  int count_ = 0;
  int inside_[kMostPlanes] = {};  // geometries that are passed over
  int num_inside_ = 0;
};

}  // namespace stance::haptics
