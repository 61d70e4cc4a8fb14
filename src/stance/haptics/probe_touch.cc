#include "stance/haptics/probe_touch.h"

#include <algorithm>

namespace stance::haptics {

// N per m between probe and proxy: the device's force, as far as it can show it and its account
// lets it.
double ProbeTouch::calc_stiffness(const ProbeState& probe) const {
  constexpr double kMostForce = 100.0;  // N, by a device that shows none
  const double most = probe.max_force > 0.0 ? probe.max_force : kMostForce;
  const double depth = norm(proxy_.position() - probe.position);
  const double stiffness = probe.strength * probe.stiffness;
  return probe.share * (stiffness * depth > most ? most / depth : stiffness);
}

// What a touched body feels, at the touched point.
sim::PushBody ProbeTouch::make_push(const Proxy::Touch& touch, double stiffness,
                                    ProbeWorld& world) {
  const model::BodyIndex body = world.body_of(touch.geometry);
  const model::Frame& frame = world.frame_of(body);
  const Vec3d p_B = world.calc_point(body, touch.point);
  sim::PushBody push{.body = frame.name};
  push.point = transpose_mul(frame.R_BF, p_B - frame.p_BF);
  // the force is that of the step's start: a spring of more than m / 2 h^2 would throw light things
  const double mobility = world.calc_mobility(body, p_B, touch.plane.n);
  const double wanted = options_.coefficient * stiffness;
  const double given = std::min(wanted, 0.5 / (mobility * world.h() * world.h()));
  push.force = (-given * touch.pull) * touch.plane.n;
  if (stiffness > 0.0) felt_ = std::min(felt_, given / stiffness);
  return push;
}

// One wrench a body: two shapes of it that are touched add up at the first one's point.
bool ProbeTouch::add_to_same(const sim::PushBody& push, model::BodyIndex body,
                             const ProbeWorld& world, std::vector<run::Change>& changes) const {
  for (run::Change& change : changes) {
    sim::PushBody* same = run::find_action<sim::PushBody>(change);
    if (!same || change.source != options_.source || same->body != push.body) continue;
    const Vec3d arm =
        world.kin().R_WB[body] * (world.frame_of(body).R_BF * (push.point - same->point));
    same->force += push.force, same->torque += cross(arm, push.force);
    return true;
  }
  return false;
}

// The bodies that the proxy leans on feel the device's force, times the user's coefficient.
void ProbeTouch::act(const ProbeState& probe, ProbeWorld& world,
                     std::vector<run::Change>& changes) {
  proxy_.follow(world.shapes(), world.poses(), probe.position);
  std::vector<std::string>& before = pushed_;
  const double stiffness = calc_stiffness(probe);
  std::size_t still = 0;
  felt_ = 1.0;
  for (const Proxy::Touch& touch : proxy_.touches()) {
    const model::BodyIndex body = world.body_of(touch.geometry);
    if (!(touch.pull > 0.0) || body == model::BodyIndex(0)) continue;
    const sim::PushBody push = make_push(touch, stiffness, world);
    if (add_to_same(push, body, world, changes)) continue;
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
  for (std::size_t k = still; k < before.size(); ++k)
    changes.push_back({options_.source, sim::Release{before[k]}});
  before.resize(still);
}

void ProbeTouch::tie(const ProbeState& probe, ProbeWorld& world, const StepDone&, SceneState& scene,
                     ProbeView& shown) {
  proxy_.follow(world.shapes(), world.poses(), probe.position);
  scene.mode = SceneState::Mode::kTouch;
  scene.felt = felt_;
  shown.touched.clear();
  double most = 0.0;
  for (const Proxy::Touch& touch : proxy_.touches()) {
    const model::BodyIndex body = world.body_of(touch.geometry);
    const Vec3d p_B = world.calc_point(body, touch.point);
    const int k = scene.num_planes++;
    scene.planes[k] = touch.plane, scene.speeds[k] = 0.0;
    if (body == model::BodyIndex(0)) continue;
    scene.speeds[k] = dot(touch.plane.n, world.calc_velocity(body, p_B));
    if (touch.pull <= most) continue;
    most = touch.pull;
    const model::Frame& frame = world.frame_of(body);
    shown.touched = frame.name;
    shown.point = transpose_mul(frame.R_BF, p_B - frame.p_BF);
  }
}

}  // namespace stance::haptics
