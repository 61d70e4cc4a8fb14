#pragma once

// The binary frames of docs/protocol.md.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "stance/scene/compile.h"
#include "stance/sim/channel.h"
#include "stance/sim/outside.h"
#include "stance/sim/sensor_kinds.h"
#include "stance/view/bytes.h"
#include "stance/view/protocol.h"

namespace stance::view {

enum FrameFlags : std::uint16_t {
  kFlagPaused = 1,
  kFlagNotConverged = 2,
  kFlagRefused = 4,
  kFlagPast = 8,
  kFlagRecording = 16,
  kFlagDropped = 32,
  kFlagMissed = 64,
  kFlagDevice = 128,
};
// What went wrong in a step, and stays with its frame.
inline constexpr std::uint16_t kFlagsOfSteps =
    kFlagNotConverged | kFlagRefused | kFlagDropped | kFlagMissed | kFlagDevice;

// Numbers of a state frame that do not come from the step itself.
struct FrameFigures {
  std::uint32_t scene = 0;
  std::uint16_t flags = 0;
  double time = 0.0;
  std::uint32_t step = 0;
  double speed = 0.0;        // simulated over real time
  double step_time = 0.0;    // us, mean since the last frame
  double residual = 0.0;     // worst since the last frame
  double penetration = 0.0;  // m, likewise
};

// Where the joints stand in a state frame, so that they can be left out again.
struct JointBlock {
  std::size_t at = 0, bytes = 0;
};

inline constexpr std::size_t kFlagsAt = 2, kSceneAt = 4, kTimeAt = 8, kJointCountAt = 44;
inline constexpr std::size_t kStateHead = 84;

// Draws frames of one world. Asks for no memory once warm.
class FrameMaker {
 public:
  explicit FrameMaker(const scene::Part& part);

  // The coordinates that `joints` of a frame lists: joints of robots with one coordinate each.
  std::span<const int> coordinates() const { return coordinates_; }

  // The state after a step, or without one (then nothing touches, and nothing balances). `out` is
  // overwritten.
  JointBlock make_state(const FrameFigures& figures, const sim::State& state,
                        const sim::StepView* step, Bytes& out);

  // A body after a step, for those who selected it.
  void describe(int body, const sim::StepView& step, Selection& out);

 private:
  void add_poses(Bytes& out) const;
  int add_contacts(const sim::StepView& step, Bytes& out) const;
  void add_balance(const sim::StepView& step, Bytes& out);

  const sim::World& world_;
  dynamics::Kinematics<double> kin_;
  std::vector<int> coordinates_;
  std::optional<sim::Balance> balance_;  // of the first robot, where it can stand
  bool is_level_ = false;                // up is z
  std::unique_ptr<sim::StepForces> forces_;
  std::vector<double> readings_;
};

// Whether a joint is listed: of a robot, with one coordinate.
std::vector<int> find_listed_coordinates(const scene::Part& part);

// A drag as it is drawn.
struct ShownDrag {
  int body = 0, viewer = 0;
  Vec3d point, target;
  double newtons = 0.0;
};
void make_drags(std::uint32_t scene, std::span<const ShownDrag> drags, Bytes& out);

// The head of a samples frame; rows of f64 time and f32 columns follow, `rows` is written last.
inline constexpr std::size_t kRowsAt = 14;
void begin_samples(std::uint32_t scene, std::uint32_t watch, std::size_t columns, Bytes& out);

}  // namespace stance::view
