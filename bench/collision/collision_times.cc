// Times of the collision layer: one line per situation, nanoseconds, the best of many batches.
//
//   collision_times [situation-substring]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "stance/collision/find_contacts.h"
#include "stance/kernel/random.h"
#include "stance/kernel/rotation.h"

namespace stance::bench {
namespace {

using namespace collision;  // NOLINT: a program of one file
using kernel::Random;

constexpr double kMargin = 1e-3;

struct Situation {
  std::string name;
  CollisionModel model;
  std::vector<Mat3d> R;
  std::vector<Vec3d> p;
  double jitter = 1e-5;  // m, from step to step
};

// Best time of one find_contacts, over batches, while the bodies jitter.
void measure(Situation& s) {
  CollisionScratch scratch(s.model);
  ContactBuffer out(8192);
  Random random(1);
  constexpr int kPoses = 16;
  std::vector<std::vector<Vec3d>> poses(kPoses, s.p);
  for (auto& p : poses)
    for (Vec3d& x : p)
      x += Vec3d(random.uniform(-1, 1) * s.jitter, random.uniform(-1, 1) * s.jitter,
                 random.uniform(-1, 1) * s.jitter);
  double best = 1e300;
  long long checksum = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int batch = 0; batch < 2000; ++batch) {
    const auto t0 = std::chrono::steady_clock::now();
    constexpr int kRepeat = 64;
    for (int k = 0; k < kRepeat; ++k) {
      find_contacts(s.model, s.R, poses[k % kPoses], kMargin, scratch, out);
      checksum += out.size();
    }
    const auto t1 = std::chrono::steady_clock::now();
    best = std::min(best, std::chrono::duration<double, std::nano>(t1 - t0).count() / kRepeat);
    if (t1 - start > std::chrono::milliseconds(400)) break;
  }
  std::printf("%-34s %10.0f ns  %5d contacts%s\n", s.name.c_str(), best, out.size(),
              out.dropped() > 0 ? " OVERFLOW" : "");
  (void)checksum;
}

Situation make_pair(const char* name, const Shape& a, const Shape& b, const Vec3d& p_a,
                    CollisionBuilder builder = {}, const Mat3d& R_a = Mat3d::identity()) {
  builder.add({.shape = a, .body = 1});
  builder.add({.shape = b, .body = 0});
  return {name, builder.build(), {Mat3d::identity(), R_a}, {Vec3d(), p_a}};
}

// count cubes side by side on a floor
Situation make_floorful(const char* name, int count) {
  CollisionBuilder builder;
  Situation s{name, {}, {Mat3d::identity()}, {Vec3d()}};
  builder.add({.shape = make_plane(), .body = 0});
  for (int k = 0; k < count; ++k) {
    builder.add({.shape = make_box(Vec3d(0.05, 0.05, 0.05)), .body = k + 1});
    s.R.push_back(Mat3d::identity());
    s.p.emplace_back(0.15 * (k % 20), 0.15 * (k / 20), 0.05);
  }
  s.model = builder.build();
  return s;
}

// count bodies that are far from each other and from the floor: poses, boxes and broad phase only
Situation make_crowd(const char* name, int count, double spacing) {
  CollisionBuilder builder;
  Situation s{name, {}, {Mat3d::identity()}, {Vec3d()}};
  builder.add({.shape = make_plane(), .body = 0});
  int side = 1;
  while (side * side * side < count) ++side;
  for (int k = 0; k < count; ++k) {
    builder.add({.shape = make_box(Vec3d(0.05, 0.05, 0.05)), .body = k + 1});
    s.R.push_back(Mat3d::identity());
    s.p.emplace_back(spacing * (k % side), spacing * (k / side % side),
                     0.05 + spacing * (k / side / side));
  }
  s.model = builder.build();
  return s;
}

// 30 capsules, boxes and spheres in a tree of links, feet on the floor, neighbours filtered
Situation make_humanoid() {
  CollisionBuilder builder;
  Situation s{"humanoid, 30 geometries, on a floor", {}, {Mat3d::identity()}, {Vec3d()}};
  builder.add({.shape = make_plane(), .body = 0});
  std::vector<int> parent{-1};
  const auto link = [&](int up, const Shape& shape, const Vec3d& p, const Mat3d& R) {
    parent.push_back(up);
    const int body = static_cast<int>(parent.size()) - 1;
    builder.add({.shape = shape, .body = body});
    s.R.push_back(R);
    s.p.push_back(p);
    return body;
  };
  const Mat3d upright = Mat3d::identity();
  const Mat3d across = kernel::rotation_about(Vec3d(1, 0, 0), 0.0, 1.0);
  const int pelvis = link(0, make_box(Vec3d(0.1, 0.15, 0.08)), Vec3d(0, 0, 0.95), upright);
  const int torso = link(pelvis, make_box(Vec3d(0.1, 0.17, 0.2)), Vec3d(0, 0, 1.25), upright);
  const int neck = link(torso, make_capsule(0.05, 0.03), Vec3d(0, 0, 1.5), upright);
  link(neck, make_sphere(0.1), Vec3d(0, 0, 1.65), upright);
  for (double side : {-1.0, 1.0}) {
    const double y = 0.1 * side, ya = 0.28 * side;
    int body = link(pelvis, make_sphere(0.06), Vec3d(0, y, 0.87), upright);
    body = link(body, make_sphere(0.06), Vec3d(0, y, 0.86), upright);
    body = link(body, make_capsule(0.07, 0.15), Vec3d(0, y, 0.66), upright);
    body = link(body, make_sphere(0.06), Vec3d(0, y, 0.48), upright);
    body = link(body, make_capsule(0.05, 0.15), Vec3d(0, y, 0.28), upright);
    body = link(body, make_sphere(0.04), Vec3d(0, y, 0.08), upright);
    link(body, make_box(Vec3d(0.12, 0.05, 0.03)), Vec3d(0.03, y, 0.03), upright);
    body = link(torso, make_sphere(0.06), Vec3d(0, 0.22 * side, 1.4), upright);
    body = link(body, make_capsule(0.04, 0.1), Vec3d(0, ya, 1.25), upright);
    body = link(body, make_sphere(0.04), Vec3d(0, ya, 1.1), upright);
    body = link(body, make_capsule(0.035, 0.1), Vec3d(0, ya, 0.97), upright);
    body = link(body, make_sphere(0.03), Vec3d(0, ya, 0.84), upright);
    link(body, make_box(Vec3d(0.02, 0.04, 0.06)), Vec3d(0, ya, 0.76), across);
  }
  builder.disable_parent_child(parent);
  const std::vector<int> family(parent.size(), 0);
  s.model = disable_touching(builder.build(), s.R, s.p, 5e-3, family);
  return s;
}

int run(const char* wanted) {
  std::vector<Situation> all;
  const Shape plane = make_plane(), box = make_box(Vec3d(0.1, 0.1, 0.1));
  const Shape slab = make_box(Vec3d(1, 1, 0.1));
  all.push_back(make_pair("nothing near", box, plane, Vec3d(0, 0, 5)));
  all.push_back(make_pair("box on plane", box, plane, Vec3d(0, 0, 0.1)));
  all.push_back(make_pair("sphere on plane", make_sphere(0.1), plane, Vec3d(0, 0, 0.1)));
  all.push_back(make_pair("cylinder on plane", make_cylinder(0.1, 0.1), plane, Vec3d(0, 0, 0.1)));
  all.push_back(make_pair("sphere on box", make_sphere(0.1), slab, Vec3d(0, 0, 0.2)));
  all.push_back(
      make_pair("capsule standing on box", make_capsule(0.05, 0.1), slab, Vec3d(0, 0, 0.25)));
  all.push_back(make_pair("box on box", box, slab, Vec3d(0, 0, 0.2)));
  all.push_back(make_pair("box on box, equal", box, box, Vec3d(0.001, 0.002, 0.2)));
  all.push_back(make_pair("box on box, octagon", box, box, Vec3d(0, 0, 0.2), {},
                          kernel::rotation_about(Vec3d(0, 0, 1), std::sqrt(0.5), std::sqrt(0.5))));
  const Shape can = make_cylinder(0.1, 0.1);
  all.push_back(make_pair("cylinder on box", can, slab, Vec3d(0, 0, 0.2)));
  all.push_back(make_pair("cylinder lying on box", can, slab, Vec3d(0, 0, 0.2), {},
                          kernel::rotation_about(Vec3d(1, 0, 0), 0.0, 1.0)));
  all.push_back(make_pair("cylinder's rim on box's edge", can, slab, Vec3d(1.06, 0, 0.15), {},
                          kernel::rotation_about(Vec3d(0, 1, 0), 0.8, 0.6)));
  all.push_back(make_pair("cylinder on cylinder", can, can, Vec3d(0.01, 0, 0.2)));
  all.push_back(make_pair("cylinder along cylinder", can, can, Vec3d(0.2, 0, 0.01)));
  const auto hull_on_hull = [&](const char* name, int ring) {
    CollisionBuilder builder;
    std::vector<Vec3d> points;
    for (int k = 0; k < ring; ++k)
      for (double z : {-0.1, 0.1})
        points.emplace_back(0.1 * std::cos(2 * M_PI * k / ring),
                            0.1 * std::sin(2 * M_PI * k / ring), z);
    const Shape a = builder.make_hull(points, "prism"), b = builder.make_hull(points, "prism");
    all.push_back(make_pair(name, a, b, Vec3d(0.02, 0.01, 0.2), builder));
  };
  hull_on_hull("hull on hull, 8 vertices", 4);
  hull_on_hull("hull on hull, 32 vertices", 16);
  hull_on_hull("hull on hull, 128 vertices", 64);
  all.push_back(make_humanoid());
  all.push_back(make_floorful("300 boxes on a floor", 300));
  all.push_back(make_crowd("300 boxes apart", 300, 0.2));
  all.push_back(make_crowd("300 boxes in a block, 1 mm slits", 300, 0.1009));
  all.push_back(make_crowd("2000 boxes apart", 2000, 0.2));
  for (Situation& s : all)
    if (wanted == nullptr || s.name.find(wanted) != std::string::npos) measure(s);
  return 0;
}

}  // namespace
}  // namespace stance::bench

int main(int argc, char** argv) { return stance::bench::run(argc > 1 ? argv[1] : nullptr); }
