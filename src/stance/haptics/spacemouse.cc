#include "stance/haptics/spacemouse.h"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "stance/kernel/error.h"
#include "stance/kernel/rotation.h"

#if __has_include(<spnav.h>) && defined(STANCE_HAS_SPNAV)
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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

// To x away from the person, y left, z up. libspnav's axes are left-handed, and its turns are about
// (rx, ry, -rz) of right-handed ones with z towards the person: the same formula serves both.
Vec3d turn_axes(const Vec3d& a) { return {a[2], -a[0], a[1]}; }

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

void RateProbe::let_go() { velocity_ = spin_ = {}, buttons_ = 0; }

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
    if (spnav_fd() != -1) throw Error("--device spacemouse: there can be one, and there is one");
    if (!open())
      throw Error(
          "--device spacemouse: there is no spacenavd to talk to; start it "
          "(Debian: spacenavd)");
    facts_.name = "spacemouse", facts_.has_orientation = true;
    facts_.workspace = RateProbe::kReach;
  }
  ~SpaceMouse() override { spnav_close(); }
  SpaceMouse(const SpaceMouse&) = delete;
  SpaceMouse& operator=(const SpaceMouse&) = delete;
  const DeviceFacts& facts() const override { return facts_; }

  Reading read(double now, DeviceSample& sample) override {
    if (spnav_fd() != -1 && !take_events(now)) {
      spnav_close();
      probe_.let_go();
      next_try_ = now + kTryEvery;
    }
    if (spnav_fd() == -1) {
      if (now < next_try_) return Reading::kLost;
      next_try_ = now + kTryEvery;
      if (!is_there() || !open()) return Reading::kLost;
    }
    probe_.advance(now, sample);
    return Reading::kFresh;
  }
  void write(double, const DeviceForce&) override {}
  std::string trouble() const override {
    return spnav_fd() != -1 ? "" : "spacenavd is gone; waiting for it to come back";
  }

 private:
  static constexpr double kTryEvery = 1.0;  // s
  static constexpr int kMostEvents = 256;   // at a time, whatever the daemon sends

  // Waits up to 0.3 s for the answer of an old daemon.
  bool open() {
    if (spnav_open() == -1) return false;
    socklen_t size = sizeof address_;
    if (getpeername(spnav_fd(), reinterpret_cast<sockaddr*>(&address_), &size) != 0) size = 0;
    address_size_ = size;
    return true;
  }

  // spnav_open loses some memory each time that nobody is there, so this is found out before.
  bool is_there() const {
    const int s = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s == -1) return false;
    const bool out = connect(s, reinterpret_cast<const sockaddr*>(&address_), address_size_) == 0;
    close(s);
    return out;
  }

  // What came since the last call; false when the daemon is gone, which libspnav does not tell.
  bool take_events(double now) {
    spnav_event event;
    for (int k = 0; k < kMostEvents; ++k) {
      if (spnav_poll_event(&event) == 0) {
        char byte;
        const ssize_t left = recv(spnav_fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (left == 0) return false;
        if (left < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
      } else if (event.type == SPNAV_EVENT_MOTION) {
        const auto& m = event.motion;
        probe_.push(now, Vec3d(m.x, m.y, m.z), Vec3d(m.rx, m.ry, m.rz));
      } else if (event.type == SPNAV_EVENT_BUTTON) {
        probe_.press(event.button.bnum, event.button.press != 0);
      }
    }
    return true;
  }

  DeviceFacts facts_;
  RateProbe probe_;
  sockaddr_un address_{};  // of the daemon
  socklen_t address_size_ = 0;
  double next_try_ = 0.0;  // s
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
