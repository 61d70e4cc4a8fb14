#include "stance/haptics/probe_hold.h"

#include <algorithm>
#include <optional>

#include <Eigen/Geometry>

#include "stance/dynamics/jacobian.h"

namespace stance::haptics {
namespace {

// A point fixed to a body, from one fixed to a frame of it.
struct BodyPoint {
  model::BodyIndex body;
  Vec3d p_B;
};
std::optional<BodyPoint> find_point(const model::Model& model, const std::string& name,
                                    const Vec3d& point) {
  const model::FrameIndex index = model.find_frame(name);
  if (!index.valid() || model.frames[index].body == model::BodyIndex(0)) return {};
  const model::Frame& frame = model.frames[index];
  return BodyPoint{frame.body, frame.p_BF + frame.R_BF * point};
}

}  // namespace

void ProbeHold::attach(const std::string& name, const Vec3d& point) {
  held_ = name, held_point_ = point;
  is_fresh_ = true;
  ++count_;
}

void ProbeHold::take_anew() {
  if (held_.empty()) return;
  is_fresh_ = true;
  ++count_;
}

bool ProbeHold::is_there(const model::Model& model) const {
  return find_point(model, held_, held_point_).has_value();
}

// Told before every step: where it is pulled to, and by how stiff a spring.
void ProbeHold::act(const ProbeState& probe, ProbeWorld& world, std::vector<run::Change>& changes) {
  const model::Model& model = world.model();
  const std::optional<BodyPoint> at = find_point(model, held_, held_point_);
  if (!at) return;
  if (is_fresh_) {
    shift_ = world.kin().calc_position(model, at->body, at->p_B) - probe.position;
    travel_ = {};
    is_fresh_ = has_turn_ = false;
  }
  // an orientation may come and go: the turn is that from where it came
  if (probe.has_orientation && !has_turn_) {
    const model::Frame& frame = model.frames[model.find_frame(held_)];
    grip_turn_ = transpose(probe.orientation) * world.kin().R_WB[at->body] * frame.R_BF;
  }
  has_turn_ = probe.has_orientation;

  sim::DragBody drag{.body = held_, .point = held_point_};
  drag.to = probe.position + shift_, drag.velocity = probe.velocity;
  // a spring of none would be the scene's own
  drag.stiffness = std::max(1e-6, probe.strength * probe.share * probe.stiffness);
  // six coordinates in (A16): the body turns as the handle is turned
  if (has_turn_) {
    const Eigen::Quaterniond wanted((probe.orientation * grip_turn_).eigen());
    drag.orientation = {wanted.w(), wanted.x(), wanted.y(), wanted.z()};
    drag.turning = probe.strength * options_.turning;
  }
  changes.push_back({options_.source, drag});
  is_pulling_ = true;
}

void ProbeHold::tie(const ProbeState& probe, ProbeWorld& world, const StepDone& step,
                    SceneState& scene, ProbeView& shown) {
  const auto pulls = step.outside.pulls();
  const auto pull = std::find_if(pulls.begin(), pulls.end(), [&](const sim::Outside::Pull& p) {
    return p.source == options_.source && p.what.body == held_;
  });
  const std::optional<BodyPoint> at = find_point(world.model(), held_, held_point_);
  if (pull == pulls.end() || !at) return;
  const dynamics::Bodies& start = step.view.scratch.start;
  const Vec3d before = calc_point_velocity(start.kin(), start.vel(), at->body, at->p_B);
  const Vec3d after = world.calc_velocity(at->body, at->p_B);
  travel_ += (0.5 * step.view.h) * (before + after);

  scene.mode = SceneState::Mode::kAttach;
  scene.local.position = world.kin().calc_position(world.model(), at->body, at->p_B);
  scene.local.velocity = after;
  scene.local.is_known = false, scene.local.fault = LocalFault::kNone;
  if (step.is_slow) world.maker().update(step.view, pull->drag, scene.local);
  scene.stiffness = pull->what.stiffness / std::max(1e-3, probe.strength * probe.share);
  scene.shift = shift_, scene.travel = travel_;
  shown.point = scene.local.position;
  shown.touched.clear();
}

}  // namespace stance::haptics
