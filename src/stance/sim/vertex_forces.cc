#include "stance/sim/vertex_forces.h"

#include <numeric>

#include "stance/kernel/error.h"

namespace stance::sim {

VertexForces::VertexForces(const World& world, const std::vector<std::string>& frames) {
  for (const std::string& name : frames) {
    const model::FrameIndex frame = world.model.find_frame(name);
    if (!frame.valid()) throw Error("there is no frame '" + name + "'");
    const model::Frame& at = world.model.frames[frame];
    if (at.body == 0) throw Error("the frame '" + name + "' is fixed to the world");
    vertices_.push_back({at.body, at.p_BF, {}});
  }
}

void VertexForces::update(const World& world, const Scratch& scratch, double h) {
  for (Vertex& vertex : vertices_) {
    vertex.p_W = scratch.frame.kin().calc_position(world.model, vertex.body, vertex.p_BV);
    vertex.height = vertex.p_W[2], vertex.force = 0.0;
  }
  // each contact point belongs to the nearest corner of its body
  for (int i = 0; i < scratch.contact.points.size(); ++i) {
    const collision::ContactPoint& point = scratch.contact.points[i];
    Vertex* nearest = nullptr;
    double least = 0.0;
    for (Vertex& vertex : vertices_) {
      if (vertex.body != point.body_a && vertex.body != point.body_b) continue;
      const Vec3d d = vertex.p_W - point.p_W;
      if (nearest == nullptr || dot(d, d) < least) nearest = &vertex, least = dot(d, d);
    }
    if (nearest != nullptr) nearest->force += scratch.contact.contacts[i].p[0] / h;
  }
}

bool FalseImpacts::watch(int vertex, bool is_flat, double force) {
  Phase& phase = phase_[vertex];
  const bool is_pressed = force > kNone;
  if (!is_flat) {
    phase = Phase::kAway;
    return false;
  }
  const bool is_back = phase == Phase::kBroken && is_pressed;
  count_[vertex] += is_back;
  if (is_pressed)
    phase = Phase::kPressed;
  else if (phase == Phase::kPressed)
    phase = Phase::kBroken;
  return is_back;
}

int FalseImpacts::count() const { return std::accumulate(count_.begin(), count_.end(), 0); }

}  // namespace stance::sim
