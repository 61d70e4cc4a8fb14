#include "stance/sim/outside.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stance/kernel/error.h"

namespace stance::sim {
namespace {

using Kind = InputChange::Kind;

bool is_finite(const InputChange& change) {
  for (const Vec3d* v :
       {&change.point, &change.force, &change.torque, &change.place, &change.velocity})
    for (int k = 0; k < 3; ++k)
      if (!std::isfinite((*v)[k])) return false;
  const kernel::Quat<double>& turn = change.orientation;
  const double length = turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
  return std::isfinite(change.value) && std::isfinite(change.turning) && std::isfinite(length);
}

// Takes the place of what the same source did to the same thing, else comes last; true if so.
template <class T>
bool put(std::vector<T>& list, const T& item) {
  for (T& old : list)
    if (old.change.source == item.change.source && old.change.name == item.change.name &&
        old.change.kind == item.change.kind) {
      old = item;
      return false;
    }
  list.push_back(item);
  return true;
}

// The point of a change, if something that can move has its name.
struct BodyPoint {
  model::BodyIndex body;
  Vec3d p_B;
  model::FrameIndex link;
};
std::optional<BodyPoint> find_point(const World& world, const InputChange& change) {
  const model::FrameIndex index = world.model.find_frame(change.name);
  if (!index.valid() || world.model.frames[index].body == model::BodyIndex(0)) return {};
  const model::Frame& frame = world.model.frames[index];
  return BodyPoint{frame.body, frame.p_BF + frame.R_BF * change.point, index};
}

}  // namespace

const char* change_name(Kind kind) {
  switch (kind) {
    case Kind::kWrench: return "wrench";
    case Kind::kDrag: return "drag";
    case Kind::kTarget: return "target";
    case Kind::kTorque: return "torque";
    case Kind::kProbe: return "probe";
    case Kind::kRelease: return "release";
    case Kind::kAdd: return "add";
    case Kind::kRemove: return "remove";
    case Kind::kGravity: return "gravity";
    case Kind::kLaw: return "law";
  }
  return "";
}

bool Outside::find(const World& world, Wrench& wrench) const {
  const std::optional<BodyPoint> at = find_point(world, wrench.change);
  if (at) wrench.wrench = {at->body, at->p_B, wrench.change.force, wrench.change.torque, at->link};
  return at.has_value();
}

bool Outside::find(const World& world, Pull& pull) const {
  const std::optional<BodyPoint> at = find_point(world, pull.change);
  if (at) {
    pull.drag.body = at->body, pull.drag.p_B = at->p_B, pull.link = at->link;
    pull.drag.target = pull.change.place, pull.drag.velocity = pull.change.velocity;
    pull.drag.stiffness = pull.change.value, pull.drag.turning = pull.change.turning;
    pull.drag.R_target = kernel::make_rotation(pull.change.orientation) *
                         transpose(world.model.frames[at->link].R_BF);
  }
  return at.has_value();
}

bool Outside::find(const World& world, Joint& joint) const {
  const model::BodyIndex body = world.model.find_joint(joint.change.name);
  if (!body.valid() || body == model::BodyIndex(0) || world.model.joint_nq(body) != 1) return false;
  joint.coordinate = world.model.v_start[body];
  return true;
}

void Outside::apply(const World& world, const InputChange& change) {
  if (!is_finite(change)) throw Error("an input for '" + change.name + "' is not finite");
  if (change.kind == Kind::kRelease) {
    const auto ends = [&](const auto& item) {
      return item.change.source == change.source &&
             (change.name.empty() || item.change.name == change.name);
    };
    std::erase_if(wrenches_, ends);
    std::erase_if(drags_, ends);
    std::erase_if(joints_, ends);
    std::erase_if(probes_, [&](const InputChange& probe) {
      return probe.source == change.source && change.name.empty();
    });
  } else if (change.kind == Kind::kWrench) {
    Wrench wrench{change, {}};
    if (!find(world, wrench))
      throw Error("an input pushes '" + change.name + "', but nothing of this name can move");
    if (put(wrenches_, wrench))
      touches_.push_back({wrench.wrench.body, wrench.wrench.p_BP, change.name});
  } else if (change.kind == Kind::kDrag) {
    if (!(change.value >= 0.0))
      throw Error("an input drags '" + change.name + "' by a spring of negative stiffness");
    const kernel::Quat<double>& turn = change.orientation;
    if (!(change.turning >= 0.0))
      throw Error("an input turns '" + change.name + "' by a spring of negative stiffness");
    if (!(std::abs(turn.w) + std::abs(turn.x) + std::abs(turn.y) + std::abs(turn.z) > 1e-9))
      throw Error("an input drags '" + change.name + "' to an orientation of zeros; it is w x y z");
    Pull pull{change, {}};
    if (!find(world, pull))
      throw Error("an input drags '" + change.name + "', but nothing of this name can move");
    if (put(drags_, pull)) touches_.push_back({pull.drag.body, pull.drag.p_B, change.name});
    if (!forces_) forces_ = std::make_unique<DragForces>(world);
  } else if (change.kind == Kind::kProbe) {
    const auto old = std::find_if(probes_.begin(), probes_.end(), [&](const InputChange& probe) {
      return probe.source == change.source;
    });
    if (old == probes_.end())
      probes_.push_back(change);
    else
      *old = change;
  } else {
    Joint joint{change};
    if (!find(world, joint))
      throw Error("an input drives '" + change.name +
                  "', but no joint of one coordinate is named "
                  "so");
    put(joints_, joint);
  }
}

std::vector<InputChange> Outside::list_changes() const {
  std::vector<InputChange> out;
  for (const Wrench& wrench : wrenches_) out.push_back(wrench.change);
  for (const Pull& pull : drags_) out.push_back(pull.change);
  for (const Joint& joint : joints_) out.push_back(joint.change);
  out.insert(out.end(), probes_.begin(), probes_.end());
  return out;
}

void Outside::change(const World& world) {
  std::erase_if(wrenches_, [&](Wrench& wrench) { return !find(world, wrench); });
  std::erase_if(drags_, [&](Pull& pull) { return !find(world, pull); });
  std::erase_if(joints_, [&](Joint& joint) { return !find(world, joint); });
  touches_.clear();
  forces_.reset();
  if (!drags_.empty()) forces_ = std::make_unique<DragForces>(world);
}

void Outside::add_wrenches(const StepStart& at, Drive& drive) {
  for (const InputChange& probe : probes_) drive.probes.push_back(probe.place);
  for (const Wrench& wrench : wrenches_) drive.wrenches.push_back(wrench.wrench);
  if (drags_.empty()) return;
  work_.clear();
  for (const Pull& pull : drags_) work_.push_back(pull.drag);
  forces_->update(at, work_);
  first_drag_ = drive.wrenches.size();
  for (std::size_t k = 0; k < drags_.size(); ++k) {
    drags_[k].drag = work_[k];
    drive.wrenches.push_back(work_[k].wrench);
    drive.wrenches.back().link = drags_[k].link;
  }
}

void Outside::watch(const Scratch& scratch) {
  for (std::size_t k = 0; k < drags_.size() && first_drag_ + k < scratch.pushes.size(); ++k) {
    const PointWrench& push = scratch.pushes[first_drag_ + k];
    drags_[k].drag.force = push.force, drags_[k].drag.torque = push.torque;
  }
}

void Outside::set_joints(Drive& drive) const {
  for (const Joint& joint : joints_) {
    if (joint.change.kind == Kind::kTarget)
      drive.target[joint.coordinate] = joint.change.value;
    else
      drive.tau[joint.coordinate] += joint.change.value;
  }
}

}  // namespace stance::sim
