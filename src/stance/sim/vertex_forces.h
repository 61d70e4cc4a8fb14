#pragma once

// The corners of a robot's feet one by one: how high they are and how the ground presses on them;
// and how often contact breaks where it should not (R25 to R29).

#include <string>
#include <vector>

#include "stance/sim/world.h"

namespace stance::sim {

// Corners, given as frames of the model (the biped's v1 to v8).
class VertexForces {
 public:
  // Throws stance::Error when a frame is missing or its body does not move.
  VertexForces(const World& world, const std::vector<std::string>& frames);

  // After a step of h: normal forces over it, and heights at its start, which its forces saw.
  void update(const World& world, const Scratch& scratch, double h);

  int size() const { return static_cast<int>(vertices_.size()); }
  double height(int k) const { return vertices_[k].height; }  // m, above the plane z = 0
  double force(int k) const { return vertices_[k].force; }    // N

 private:
  struct Vertex {
    model::BodyIndex body;
    Vec3d p_BV, p_W;
    double height = 0.0, force = 0.0;
  };
  std::vector<Vertex> vertices_;
};

// A false impact (paper R, section V): the normal force on a corner falls to zero and comes back
// while its foot is meant to stand flat on the ground. Neither the first touch of a landing nor
// a force that ends with the stance counts.
class FalseImpacts {
 public:
  // Forces up to this are none, N.
  static constexpr double kNone = 1e-6;

  explicit FalseImpacts(int vertices) : phase_(vertices, Phase::kAway), count_(vertices) {}

  // One step of a corner; true when it is the end of a false impact.
  bool watch(int vertex, bool is_flat, double force);

  int count(int vertex) const { return count_[vertex]; }
  int count() const;

 private:
  enum class Phase { kAway, kPressed, kBroken };
  std::vector<Phase> phase_;
  std::vector<int> count_;
};

}  // namespace stance::sim
