#pragma once

// A world as a probe meets it after a step: where its bodies are, what they are called, and how
// they give way.

#include <vector>

#include "stance/collision/queries.h"
#include "stance/dynamics/aba.h"
#include "stance/dynamics/bodies.h"
#include "stance/haptics/local_model.h"
#include "stance/sim/channel.h"

namespace stance::haptics {

class ProbeWorld {
 public:
  explicit ProbeWorld(const sim::World& world);

  // After a step. The bodies are the step's own: they stay as they are until the next one begins.
  void update(const sim::StepView& view);

  bool is_of(const sim::World& world) const { return world_ == &world; }
  const model::Model& model() const { return world_->model; }
  const collision::CollisionModel& shapes() const { return world_->shapes; }
  const collision::CollisionScratch& poses() const { return poses_; }
  double h() const { return h_; }  // s, of the last step

  // At the end of the step.
  const dynamics::Kinematics<double>& kin() const { return bodies_->kin(); }
  Vec3d calc_velocity(model::BodyIndex body, const Vec3d& p_B) const;
  Vec3d calc_point(model::BodyIndex body, const Vec3d& p_W) const;  // in the body's frame

  model::BodyIndex body_of(int geometry) const {
    return model::BodyIndex(shapes().geometries[geometry].body);
  }
  // The frame by which a body is named.
  const model::Frame& frame_of(model::BodyIndex body) const {
    return model().frames[frame_of_[body]];
  }

  // n^T Lambda n, 1/kg: the inverse of the mass that is felt at a point along n, joints being free.
  double calc_mobility(model::BodyIndex body, const Vec3d& p_B, const Vec3d& n);

  LocalModelMaker& maker() { return maker_; }

 private:
  const sim::World* world_;
  double h_ = 0.0;
  const dynamics::Bodies* bodies_ = nullptr;
  std::vector<Vec3d> p_WB_;
  collision::CollisionScratch poses_;
  LocalModelMaker maker_;
  std::vector<model::FrameIndex> frame_of_;  // by body

  // how touched points give way
  dynamics::ForwardDynamics<double> forward_;
  dynamics::Velocities<double> answers_;
  std::vector<kernel::Force<double>> wrenches_;  // (nbody)
  std::vector<double> none_, answer_;            // (nv)
};

}  // namespace stance::haptics
