// A SpaceMouse without one: libspnav talks to a daemon of our own over the socket of spacenavd.

#include "stance/haptics/spacemouse.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "stance/haptics/check/make_device.h"
#include "stance/kernel/error.h"

// last: it brings the macros of X11
#include <spnav.h>

namespace stance::haptics {
namespace {

constexpr std::int32_t kMotion = 0, kPress = 1, kRelease = 2;  // of its packets
using Packet = std::array<std::int32_t, 8>;

// Takes one client. A packet is eight integers: kind, then six counts and milliseconds, or a number
// of a button. Since version 1.0 it answers a question about the protocol; older ones do not.
class Daemon {
 public:
  explicit Daemon(const std::string& path, bool answers = true) : path_(path) {
    listener_ = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    unlink(path.c_str());
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 4), 0);
    thread_ = std::thread([this, answers] {
      // one that asks: others only see whether somebody is there
      for (std::int32_t question = 0; client_ == -1;) {
        const int client = accept(listener_, nullptr, nullptr);
        if (client == -1) return;
        if (recv(client, &question, sizeof question, MSG_WAITALL) != sizeof question) {
          close(client);
          continue;
        }
        if (answers) ::send(client, &question, sizeof question, MSG_NOSIGNAL);
        client_ = client, client_.notify_all();
      }
    });
  }
  ~Daemon() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
    if (client_ != -1) close(client_);
    unlink(path_.c_str());
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  void send(const Packet& packet) {
    client_.wait(-1);
    ASSERT_EQ(::send(client_, packet.data(), sizeof packet, MSG_NOSIGNAL), ssize_t(sizeof packet));
  }

 private:
  std::string path_;
  int listener_ = -1;
  std::atomic<int> client_{-1};
  std::thread thread_;
};

class SpaceMouseAtDaemon : public testing::Test {
 protected:
  SpaceMouseAtDaemon() {
    const std::string name = "/stance_spnav_" + std::to_string(getpid());
    path_ = std::filesystem::temp_directory_path().string() + name;
    setenv("SPNAV_SOCKET", path_.c_str(), 1);
  }
  ~SpaceMouseAtDaemon() override { unsetenv("SPNAV_SOCKET"); }

  // Reads every millisecond of the test's own clock.
  Reading read_for(Device& device, double seconds) {
    Reading reading = Reading::kNothing;
    for (const double end = now_ + seconds; now_ < end; now_ += 1e-3)
      reading = device.read(now_, sample_);
    return reading;
  }

  std::string path_;
  double now_ = 0.0;
  DeviceSample sample_;
};

TEST_F(SpaceMouseAtDaemon, MovesTheProbeAndPressesButtons) {
  Daemon daemon(path_);
  const std::unique_ptr<Device> device = make_device("spacemouse");
  EXPECT_EQ(device->facts().damping, 0.0);  // it gives no force
  EXPECT_EQ(read_for(*device, 0.01), Reading::kFresh);
  EXPECT_EQ(norm(sample_.position), 0.0);

  daemon.send({kMotion, 350, 0, 0, 0, 0, 0, 16});  // all the way to the right
  daemon.send({kPress, 1, 0, 0, 0, 0, 0, 0});
  read_for(*device, 0.1);
  EXPECT_NEAR(sample_.velocity[1], -RateProbe::kSpeed, 1e-12);
  EXPECT_NEAR(sample_.position[1], -0.1 * RateProbe::kSpeed, 2e-3 * RateProbe::kSpeed);
  EXPECT_EQ(sample_.buttons, 2u);

  daemon.send({kMotion, 0, 0, 0, 0, 0, 0, 16});
  daemon.send({kRelease, 1, 0, 0, 0, 0, 0, 0});
  read_for(*device, 0.01);
  EXPECT_EQ(norm(sample_.velocity), 0.0);
  EXPECT_EQ(sample_.buttons, 0u);
}

TEST_F(SpaceMouseAtDaemon, OfAnOlderVersionServesToo) {
  Daemon daemon(path_, false);
  const std::unique_ptr<Device> device = make_device("spacemouse");
  daemon.send({kMotion, 0, 350, 0, 0, 0, 0, 16});
  read_for(*device, 0.01);
  EXPECT_NEAR(sample_.velocity[2], RateProbe::kSpeed, 1e-12);
}

