#pragma once

// What people and devices do to a simulation while it runs (H9, H15): forces on bodies, targets and
// torques of joints, other objects, gravity or law. It comes as changes, each of which holds from
// one step on until the next; what is logged of a run is these changes (docs/recording.md), so that
// it can be run again.

#include <memory>
#include <string>
#include <vector>

#include "stance/kernel/error.h"
#include "stance/kernel/rotation.h"
#include "stance/sim/drag.h"
#include "stance/sim/module.h"

namespace stance::scene {
struct AddObjects;  // scene/edit.h
}

namespace stance::sim {

// One change. Things are known by name, since worlds change (transfer.h).
struct InputChange {
  enum class Kind {
    kWrench,   // force and torque at a point of a body or link
    kDrag,     // a spring and a damper from such a point to a place, and, if wanted, to an
               // orientation (drag.h)
    kTarget,   // where a joint's spring pulls, whatever controllers say
    kTorque,   // at a joint, besides what controllers give
    kProbe,    // where a device's probe is; pushes nothing, but robots may look at it
    kRelease,  // ends what `source` did to `name`, or to everything when that is empty
    // of the world itself, by run::Simulation
    kAdd,      // an object
    kRemove,   // an object
    kGravity,  //
    kLaw,      // of contact
  };
  static bool is_edit(Kind kind) { return kind >= Kind::kAdd; }

  Kind kind = Kind::kWrench;
  std::string source{};       // who: "mouse", "device 1"; each has one of a kind on each thing
  std::string name{};         // OBJECT, ROBOT/LINK or ROBOT/JOINT; kLaw: its name
  Vec3d point{};              // kWrench, kDrag: m, in the frame of the body or link
  Vec3d force{}, torque{};    // kWrench: N, N m, world axes
  Vec3d place{}, velocity{};  // kDrag: where the point is pulled to and how fast that moves, world;
                              // kProbe: the place
  double value = 0.0;         // kTarget: rad or m; kTorque: N m or N; kDrag: stiffness, N/m
  kernel::Quat<double> orientation{};  // kDrag: of the frame of the body or link, world
  double turning = 0.0;  // kDrag: stiffness of turning it there, N m/rad; 0: it is free to turn
  Vec3d gravity{};       // kGravity: m/s^2
  std::shared_ptr<const scene::AddObjects> added{};  // kAdd
};

// "wrench", "drag", "target", "torque", "probe", "release", "add", "remove", "gravity", "law".
const char* change_name(InputChange::Kind kind);

// What holds now.
class Outside {
 public:
  // Throws stance::Error when there is no such body, link or joint of one coordinate, or a number
  // is not finite. May ask for memory. Not for edits.
  void apply(const World& world, const InputChange& change);

  // Goes on in another world; what it did to things that are gone ends.
  void change(const World& world);

  // Changes that would bring about what holds now.
  std::vector<InputChange> list_changes() const;

  bool is_idle() const {
    return wrenches_.empty() && drags_.empty() && joints_.empty() && probes_.empty();
  }

  // What has been taken hold of or pushed since the last call of forget_touches.
  std::span<const Touch> touches() const { return touches_; }
  void forget_touches() { touches_.clear(); }

  // What pulls now, with the forces of the last step that was watched.
  struct Pull {
    InputChange change;
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
  struct Wrench {
    InputChange change;
    PointWrench wrench;
  };
  struct Joint {
    InputChange change;
    int coordinate = 0;
  };
  bool find(const World& world, Wrench& wrench) const;
  bool find(const World& world, Pull& pull) const;
  bool find(const World& world, Joint& joint) const;

  std::vector<Wrench> wrenches_;  // in the order in which they came
  std::vector<Pull> drags_;
  std::unique_ptr<DragForces> forces_;  // of this world; made with its first drag
  std::vector<Drag> work_;
  std::size_t first_drag_ = 0;  // among the drive's wrenches
  std::vector<Joint> joints_;
  std::vector<InputChange> probes_;
  std::vector<Touch> touches_;
};

}  // namespace stance::sim
