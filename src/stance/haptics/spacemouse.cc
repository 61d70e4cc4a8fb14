#include "stance/haptics/spacemouse.h"

#include <algorithm>
#include <cmath>

#include "stance/kernel/error.h"
#include "stance/kernel/rotation.h"

#if __has_include(<spnav.h>) && defined(STANCE_HAS_SPNAV)
#include <spnav.h>
#define STANCE_USE_SPNAV 1
#endif

namespace stance::haptics {
namespace {

double calc_rate(double counts, double full) {
  const double size = std::abs(counts);
  if (!(size > RateProbe::kDead)) return 0.0;
  const double part =
      std::min(1.0, (size - RateProbe::kDead) / (RateProbe::kFull - RateProbe::kDead));
  return std::copysign(part * full, counts);
}

// To x away from the person, y left, z up.
Vec3d turn_axes(const Vec3d& a) { return {-a[2], -a[0], a[1]}; }

Vec3d calc_rates(const Vec3d& counts, double full) {
  const Vec3d a = turn_axes(counts);
  return {calc_rate(a[0], full), calc_rate(a[1], full), calc_rate(a[2], full)};
}

}  // namespace

void RateProbe::push(double now, const Vec3d& counts, const Vec3d& turn_counts) {
  velocity_ = calc_rates(counts, kSpeed), spin_ = calc_rates(turn_counts, kTurn);
  heard_ = now;
}

void RateProbe::press(int button, bool is_down) {
  if (button < 0 || button > 31) return;
  const std::uint32_t bit = 1u << button;
  buttons_ = is_down ? buttons_ | bit : buttons_ & ~bit;
}

void RateProbe::advance(double now, DeviceSample& sample) {
  if (!has_time_) time_ = now, has_time_ = true;
  const double h = now - time_;
  time_ = now;
  if (now - heard_ > kSilence) velocity_ = spin_ = {};
  const Vec3d before = position_;
  for (int k = 0; k < 3; ++k)
    position_.set(k, std::clamp(position_[k] + h * velocity_[k], -kReach, kReach));
  orientation_ = kernel::make_rotation(kernel::exp_quat(h * spin_)) * orientation_;
  sample = {};
  sample.position = position_, sample.orientation = orientation_;
  if (h > 0.0) sample.velocity = (1.0 / h) * (position_ - before);
  sample.buttons = buttons_;
}

#ifdef STANCE_USE_SPNAV

namespace {

class SpaceMouse final : public Device {
 public:
  SpaceMouse() {
    if (spnav_open() == -1)
      throw Error(
          "--device spacemouse: there is no spacenavd to talk to; start it "
          "(Debian: spacenavd)");
    facts_.name = "spacemouse", facts_.has_orientation = true;
    facts_.workspace = RateProbe::kReach;
  }
  ~SpaceMouse() override { spnav_close(); }
  const DeviceFacts& facts() const override { return facts_; }

  Reading read(double now, DeviceSample& sample) override {
    spnav_event event;
    while (spnav_poll_event(&event)) {
      if (event.type == SPNAV_EVENT_MOTION) {
        const auto& m = event.motion;
        probe_.push(now, Vec3d(m.x, m.y, m.z), Vec3d(m.rx, m.ry, m.rz));
      } else if (event.type == SPNAV_EVENT_BUTTON) {
        probe_.press(event.button.bnum, event.button.press != 0);
      }
    }
    probe_.advance(now, sample);
    return Reading::kFresh;
  }
  void write(double, const DeviceForce&) override {}

 private:
  DeviceFacts facts_;
  RateProbe probe_;
};

}  // namespace

std::unique_ptr<Device> make_spacemouse() { return std::make_unique<SpaceMouse>(); }

#else

std::unique_ptr<Device> make_spacemouse() {
  throw Error(
      "--device spacemouse: this program was built without libspnav; install it (Debian: "
      "libspnav-dev) and build again");
}

#endif

}  // namespace stance::haptics
