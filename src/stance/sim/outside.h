#pragma once

// What people and devices do to a simulation while it runs: forces on bodies, targets and torques
// of joints. It comes as changes, each of which holds from one step on until the next; what is
// logged of a run is these changes (docs/recording.md), so that it can be run again. Changes of the
// world itself are scene/edit.h, both together run/change.h.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "stance/kernel/error.h"
#include "stance/kernel/rotation.h"
#include "stance/sim/drag.h"
#include "stance/sim/module.h"

namespace stance::sim {

// Things are known by name, since worlds change (transfer.h): OBJECT, ROBOT/LINK or ROBOT/JOINT.

// Force and torque at a point of a body or link.
struct PushBody {
  std::string body{};
  Vec3d point{};            // m, in the frame of the body or link
  Vec3d force{}, torque{};  // N, N m, world axes
};
// A spring and a damper from such a point to a place, and, if wanted, to an orientation (drag.h).
struct DragBody {
  std::string body{};
  Vec3d point{};                       // m, in the frame of the body or link
  Vec3d to{}, velocity{};              // m, m/s, world: the place, and how fast that moves
  double stiffness = 0.0;              // N/m
  kernel::Quat<double> orientation{};  // of the frame of the body or link, world
  double turning = 0.0;  // N m/rad, stiffness of turning it there; 0: it is free to turn
};
// Where a joint's spring pulls, whatever controllers say.
struct SetTarget {
  std::string joint{};
  double value = 0.0;  // rad or m
};
// At a joint, besides what controllers give.
struct SetTorque {
  std::string joint{};
  double value = 0.0;  // N m or N
};
// Where a device's probe is; pushes nothing, but robots may look at it.
struct PlaceProbe {
  Vec3d at{};  // m, world
};
// Ends what the same source did to a thing, or to everything when that is empty.
struct Release {
  std::string name{};
};
using Action = std::variant<PushBody, DragBody, SetTarget, SetTorque, PlaceProbe, Release>;

// The name of what it is done to; empty where it has none.
const std::string& find_name(const Action& action);

struct InputChange {
  std::string source{};  // who: "mouse", "device 1"; each has one of a kind on each thing
  Action what{};
};

// What holds now.
class Outside {
 public:
  // Throws stance::Error when there is no such body, link or joint of one coordinate, or a number
  // is not finite. May ask for memory.
  void apply(const World& world, const InputChange& change);

  // Goes on in another world; what it did to things that are gone ends.
  void change(const World& world);

  // Changes that would bring about what holds now.
  std::vector<InputChange> list_changes() const;

  bool is_idle() const {
    return pushes_.empty() && drags_.empty() && targets_.empty() && torques_.empty() &&
           probes_.empty();
  }

  // What has been taken hold of or pushed since the last call of forget_touches.
  std::span<const Touch> touches() const { return touches_; }
  void forget_touches() { touches_.clear(); }

  // What pulls now, with the forces of the last step that was watched.
  struct Pull {
    std::string source;
    DragBody what;
    Drag drag;
    model::FrameIndex link{};  // that it pulls
  };
  std::span<const Pull> pulls() const { return drags_; }

  // Into a drive: forces and probes before controllers act, since some answer to them, joints
  // afterwards.
  void add_wrenches(const StepStart& at, Drive& drive);
  void set_joints(Drive& drive) const;

  // After a step: takes note of the forces by which drags pulled.
  void watch(const Scratch& scratch);

 private:
  struct Push {
    std::string source;
    PushBody what;
    PointWrench wrench;
  };
  template <class What>
  struct Joint {
    std::string source;
    What what;
    int coordinate = 0;
  };
  struct Probe {
    std::string source;
    PlaceProbe what;
  };

  void act(const World& world, const std::string& source, const PushBody& what);
  void act(const World& world, const std::string& source, const DragBody& what);
  void act(const World& world, const std::string& source, const SetTarget& what);
  void act(const World& world, const std::string& source, const SetTorque& what);
  void act(const World& world, const std::string& source, const PlaceProbe& what);
  void act(const World& world, const std::string& source, const Release& what);

  std::vector<Push> pushes_;  // in the order in which they came
  std::vector<Pull> drags_;
  std::unique_ptr<DragForces> forces_;  // of this world; made with its first drag
  std::vector<Drag> work_;
  std::size_t first_drag_ = 0;  // among the drive's wrenches
  std::vector<Joint<SetTarget>> targets_;
  std::vector<Joint<SetTorque>> torques_;
  std::vector<Probe> probes_;
  std::vector<Touch> touches_;
};

}  // namespace stance::sim
