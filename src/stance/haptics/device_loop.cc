#include "stance/haptics/device_loop.h"

#include <algorithm>
#include <cmath>

namespace stance::haptics {
namespace {

bool is_finite(const Vec3d& a) {
  return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
}

}  // namespace

DeviceLoop::DeviceLoop(Device& device, const LoopOptions& options, Exchange& exchange)
    : device_(device),
      options_(options),
      exchange_(exchange),
      timing_(options.period),
      account_(device.facts().damping),
      power_(options.force_scale / options.scale) {}

void DeviceLoop::take(double now, const DeviceSample& sample) {
  timing_.applied(now, sample.applied, sample.since);
  if (has_sample_)
    account_.moved(sample.position - sample_.position, now - sampled_, sample_.applied,
                   sample.applied, sample.since);
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

Vec3d DeviceLoop::calc_touch(double age, double& spring_energy) {
  Plane planes[kMostPlanes];
  for (int k = 0; k < scene_->num_planes; ++k)
    planes[k] = {scene_->planes[k].n, scene_->planes[k].offset + age * scene_->speeds[k]};
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

Vec3d DeviceLoop::calc_force(double now, double& spring_energy) {
  const bool is_new = exchange_.scene.read(scene_);
  if (scene_->mode == SceneState::Mode::kAttach) {
    // a state that is still to come is gone back from along the step; within a period it is of now
    if (is_new) {
      ahead_ = std::max(0.0, scene_->lead - options_.period);
      local_.start(scene_->local);
      local_.go_on(scene_->local, -ahead_);
    } else if (options_.use_local && now - scene_since_ > ahead_ + 0.5 * timing_.last())
      local_.advance(scene_->local, timing_.last(), probe_.position + scene_->shift,
                     probe_.velocity);
    else
      local_.go_on(scene_->local, timing_.last());
  }
  if (is_new) {
    scene_since_ = now;
    if (scene_->hold != hold_ || scene_->mode != SceneState::Mode::kAttach) {
      hold_ = scene_->hold, travel_ = scene_->travel;
    } else {
      account_.anchor_moved(
          (1.0 / options_.scale) * transpose_mul(options_.turn, scene_->travel - travel_), wanted_);
      travel_ = scene_->travel;
    }
  }
  if (scene_->mode != SceneState::Mode::kTouch) was_touching_ = false;
  const double age = now - scene_since_;
  if (scene_->mode == SceneState::Mode::kAttach) return calc_attach(spring_energy);
  if (scene_->mode == SceneState::Mode::kTouch) return calc_touch(age, spring_energy);
  return {};
}

void DeviceLoop::tick(double now) {
  timing_.tick(now);
  DeviceSample sample = sample_;
  const Reading reading = device_.read(now, sample);
  const bool is_fresh =
      reading == Reading::kFresh && is_finite(sample.position) && is_finite(sample.velocity);
  const bool was_lost = !probe_.is_present;
  if (is_fresh) {
    if (was_lost) {
      has_sample_ = false;
      account_.clear();
    }
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
  force = (probe_.strength * options_.force_scale) * transpose_mul(options_.turn, force);
  const Vec3d unlimited = force;
  const double size = norm(force), most = device_.facts().max_force;
  if (!std::isfinite(size))
    force = {};
  else if (size > most)
    force = (most / size) * force;

  const std::uint64_t number = ++number_;
  account_.keep(power_ * spring_energy);
  if (options_.use_account)
    force = account_.limit(force, timing_.period(), number, sample_.applied);
  probe_.share = std::max(kLeastShare, account_.share());
  wanted_ = probe_.share * unlimited;
  device_.write(now, {force, number});
  timing_.sent(now, number);

  probe_.force = force;
  probe_.held_back = account_.held_back(), probe_.stored = account_.stored();
  probe_.period = timing_.period(), probe_.delay = timing_.delay();
  ++probe_.tick;
  exchange_.probe.write(probe_);
}

}  // namespace stance::haptics
