#include "stance/haptics/module.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "stance/dynamics/jacobian.h"

namespace stance::haptics {

using sim::InputChange;

struct HapticModule::World {
  explicit World(const sim::World& world)
      : of(&world),
        kin(world.model),
        velocities(world.model),
        p_WB(world.model.nbody),
        poses(world.shapes),
        maker(world.model) {
    // the frame by which a body can be named: one that coincides with it, else its first
    frame_of.resize(world.model.nbody);
    for (int k = 0; k < static_cast<int>(world.model.frames.size()); ++k) {
      const model::FrameIndex f(k);
      const model::Frame& frame = world.model.frames[f];
      model::FrameIndex& best = frame_of[frame.body];
      const bool coincides = norm(frame.p_BF) == 0.0;
      if (!best.valid() || (coincides && norm(world.model.frames[best].p_BF) != 0.0)) best = f;
    }
  }

  const sim::World* of;
  dynamics::Kinematics<double> kin;  // at the end of the step
  dynamics::Velocities<double> velocities;
  std::vector<Vec3d> p_WB;
  collision::CollisionScratch poses;
  LocalModelMaker maker;
  std::vector<model::FrameIndex> frame_of;  // by body
};

namespace {

// A point fixed to a body, from one fixed to a frame of it.
bool find_point(const model::Model& model, const std::string& name, const Vec3d& point,
                model::BodyIndex& body, Vec3d& p_B) {
  const model::FrameIndex index = model.find_frame(name);
  if (!index.valid() || model.frames[index].body == model::BodyIndex(0)) return false;
  body = model.frames[index].body;
  p_B = model.frames[index].p_BF + model.frames[index].R_BF * point;
  return true;
}

}  // namespace

HapticModule::HapticModule(const HapticOptions& options, Exchange& exchange)
    : options_(options), exchange_(exchange), proxy_(options.probe_radius) {
  view_.radius = options.probe_radius;
}

HapticModule::~HapticModule() = default;

void HapticModule::attach(const std::string& name, const Vec3d& point) {
  held_ = name, held_point_ = point;
  is_fresh_ = true;
  ++hold_;
}

void HapticModule::detach() { held_.clear(); }

void HapticModule::release(const std::string& name, std::vector<InputChange>& changes) {
  changes.push_back({.kind = InputChange::Kind::kRelease, .source = options_.source, .name = name});
}

// ---- before a step ----------------------------------------------------------------------------

void HapticModule::before_step(std::uint64_t, double, std::vector<InputChange>& changes) {
  began_ = std::chrono::steady_clock::now();
  const ProbeState* newest = nullptr;
  exchange_.probe.read(newest);
  probe_ = *newest;
  act(changes);
  if (!was_present_) return;
  // where it is, for robots that look
  InputChange here{.kind = InputChange::Kind::kProbe, .source = options_.source};
  here.place = probe_.position;
  changes.push_back(here);
}

void HapticModule::act(std::vector<InputChange>& changes) {
  if (!world_ || !probe_.is_present) {
    // lost: what it held and pushed is let go
    if (was_present_) release({}, changes), detach();
    pushed_.clear(), is_pulling_ = was_pressed_ = was_present_ = false;
    return;
  }
  if (!was_present_) {
    was_present_ = true;
    proxy_.place(probe_.position);
    if (!options_.hold.empty()) attach(options_.hold, options_.hold_point);
  }

  // the first button takes what is touched, and lets it go again
  const bool is_pressed = probe_.buttons & 1;
  if (is_pressed && !was_pressed_ && held_.empty() && !view_.touched.empty())
    attach(view_.touched, view_.point);
  if (!is_pressed && was_pressed_ && options_.hold.empty()) detach();
  was_pressed_ = is_pressed;

  const model::Model& model = world_->of->model;
  model::BodyIndex body;
  Vec3d p_B;
  if (!held_.empty() && !find_point(model, held_, held_point_, body, p_B)) detach();
  if (held_.empty()) {
    if (is_pulling_) release({}, changes), pushed_.clear();
    is_pulling_ = false;
    proxy_.follow(world_->of->shapes, world_->poses, probe_.position);
    push_touched(changes);
    return;
  }

  if (is_fresh_) {
    if (is_pulling_ || !pushed_.empty()) release({}, changes), pushed_.clear();
    shift_ = world_->kin.calc_position(model, body, p_B) - probe_.position;
    const model::Frame& frame = model.frames[model.find_frame(held_)];
    grip_turn_ = transpose(probe_.orientation) * world_->kin.R_WB[body] * frame.R_BF;
    travel_ = {};
    is_fresh_ = false;
  }
  InputChange drag{.kind = InputChange::Kind::kDrag, .source = options_.source, .name = held_};
  drag.point = held_point_;
  drag.place = probe_.position + shift_, drag.velocity = probe_.velocity;
  // a spring of none would be the scene's own
  drag.value = std::max(1e-6, probe_.strength * probe_.share * probe_.stiffness);
  // six coordinates in (A16): the body turns as the handle is turned
  if (probe_.has_orientation) {
    const Eigen::Quaterniond wanted((probe_.orientation * grip_turn_).eigen());
    drag.orientation = {wanted.w(), wanted.x(), wanted.y(), wanted.z()};
    drag.turning = probe_.strength * options_.turning;
  }
  changes.push_back(drag);
  is_pulling_ = true;
}

// The bodies that the proxy leans on feel the device's force, times the user's coefficient.
void HapticModule::push_touched(std::vector<InputChange>& changes) {
  const model::Model& model = world_->of->model;
  std::vector<std::string>& before = pushed_;
  std::size_t still = 0;
  for (const Proxy::Touch& touch : proxy_.touches()) {
    const model::BodyIndex body(world_->of->shapes.geometries[touch.geometry].body);
    if (!(touch.pull > 0.0) || body == model::BodyIndex(0)) continue;
    const model::Frame& frame = model.frames[world_->frame_of[body]];
    const Vec3d p_B = transpose_mul(world_->kin.R_WB[body],
                                    touch.point - world_->kin.calc_position(model, body, Vec3d()));
    InputChange push{
        .kind = InputChange::Kind::kWrench, .source = options_.source, .name = frame.name};
    push.point = transpose_mul(frame.R_BF, p_B - frame.p_BF);
    push.force =
        (-options_.coefficient * probe_.strength * probe_.stiffness * touch.pull) * touch.plane.n;
    // one wrench a body: two shapes of it that are touched add up at the first one's point
    const auto same = std::find_if(changes.begin(), changes.end(), [&](const InputChange& change) {
      return change.kind == InputChange::Kind::kWrench && change.source == options_.source &&
             change.name == frame.name;
    });
    if (same != changes.end()) {
      same->force += push.force;
      continue;
    }
    changes.push_back(push);
    const auto old = std::find(before.begin(), before.end(), frame.name);
    if (old == before.end()) {
      before.push_back(frame.name);
      std::swap(before[still], before.back());
    } else {
      std::iter_swap(before.begin() + static_cast<std::ptrdiff_t>(still), old);
    }
    ++still;
  }
  for (std::size_t k = still; k < before.size(); ++k) release(before[k], changes);
  before.resize(still);
}

// ---- after a step -----------------------------------------------------------------------------

void HapticModule::after_step(const sim::StepView& view, const sim::Outside& outside) {
  if (!world_ || world_->of != &view.world) world_ = std::make_unique<World>(view.world);
  const model::Model& model = view.world.model;
  update_kinematics(model, std::span<const double>(view.state.q), world_->kin);
  update_velocities(model, world_->kin, std::span<const double>(view.state.v), world_->velocities);
  for (int b = 0; b < model.nbody; ++b)
    world_->p_WB[b] = world_->kin.calc_position(model, model::BodyIndex(b), Vec3d());
  update_poses(view.world.shapes, world_->kin.R_WB, world_->p_WB, world_->poses);

  SceneState& scene = exchange_.scene.back();
  scene.mode = SceneState::Mode::kNone, scene.num_planes = 0;
  scene.step = static_cast<std::uint64_t>(std::llround(view.state.time / view.h));
  scene.hold = hold_;
  const double cost = step_cost_.value_or(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count());
  scene.lead = std::max(0.0, view.h - cost);
  is_slow_ = std::max(view.h, cost) > 1.5 * probe_.period;
  if (probe_.is_present) {
    if (is_pulling_)
      update_held(view, outside, scene);
    else
      update_touch(view, scene);
  }
  exchange_.scene.publish();

  view_.is_present = probe_.is_present;
  view_.probe = probe_.position, view_.proxy = proxy_.position();
  view_.held = is_pulling_ ? held_ : std::string();
  view_.force = probe_.force, view_.stiffness = probe_.stiffness;
  view_.period = probe_.period, view_.delay = probe_.delay, view_.held_back = probe_.held_back;
}

void HapticModule::update_held(const sim::StepView& view, const sim::Outside& outside,
                               SceneState& scene) {
  const model::Model& model = view.world.model;
  model::BodyIndex body;
  Vec3d p_B;
  const auto pulls = outside.pulls();
  const auto pull = std::find_if(pulls.begin(), pulls.end(), [&](const sim::Outside::Pull& p) {
    return p.change.source == options_.source && p.change.name == held_;
  });
  if (pull == pulls.end() || !find_point(model, held_, held_point_, body, p_B)) return;
  const Vec3d before = calc_point_velocity(view.scratch.kin, view.scratch.before, body, p_B);
  const Vec3d after = calc_point_velocity(world_->kin, world_->velocities, body, p_B);
  travel_ += (0.5 * view.h) * (before + after);

  scene.mode = SceneState::Mode::kAttach;
  scene.local.position = world_->kin.calc_position(model, body, p_B);
  scene.local.velocity = after;
  scene.local.is_known = false;
  if (is_slow_) world_->maker.update(view, pull->drag, scene.local);
  scene.stiffness = pull->change.value / std::max(1e-3, probe_.strength * probe_.share);
  scene.shift = shift_, scene.travel = travel_;
  view_.point = scene.local.position;
  view_.touched.clear();
  proxy_.place(probe_.position);
}

void HapticModule::update_touch(const sim::StepView& view, SceneState& scene) {
  const model::Model& model = view.world.model;
  const collision::CollisionModel& shapes = view.world.shapes;
  proxy_.follow(shapes, world_->poses, probe_.position);
  scene.mode = SceneState::Mode::kTouch;
  view_.touched.clear();
  double most = 0.0;
  for (const Proxy::Touch& touch : proxy_.touches()) {
    const model::BodyIndex body(shapes.geometries[touch.geometry].body);
    const Vec3d p_B = transpose_mul(world_->kin.R_WB[body], touch.point - world_->p_WB[body]);
    const int k = scene.num_planes++;
    scene.planes[k] = touch.plane, scene.speeds[k] = 0.0;
    if (body == model::BodyIndex(0)) continue;
    scene.speeds[k] =
        dot(touch.plane.n, calc_point_velocity(world_->kin, world_->velocities, body, p_B));
    if (touch.pull <= most) continue;
    most = touch.pull;
    const model::Frame& frame = model.frames[world_->frame_of[body]];
    view_.touched = frame.name;
    view_.point = transpose_mul(frame.R_BF, p_B - frame.p_BF);
  }
}

}  // namespace stance::haptics
