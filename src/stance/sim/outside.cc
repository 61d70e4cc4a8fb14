#include "stance/sim/outside.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stance/kernel/error.h"
#include "stance/kernel/overloaded.h"

namespace stance::sim {
namespace {

using kernel::Overloaded;

bool is_finite(const Vec3d& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

bool is_finite(const Action& action) {
  return std::visit(Overloaded{
                        [](const PushBody& push) {
                          return is_finite(push.point) && is_finite(push.force) &&
                                 is_finite(push.torque);
                        },
                        [](const DragBody& drag) {
                          const kernel::Quat<double>& turn = drag.orientation;
                          const double length =
                              turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
                          return is_finite(drag.point) && is_finite(drag.to) &&
                                 is_finite(drag.velocity) && std::isfinite(drag.stiffness) &&
                                 std::isfinite(drag.turning) && std::isfinite(length);
                        },
                        [](const SetTarget& target) { return std::isfinite(target.value); },
                        [](const SetTorque& torque) { return std::isfinite(torque.value); },
                        [](const PlaceProbe& probe) { return is_finite(probe.at); },
                        [](const Release&) { return true; },
                    },
                    action);
}

const std::string& find_name(const PushBody& push) { return push.body; }
const std::string& find_name(const DragBody& drag) { return drag.body; }
const std::string& find_name(const SetTarget& target) { return target.joint; }
const std::string& find_name(const SetTorque& torque) { return torque.joint; }
const std::string& find_name(const Release& release) { return release.name; }
const std::string& find_name(const PlaceProbe&) {
  static const std::string none;
  return none;
}

// Takes the place of what the same source did to the same thing, else comes last; true if so.
template <class T>
bool put(std::vector<T>& list, const T& item) {
  for (T& old : list)
    if (old.source == item.source && find_name(old.what) == find_name(item.what)) {
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
std::optional<BodyPoint> find_point(const World& world, const std::string& name,
                                    const Vec3d& point) {
  const model::FrameIndex index = world.model.find_frame(name);
  if (!index.valid() || world.model.frames[index].body == model::BodyIndex(0)) return {};
  const model::Frame& frame = world.model.frames[index];
  return BodyPoint{frame.body, frame.p_BF + frame.R_BF * point, index};
}

// What a change comes to in a world; false when what it names is not there.
bool resolve(const World& world, const PushBody& what, PointWrench& wrench) {
  const std::optional<BodyPoint> at = find_point(world, what.body, what.point);
  if (at) wrench = {at->body, at->p_B, what.force, what.torque, at->link};
  return at.has_value();
}

bool resolve(const World& world, Outside::Pull& pull) {
  const DragBody& what = pull.what;
  const std::optional<BodyPoint> at = find_point(world, what.body, what.point);
  if (at) {
    pull.drag.body = at->body, pull.drag.p_B = at->p_B, pull.link = at->link;
    pull.drag.target = what.to, pull.drag.velocity = what.velocity;
    pull.drag.stiffness = what.stiffness, pull.drag.turning = what.turning;
    pull.drag.R_target =
        kernel::make_rotation(what.orientation) * transpose(world.model.frames[at->link].R_BF);
  }
  return at.has_value();
}

bool resolve(const World& world, const std::string& joint, int& coordinate) {
  const model::BodyIndex body = world.model.find_joint(joint);
  if (!body.valid() || body == model::BodyIndex(0) || world.model.joint_nq(body) != 1) return false;
  coordinate = world.model.v_start[body];
  return true;
}

int find_coordinate(const World& world, const std::string& joint) {
  int out = 0;
  if (!resolve(world, joint, out))
    throw Error("an input drives '" + joint + "', but no joint of one coordinate is named so");
  return out;
}

}  // namespace

const std::string& find_name(const Action& action) {
  return std::visit([](const auto& what) -> const std::string& { return find_name(what); }, action);
}

void Outside::apply(const World& world, const InputChange& change) {
  if (!is_finite(change.what))
    throw Error("an input for '" + find_name(change.what) + "' is not finite");
  std::visit([&](const auto& what) { act(world, change.source, what); }, change.what);
}

void Outside::act(const World& world, const std::string& source, const PushBody& what) {
  Push push{source, what, {}};
  if (!resolve(world, what, push.wrench))
    throw Error("an input pushes '" + what.body + "', but nothing of this name can move");
  if (put(pushes_, push)) touches_.push_back({push.wrench.body, push.wrench.p_BP, what.body});
}

void Outside::act(const World& world, const std::string& source, const DragBody& what) {
  if (!(what.stiffness >= 0.0))
    throw Error("an input drags '" + what.body + "' by a spring of negative stiffness");
  const kernel::Quat<double>& turn = what.orientation;
  if (!(what.turning >= 0.0))
    throw Error("an input turns '" + what.body + "' by a spring of negative stiffness");
  if (!(std::abs(turn.w) + std::abs(turn.x) + std::abs(turn.y) + std::abs(turn.z) > 1e-9))
    throw Error("an input drags '" + what.body + "' to an orientation of zeros; it is w x y z");
  Pull pull{source, what, {}};
  if (!resolve(world, pull))
    throw Error("an input drags '" + what.body + "', but nothing of this name can move");
  if (put(drags_, pull)) touches_.push_back({pull.drag.body, pull.drag.p_B, what.body});
  if (!forces_) forces_ = std::make_unique<DragForces>(world);
}

void Outside::act(const World& world, const std::string& source, const SetTarget& what) {
  put(targets_, {source, what, find_coordinate(world, what.joint)});
}

void Outside::act(const World& world, const std::string& source, const SetTorque& what) {
  put(torques_, {source, what, find_coordinate(world, what.joint)});
}

void Outside::act(const World&, const std::string& source, const PlaceProbe& what) {
  put(probes_, {source, what});
}

void Outside::act(const World&, const std::string& source, const Release& what) {
  const auto ends = [&](const auto& item) {
    return item.source == source && (what.name.empty() || find_name(item.what) == what.name);
  };
  std::erase_if(pushes_, ends);
  std::erase_if(drags_, ends);
  std::erase_if(targets_, ends);
  std::erase_if(torques_, ends);
  std::erase_if(probes_, ends);
}

std::vector<InputChange> Outside::list_changes() const {
  std::vector<InputChange> out;
  const auto add = [&](const auto& list) {
    for (const auto& item : list) out.push_back({item.source, item.what});
  };
  add(pushes_), add(drags_), add(targets_), add(torques_), add(probes_);
  return out;
}

void Outside::change(const World& world) {
  std::erase_if(pushes_, [&](Push& push) { return !resolve(world, push.what, push.wrench); });
  std::erase_if(drags_, [&](Pull& pull) { return !resolve(world, pull); });
  const auto is_gone = [&](auto& joint) {
    return !resolve(world, joint.what.joint, joint.coordinate);
  };
  std::erase_if(targets_, is_gone);
  std::erase_if(torques_, is_gone);
  touches_.clear();
  forces_.reset();
  if (!drags_.empty()) forces_ = std::make_unique<DragForces>(world);
}

void Outside::add_wrenches(const StepStart& at, Drive& drive) {
  for (const Probe& probe : probes_) drive.probes.push_back(probe.what.at);
  for (const Push& push : pushes_) drive.wrenches.push_back(push.wrench);
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
  for (const Joint<SetTarget>& joint : targets_) drive.target[joint.coordinate] = joint.what.value;
  for (const Joint<SetTorque>& joint : torques_) drive.tau[joint.coordinate] += joint.what.value;
}

}  // namespace stance::sim