TEST_F(SpaceMouseAtDaemon, ThatGoesIsALostDeviceUntilItIsBack) {
  auto daemon = std::make_unique<Daemon>(path_);
  const std::unique_ptr<Device> device = make_device("spacemouse");
  daemon->send({kPress, 0, 0, 0, 0, 0, 0, 0});
  daemon->send({kMotion, 350, 0, 0, 0, 0, 0, 16});
  EXPECT_EQ(read_for(*device, 0.01), Reading::kFresh);
  EXPECT_EQ(device->trouble(), "");
  const Vec3d before = sample_.position;

  daemon.reset();
  EXPECT_EQ(read_for(*device, 3.0), Reading::kLost);
  EXPECT_NE(device->trouble(), "");

  daemon = std::make_unique<Daemon>(path_);
  Reading reading = Reading::kLost;
  for (int k = 0; k < 3 && reading == Reading::kLost; ++k) reading = read_for(*device, 1.0);
  EXPECT_EQ(reading, Reading::kFresh);
  EXPECT_EQ(device->trouble(), "");
  // where it was, and let go of
  EXPECT_LT(norm(sample_.position - before), 2e-3 * RateProbe::kSpeed);
  EXPECT_EQ(sample_.buttons, 0u);
  daemon->send({kPress, 0, 0, 0, 0, 0, 0, 0});
  read_for(*device, 0.01);
  EXPECT_EQ(sample_.buttons, 1u);
}

TEST_F(SpaceMouseAtDaemon, ThatSendsRubbishDoesNoHarm) {
  Daemon daemon(path_);
  const std::unique_ptr<Device> device = make_device("spacemouse");
  constexpr std::int32_t kMost = INT32_MAX, kLeast = INT32_MIN;
  for (int k = 0; k < 300; ++k) {
    daemon.send({kMost - k, kLeast, kMost, 7, 7, 7, 7, 7});
    daemon.send({-k, kMost, kMost, kMost, kMost, kMost, kMost, kMost});
    daemon.send({kPress, 1000 * k - 100000, 0, 0, 0, 0, 0, 0});
    daemon.send({kMotion, kLeast, kMost, kLeast, kMost, kLeast, kMost, kLeast});
    ASSERT_EQ(read_for(*device, 0.03), Reading::kFresh);
  }
  for (int k = 0; k < 3; ++k) EXPECT_LE(std::abs(sample_.position[k]), RateProbe::kReach);
  const Mat3d identity = sample_.orientation * transpose(sample_.orientation);
  EXPECT_LT(norm(identity.c[0] - Vec3d(1, 0, 0)), 1e-12);
}

TEST_F(SpaceMouseAtDaemon, ThatIsNotThereIsASentence) {
  try {
    make_device("spacemouse");
    FAIL() << "there is one?";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("spacenavd"), std::string::npos);
  }
}

TEST_F(SpaceMouseAtDaemon, IsOnlyOne) {
  Daemon daemon(path_);
  const std::unique_ptr<Device> device = make_device("spacemouse");
  EXPECT_THROW(make_device("spacemouse"), Error);
}

// Which way is which: as libspnav's own helper moves an object that is seen with x right, y up and
// z towards the person.
TEST(SpaceMouse, MovesAndTurnsAsLibspnavDoes) {
  for (int axis = 0; axis < 6; ++axis) {
    int counts[6] = {};
    counts[axis] = 200;
    spnav_event_motion motion{};
    motion.x = counts[0], motion.y = counts[1], motion.z = counts[2];
    motion.rx = counts[3], motion.ry = counts[4], motion.rz = counts[5];
    spnav_posrot theirs;
    spnav_posrot_init(&theirs);
    spnav_posrot_moveobj(&theirs, &motion);

    RateProbe probe;
    DeviceSample ours;
    probe.advance(0.0, ours);
    probe.push(0.0, Vec3d(counts[0], counts[1], counts[2]), Vec3d(counts[3], counts[4], counts[5]));
    probe.advance(0.1, ours);

    // to x away, y left, z up
    const auto turn = [](const float* a) { return Vec3d(-a[2], -a[0], a[1]); };
    const Vec3d move = turn(theirs.pos), spin = turn(theirs.rot);  // sin(angle / 2) times the axis
    const Mat3d& R = ours.orientation;
    const Vec3d turned =
        0.5 * Vec3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));  // sin(angle) axis
    const Vec3d mine = axis < 3 ? ours.position : turned, wanted = axis < 3 ? move : spin;
    ASSERT_GT(norm(wanted), 0.0) << axis;
    EXPECT_NEAR(dot(mine, wanted), norm(mine) * norm(wanted), 1e-9) << "axis " << axis;
    EXPECT_GT(norm(mine), 0.01) << "axis " << axis;
  }
}

}  // namespace
}  // namespace stance::haptics
