#include "stance/haptics/check/emulator.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stance::haptics {
namespace {

constexpr double kLongestStep = 50e-6;  // s
constexpr double kLongestGap = 1.0;     // s
constexpr double kNow = 1e-9;           // s, rounding of times

}  // namespace

// ---- the hand ---------------------------------------------------------------------------------

Hand::Hand(const HandOptions& options, Motion motion)
    : options_(options), motion_(std::move(motion)) {
  const Intention start = motion_(0.0);
  x_ = start.position, v_ = start.velocity;
  // well within what the method bears: 2.7 m / damping, 2.8 sqrt(m / stiffness)
  longest_ = kLongestStep;
  if (const double b = options.damping + options.hand_damping; b > 0.0)
    longest_ = std::min(longest_, 0.5 * options.mass / b);
  if (options.stiffness > 0.0)
    longest_ = std::min(longest_, 0.5 * std::sqrt(options.mass / options.stiffness));
}

Vec3d Hand::calc_acceleration(double time, const Vec3d& x, const Vec3d& v) const {
  const Intention wanted = motion_(time);
  const Vec3d force = force_ + options_.stiffness * (wanted.position - x) +
                      options_.hand_damping * (wanted.velocity - v) - options_.damping * v;
  return (1.0 / options_.mass) * force;
}

void Hand::advance(double time) {
  // nobody has looked for long: it went where it wanted to be
  if (time - time_ > kLongestGap) {
    time_ = time - kLongestGap;
    const Intention wanted = motion_(time_);
    x_ = wanted.position, v_ = wanted.velocity;
  }
  const double whole = time - time_;
  if (!(whole > 0.0)) return;
  const auto steps =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(whole / longest_ - 1e-6)));
  const double h = whole / static_cast<double>(steps), begin = time_;
  for (std::int64_t k = 0; k < steps; ++k) {
    const double t = begin + static_cast<double>(k) * h;
    const Vec3d a1 = calc_acceleration(t, x_, v_);
    const Vec3d v2 = v_ + (0.5 * h) * a1;
    const Vec3d a2 = calc_acceleration(t + 0.5 * h, x_ + (0.5 * h) * v_, v2);
    const Vec3d v3 = v_ + (0.5 * h) * a2;
    const Vec3d a3 = calc_acceleration(t + 0.5 * h, x_ + (0.5 * h) * v2, v3);
    const Vec3d v4 = v_ + h * a3;
    const Vec3d a4 = calc_acceleration(t + h, x_ + h * v3, v4);
    const Vec3d dx = (h / 6.0) * (v_ + 2.0 * v2 + 2.0 * v3 + v4);
    const Vec3d next = v_ + (h / 6.0) * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    const Vec3d middle = 0.5 * (v_ + next) + (h / 8.0) * (a1 - a4);
    drawn_ += dot(force_, dx);
    burnt_ +=
        options_.damping * h / 6.0 * (dot(v_, v_) + 4.0 * dot(middle, middle) + dot(next, next));
    x_ += dx, v_ = next;
  }
  time_ = time;
}

// ---- the device -------------------------------------------------------------------------------

template <class T>
void EmulatedDevice::Queue<T>::push(double when, const T& item) {
  if (end - first == kQueue) ++first;                               // a peer that never looks
  if (end > first) when = std::max(when, due[(end - 1) % kQueue]);  // in order, as a stream is
  items[end % kQueue] = item, due[end % kQueue] = when;
  ++end;
}

EmulatedDevice::EmulatedDevice(const HandOptions& options, Motion motion)
    : options_(options), hand_(options, std::move(motion)), random_(options.seed) {
  facts_.name = "emulator";
  facts_.damping = options.damping;
  facts_.max_force = options.max_force;
  facts_.workspace = 0.5;
}

double EmulatedDevice::shake() {
  return options_.jitter > 0.0 ? random_.uniform(0.0, options_.jitter) : 0.0;
}

// Forces that arrive on the way act from then on; one that arrives just now acts afterwards.
void EmulatedDevice::advance(double now) {
  for (; forces_.first < forces_.end; ++forces_.first) {
    const double due = forces_.due[forces_.first % kQueue];
    if (due > now - kNow) break;
    hand_.advance(due);
    const DeviceForce& force = forces_.items[forces_.first % kQueue];
    hand_.set_force(force.force);
    applied_ = force.number;
    last_force_ = due;
  }
  const double end = last_force_ + options_.watchdog;
  if (end < now - kNow) {
    hand_.advance(end);
    hand_.set_force({});
  }
  hand_.advance(now);
}

Reading EmulatedDevice::read(double now, DeviceSample& sample) {
  advance(now);
  if (!is_connected_) return Reading::kNothing;
  DeviceSample fresh;
  fresh.position = hand_.position(), fresh.velocity = hand_.velocity();
  if (const double q = options_.quantisation; q > 0.0)
    for (int k = 0; k < 3; ++k) fresh.position.set(k, q * std::round(fresh.position[k] / q));
  fresh.buttons = buttons_, fresh.applied = applied_;
  fresh.since = now - last_force_;
  samples_.push(now + shake(), fresh);
  bool is_any = false;
  for (; samples_.first < samples_.end; ++samples_.first) {
    if (samples_.due[samples_.first % kQueue] > now + kNow) break;
    sample = samples_.items[samples_.first % kQueue];
    is_any = true;
  }
  return is_any ? Reading::kFresh : Reading::kNothing;
}

void EmulatedDevice::write(double now, const DeviceForce& force) {
  if (!is_connected_) return;
  DeviceForce held = force;
  const double size = norm(force.force);
  if (!std::isfinite(size))
    held.force = {};
  else if (size > options_.max_force)
    held.force = (options_.max_force / size) * force.force;
  forces_.push(now + options_.latency + shake(), held);
}

}  // namespace stance::haptics
