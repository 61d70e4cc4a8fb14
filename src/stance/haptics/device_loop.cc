#include "stance/haptics/device_loop.h"

#include <algorithm>
#include <cmath>

namespace stance::haptics {
namespace {

bool is_finite(const Vec3d& a) {
  return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
}

bool is_finite(const DeviceSample& sample) {
  bool out = is_finite(sample.position) && is_finite(sample.velocity);
  for (int k = 0; k < 3; ++k) out = out && is_finite(sample.orientation.c[k]);
  return out;
}

// Whether a hand can get from one place to the other.
bool can_follow(const Vec3d& from, const Vec3d& to, double dt) {
  return norm(to - from) <= DeviceLoop::kFastest * dt + DeviceLoop::kSlack;
}

}  // namespace

DeviceLoop::DeviceLoop(Device& device, const LoopOptions& options, Exchange& exchange)
    : device_(device),
      options_(options),
      exchange_(exchange),
      timing_(options.period),
      account_(device.facts().damping),
      power_(options.force_scale / options.scale) {}

// What one sample says alone may be a fault of the line.
bool DeviceLoop::is_plausible(double now, const DeviceSample& sample) {
  const double reach = kMostReach * device_.facts().workspace;
  bool is_odd = norm(sample.position) > reach || norm(sample.velocity) > kFastest;
  if (probe_.is_present) {
    const bool was_odd = norm(sample_.position) > reach || norm(sample_.velocity) > kFastest;
    // odd samples do not become likely by waiting
    const double passed = (is_odd_ ? odd_since_ : now) - sampled_;
    is_odd = (is_odd && !was_odd) || !can_follow(sample_.position, sample.position, passed);
  }
  if (is_odd && !(is_odd_ && can_follow(odd_, sample.position, now - odd_seen_))) odd_since_ = now;
  is_odd_ = is_odd, odd_ = sample.position, odd_seen_ = now;
  if (!is_odd) return true;
  if (now - odd_since_ < kOdd) return false;
  // it is there: what is held is taken anew
  start_again();
  is_odd_ = false;
  ++probe_.jumps;
  return true;
}

void DeviceLoop::start_again() {
  has_sample_ = false;
  account_.clear();
}

void DeviceLoop::take(double now, const DeviceSample& sample) {
  const double late = timing_.late();
  timing_.applied(now, sample.applied, sample.since);
  if (has_sample_) {
    // samples are on their way for different times: by how much, the delays of both tell at most
    const double passed = now - sampled_, least = timing_.least();
    account_.moved(sample.position - sample_.position, passed - (timing_.late() - least),
                   passed + (late - std::min(late, least)), sample_.applied, sample.applied,
                   sample.since);
  }
  sample_ = sample;
  has_sample_ = true, sampled_ = now;
  probe_.position = options_.offset + options_.scale * (options_.turn * sample.position);
  probe_.velocity = options_.scale * (options_.turn * sample.velocity);
  probe_.orientation = options_.turn * sample.orientation;
  probe_.buttons = sample.buttons;
  probe_.has_orientation = device_.facts().has_orientation;
}

// As stiff as the device bears: less at once, more slowly while it pulls.
void DeviceLoop::update_stiffness() {
  constexpr double kRise = 1.0;  // 1/s
  double most = options_.stiffness;
  const double b = device_.facts().damping;
  if (options_.use_bound && b > 0.0) {
    const double bound = timing_.is_known()
                             ? kShare * calc_stiffest(b, timing_.period(), timing_.delay(), 0.0)
                             : 0.0;
    most = std::min(most, bound / (options_.force_scale * options_.scale));
  }
  const bool pulls = norm(probe_.force) > 0.0;
  const double risen = probe_.stiffness * (1.0 + kRise * timing_.last());
  probe_.stiffness = pulls ? std::min(most, risen) : most;
}

Vec3d DeviceLoop::calc_attach(double& spring_energy) {
  // the spring that the object feels; softer already, if this loop has just become so
  const double stiffness = std::min(scene_->stiffness, probe_.stiffness);
  const Vec3d stretch = local_.position() - (probe_.position + scene_->shift);
  spring_energy = 0.5 * stiffness * dot(stretch, stretch);
  return stiffness * stretch;
}

Vec3d DeviceLoop::calc_touch(double& spring_energy) {
  Plane planes[kMostPlanes];
  for (int k = 0; k < scene_->num_planes; ++k)
    planes[k] = {scene_->planes[k].n, scene_->planes[k].offset + beyond_ * scene_->speeds[k]};
  const Vec3d proxy =
      find_nearest({planes, static_cast<std::size_t>(scene_->num_planes)}, probe_.position).x;
  const Vec3d stretch = proxy - probe_.position;
  const bool is_touching = norm(stretch) > 0.0;
  // where it begins, the anchor has not moved: it is made
  if (is_touching && was_touching_)
    account_.anchor_moved((1.0 / options_.scale) * transpose_mul(options_.turn, proxy - proxy_),
                          wanted_);
  was_touching_ = is_touching, proxy_ = proxy;
  spring_energy = 0.5 * probe_.stiffness * dot(stretch, stretch);
  return probe_.stiffness * stretch;
}

// A new state. One that is still to come is gone back from along the step; within a period it is of
// now.
void DeviceLoop::take_scene(double now) {
  if (step_ > 0 && scene_->step > step_)
    pace_.add(static_cast<double>(scene_->step - step_) * scene_->h, now - scene_since_);
  step_ = scene_->step, scene_since_ = now;
  const double lead = scene_->h / pace_.value() - scene_->cost;  // s of the clock
  beyond_ = -std::min(scene_->h, pace_.value() * std::max(0.0, lead - options_.period));
  if (scene_->mode == SceneState::Mode::kAttach) {
    local_.start(scene_->local);
    local_.go_on(scene_->local, beyond_);
  }
  if (scene_->hold != hold_ || scene_->mode != SceneState::Mode::kAttach)
    hold_ = scene_->hold;
  else
    account_.anchor_moved(
        (1.0 / options_.scale) * transpose_mul(options_.turn, scene_->travel - travel_), wanted_);
  travel_ = scene_->travel;
}

// Between states, as fast as simulated time passes and by no more than a step beyond the last one:
// then nothing is known any more.
void DeviceLoop::move_on() {
  const double dt = std::min(pace_.value() * timing_.last(), scene_->h - beyond_);
  if (!(dt > 0.0)) return;
  if (scene_->mode == SceneState::Mode::kAttach) {
    if (options_.use_local && beyond_ > -0.5 * dt)
      local_.advance(scene_->local, dt, probe_.position + scene_->shift, probe_.velocity);
    else
      local_.go_on(scene_->local, dt);
    probe_.unsolved = local_.unsolved();
  }
  beyond_ += dt;
}

Vec3d DeviceLoop::calc_force(double now, double& spring_energy) {
  if (exchange_.scene.read(scene_))
    take_scene(now);
  else
    move_on();
  if (scene_->mode != SceneState::Mode::kTouch) was_touching_ = false;
  if (scene_->mode == SceneState::Mode::kAttach) return calc_attach(spring_energy);
  if (scene_->mode == SceneState::Mode::kTouch) return calc_touch(spring_energy);
  return {};
}

// To what the device can show and its account bears; `wanted_` is what acts on the object.
Vec3d DeviceLoop::limit(const Vec3d& wanted) {
  const double size = norm(wanted), most = device_.facts().max_force;
  const bool is_known = std::isfinite(size);
  Vec3d force = size > most ? (most / size) * wanted : wanted;
  if (!is_known) force = {};
  const bool touches = scene_->mode == SceneState::Mode::kTouch;
  wanted_ = touches || !is_known ? force : wanted;
  const std::uint64_t number = ++number_;
  if (options_.use_account)
    force = account_.limit(force, timing_.period(), number, sample_.applied);
  probe_.share = std::max(kLeastShare, account_.share());
  wanted_ = (touches ? scene_->felt * probe_.share : probe_.share) * wanted_;
  return force;
}

void DeviceLoop::tick(double now) {
  timing_.tick(now);
  DeviceSample sample = sample_;
  const Reading reading = device_.read(now, sample);
  const bool is_fresh =
      reading == Reading::kFresh && is_finite(sample) && is_plausible(now, sample);
  const bool was_lost = !probe_.is_present;
  if (is_fresh) {
    if (was_lost) start_again();
    take(now, sample);
  }

  // presence: 1 while samples come, then fading
  const double silence = now - sampled_;
  const double strength =
      !has_sample_ ? 0.0 : std::clamp(1.0 - (silence - kStale) / kFade, 0.0, 1.0);
  probe_.strength =
      reading == Reading::kLost && !is_fresh ? std::min(strength, probe_.strength) : strength;
  probe_.is_present = has_sample_ && strength > 0.0;
  update_stiffness();

  double spring_energy = 0.0;
  Vec3d force = calc_force(now, spring_energy);
  account_.keep(power_ * spring_energy);
  force = limit((probe_.strength * options_.force_scale) * transpose_mul(options_.turn, force));
  device_.write(now, {force, number_});
  timing_.sent(now, number_);

  probe_.force = force, probe_.max_force = device_.facts().max_force / options_.force_scale;
  probe_.held_back = account_.held_back(), probe_.stored = account_.stored();
  probe_.period = timing_.period(), probe_.delay = timing_.delay();
  ++probe_.tick;
  exchange_.probe.write(probe_);
}

}  // namespace stance::haptics
