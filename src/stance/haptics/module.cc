#include "stance/haptics/module.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include "stance/dynamics/jacobian.h"
#include "stance/run/simulation.h"

namespace stance::haptics {

struct HapticModule::World {
  explicit World(const sim::World& world)
      : of(&world),
        bodies(world.model),
        p_WB(world.model.nbody),
        poses(world.shapes),
        maker(world.model),
        forward(world.model),
        answers(world.model),
        wrenches(world.model.nbody),
        none(world.model.nv),
        answer(world.model.nv) {
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

  double calc_mobility(model::BodyIndex body, const Vec3d& p_B, const Vec3d& n);

  const sim::World* of;
  double h = 0.0;           // s, of the last step
  dynamics::Bodies bodies;  // at the end of the step
  std::vector<Vec3d> p_WB;
  collision::CollisionScratch poses;
  LocalModelMaker maker;
  std::vector<model::FrameIndex> frame_of;  // by body

  // how touched points give way
  dynamics::ForwardDynamics<double> forward;
  dynamics::Velocities<double> answers;
  std::vector<kernel::Force<double>> wrenches;  // (nbody)
  std::vector<double> none, answer;             // (nv)
};

// n^T Lambda n, 1/kg: the inverse of the mass that is felt at a point along n, joints being free.
double HapticModule::World::calc_mobility(model::BodyIndex body, const Vec3d& p_B, const Vec3d& n) {
  const dynamics::Kinematics<double>& kin = bodies.kin();
  const Vec3d r = kin.p_OB[body] + kin.R_WB[body] * p_B;
  wrenches[body] = kernel::Force<double>{cross(r, n), n};
  apply_inverse_mass(
      of->model, kin, bodies.find_articulated(of->model), std::span<const double>(none),
      std::span<const kernel::Force<double>>(wrenches), forward, std::span<double>(answer));
  wrenches[body] = {};
  update_velocities(of->model, kin, std::span<const double>(answer), answers);
  return dot(n, calc_point_velocity(kin, answers, body, p_B));
}

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

void HapticModule::release(const std::string& name, std::vector<run::Change>& changes) {
  changes.push_back({options_.source, sim::Release{name}});
}

// ---- before a step ----------------------------------------------------------------------------

void HapticModule::before_step(const run::StepAhead&, std::vector<run::Change>& changes) {
  began_ = std::chrono::steady_clock::now();
  const ProbeState* newest = nullptr;
  exchange_.probe.read(newest);
  probe_ = *newest;
  act(changes);
  if (!was_present_) return;
  // where it is, for robots that look
  changes.push_back({options_.source, sim::PlaceProbe{probe_.position}});
}

// The old world may be gone already: nothing of it is kept.
void HapticModule::on_world(const scene::Part&) {
  world_.reset();
  proxy_.change_world();
}

void HapticModule::begin(run::Simulation&) {
  if (!std::exchange(has_begun_, true)) return;
  world_.reset();
  has_jumped_ = true;
  take_anew();
}

// Probe and hold start again where they are, without a force.
void HapticModule::take_anew() {
  proxy_.place(probe_.position);
  if (held_.empty()) return;
  is_fresh_ = true;
  ++hold_;
}

void HapticModule::act(std::vector<run::Change>& changes) {
  if (!probe_.is_present) {
    // lost: what it held and pushed is let go
    if (was_present_) release({}, changes), detach();
    pushed_.clear(), is_pulling_ = was_pressed_ = was_present_ = false;
    return;
  }
  if (!world_) {
    // no step of this world seen yet: what acts goes on by itself, unless the state has jumped
    if (has_jumped_) release({}, changes), pushed_.clear(), is_pulling_ = false;
    has_jumped_ = false;
    return;
  }
  press();

  const model::Model& model = world_->of->model;
  model::BodyIndex body;
  Vec3d p_B;
  if (!held_.empty() && !find_point(model, held_, held_point_, body, p_B)) detach();
  if (!held_.empty()) return pull_held(body, p_B, changes);
  if (is_pulling_) release({}, changes), pushed_.clear();
  is_pulling_ = false;
  proxy_.follow(world_->of->shapes, world_->poses, probe_.position);
  push_touched(changes);
}

void HapticModule::press() {
  if (!was_present_) {
    was_present_ = true, jumps_ = probe_.jumps;
    proxy_.place(probe_.position);
    if (!options_.hold.empty()) attach(options_.hold, options_.hold_point);
  }
  if (probe_.jumps != jumps_) jumps_ = probe_.jumps, take_anew();

  // the first button takes what is touched, and lets it go again
  const bool is_pressed = probe_.buttons & 1;
  if (is_pressed && !was_pressed_ && held_.empty() && !view_.touched.empty())
    attach(view_.touched, view_.point);
  if (!is_pressed && was_pressed_ && options_.hold.empty()) detach();
  was_pressed_ = is_pressed;
}

// Told before every step: where it is pulled to, and by how stiff a spring.
void HapticModule::pull_held(model::BodyIndex body, const Vec3d& p_B,
                             std::vector<run::Change>& changes) {
  const model::Model& model = world_->of->model;
  if (is_fresh_) {
    if (is_pulling_ || !pushed_.empty()) release({}, changes), pushed_.clear();
    shift_ = world_->bodies.kin().calc_position(model, body, p_B) - probe_.position;
    travel_ = {};
    is_fresh_ = has_turn_ = false;
  }
  // an orientation may come and go: the turn is that from where it came
  if (probe_.has_orientation && !has_turn_) {
    const model::Frame& frame = model.frames[model.find_frame(held_)];
    grip_turn_ = transpose(probe_.orientation) * world_->bodies.kin().R_WB[body] * frame.R_BF;
  }
  has_turn_ = probe_.has_orientation;

  sim::DragBody drag{.body = held_, .point = held_point_};
  drag.to = probe_.position + shift_, drag.velocity = probe_.velocity;
  // a spring of none would be the scene's own
  drag.stiffness = std::max(1e-6, probe_.strength * probe_.share * probe_.stiffness);
  // six coordinates in (A16): the body turns as the handle is turned
  if (has_turn_) {
    const Eigen::Quaterniond wanted((probe_.orientation * grip_turn_).eigen());
    drag.orientation = {wanted.w(), wanted.x(), wanted.y(), wanted.z()};
    drag.turning = probe_.strength * options_.turning;
  }
  changes.push_back({options_.source, drag});
  is_pulling_ = true;
}

// N per m between probe and proxy: the device's force, as far as it can show it and its account
// lets it.
double HapticModule::calc_touch_stiffness() const {
  constexpr double kMostForce = 100.0;  // N, by a device that shows none
  const double most = probe_.max_force > 0.0 ? probe_.max_force : kMostForce;
  const double depth = norm(proxy_.position() - probe_.position);
  const double stiffness = probe_.strength * probe_.stiffness;
  return probe_.share * (stiffness * depth > most ? most / depth : stiffness);
}

// What a touched body feels, at the touched point.
sim::PushBody HapticModule::make_push(const Proxy::Touch& touch, double stiffness) {
  const model::Model& model = world_->of->model;
  const model::BodyIndex body(world_->of->shapes.geometries[touch.geometry].body);
  const model::Frame& frame = model.frames[world_->frame_of[body]];
  const Vec3d p_B =
      transpose_mul(world_->bodies.kin().R_WB[body], touch.point - world_->p_WB[body]);
  sim::PushBody push{.body = frame.name};
  push.point = transpose_mul(frame.R_BF, p_B - frame.p_BF);
  // the force is that of the step's start: a spring of more than m / 2 h^2 would throw light things
  const double mobility = world_->calc_mobility(body, p_B, touch.plane.n);
  const double wanted = options_.coefficient * stiffness;
  const double given = std::min(wanted, 0.5 / (mobility * world_->h * world_->h));
  push.force = (-given * touch.pull) * touch.plane.n;
  if (stiffness > 0.0) felt_ = std::min(felt_, given / stiffness);
  return push;
}

// The bodies that the proxy leans on feel the device's force, times the user's coefficient.
void HapticModule::push_touched(std::vector<run::Change>& changes) {
  std::vector<std::string>& before = pushed_;
  const double stiffness = calc_touch_stiffness();
  std::size_t still = 0;
  felt_ = 1.0;
  for (const Proxy::Touch& touch : proxy_.touches()) {
    const model::BodyIndex body(world_->of->shapes.geometries[touch.geometry].body);
    if (!(touch.pull > 0.0) || body == model::BodyIndex(0)) continue;
    const sim::PushBody push = make_push(touch, stiffness);
    // one wrench a body: two shapes of it that are touched add up at the first one's point
    const auto is_same = [&](const run::Change& change) {
      const sim::PushBody* other = run::find_action<sim::PushBody>(change);
      return other && change.source == options_.source && other->body == push.body;
    };
    if (const auto at = std::find_if(changes.begin(), changes.end(), is_same);
        at != changes.end()) {
      sim::PushBody& same = *run::find_action<sim::PushBody>(*at);
      const model::Frame& frame = world_->of->model.frames[world_->frame_of[body]];
      const Vec3d arm = world_->bodies.kin().R_WB[body] * (frame.R_BF * (push.point - same.point));
      same.force += push.force, same.torque += cross(arm, push.force);
      continue;
    }
    changes.push_back({options_.source, push});
    const auto old = std::find(before.begin(), before.end(), push.body);
    if (old == before.end()) {
      before.push_back(push.body);
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

bool HapticModule::after_step(const run::Simulation& simulation, const sim::StepView& view) {
  const sim::Outside& outside = simulation.outside();
  const bool is_new = !world_ || world_->of != &view.world;
  if (is_new) world_ = std::make_unique<World>(view.world);
  world_->h = view.h;
  const model::Model& model = view.world.model;
  world_->bodies = view.scratch.end;
  for (int b = 0; b < model.nbody; ++b)
    world_->p_WB[b] = world_->bodies.kin().calc_position(model, model::BodyIndex(b), Vec3d());
  update_poses(view.world.shapes, world_->bodies.kin().R_WB, world_->p_WB, world_->poses);

  SceneState& scene = exchange_.scene.back();
  scene.mode = SceneState::Mode::kNone, scene.num_planes = 0;
  scene.step = static_cast<std::uint64_t>(std::llround(view.state.time / view.h));
  scene.hold = hold_;
  scene.h = view.h;
  scene.cost = step_cost_.value_or(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count());
  is_slow_ = std::max(view.h, scene.cost) > 1.5 * probe_.period;
  if (probe_.is_present) {
    if (is_pulling_)
      update_held(view, outside, scene);
    else
      update_touch(view, scene);
  }
  // a hold that this world's inputs do not have yet: the device goes on with the state before
  const bool is_untold = is_new && is_pulling_ && scene.mode == SceneState::Mode::kNone &&
                         model.find_frame(held_).valid();
  if (!is_untold) exchange_.scene.publish();

  view_.is_present = probe_.is_present;
  view_.probe = probe_.position, view_.proxy = proxy_.position();
  view_.held = is_pulling_ ? held_ : std::string();
  view_.force = probe_.force, view_.stiffness = probe_.stiffness;
  view_.period = probe_.period, view_.delay = probe_.delay, view_.held_back = probe_.held_back;
  return true;
}

void HapticModule::update_held(const sim::StepView& view, const sim::Outside& outside,
                               SceneState& scene) {
  const model::Model& model = view.world.model;
  model::BodyIndex body;
  Vec3d p_B;
  const auto pulls = outside.pulls();
  const auto pull = std::find_if(pulls.begin(), pulls.end(), [&](const sim::Outside::Pull& p) {
    return p.source == options_.source && p.what.body == held_;
  });
  if (pull == pulls.end() || !find_point(model, held_, held_point_, body, p_B)) return;
  const Vec3d before =
      calc_point_velocity(view.scratch.start.kin(), view.scratch.start.vel(), body, p_B);
  const Vec3d after = calc_point_velocity(world_->bodies.kin(), world_->bodies.vel(), body, p_B);
  travel_ += (0.5 * view.h) * (before + after);

  scene.mode = SceneState::Mode::kAttach;
  scene.local.position = world_->bodies.kin().calc_position(model, body, p_B);
  scene.local.velocity = after;
  scene.local.is_known = false;
  if (is_slow_) world_->maker.update(view, pull->drag, scene.local);
  scene.stiffness = pull->what.stiffness / std::max(1e-3, probe_.strength * probe_.share);
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
  scene.felt = felt_;
  view_.touched.clear();
  double most = 0.0;
  for (const Proxy::Touch& touch : proxy_.touches()) {
    const model::BodyIndex body(shapes.geometries[touch.geometry].body);
    const Vec3d p_B =
        transpose_mul(world_->bodies.kin().R_WB[body], touch.point - world_->p_WB[body]);
    const int k = scene.num_planes++;
    scene.planes[k] = touch.plane, scene.speeds[k] = 0.0;
    if (body == model::BodyIndex(0)) continue;
    scene.speeds[k] = dot(
        touch.plane.n, calc_point_velocity(world_->bodies.kin(), world_->bodies.vel(), body, p_B));
    if (touch.pull <= most) continue;
    most = touch.pull;
    const model::Frame& frame = model.frames[world_->frame_of[body]];
    view_.touched = frame.name;
    view_.point = transpose_mul(frame.R_BF, p_B - frame.p_BF);
  }
}

}  // namespace stance::haptics
