// How a robot stands: Balance of sensor_kinds.h.

#include <algorithm>
#include <cmath>

#include "stance/contact/tangents.h"
#include "stance/kernel/error.h"
#include "stance/sim/link_wrenches.h"
#include "stance/sim/sensor_kinds.h"

namespace stance::sim {
namespace {

using Wrench = kernel::Force<double>;

constexpr double kTouch = 1e-4;      // m: a point so near stands
constexpr double kSlipSpeed = 1e-3;  // m/s
constexpr double kCarries = 0.5;     // cosine: a normal within 60 degrees of up is ground's

const std::vector<std::string> kAxes = {"x", "y", "z"};

// Where in the level plane through r0 a wrench (about O) has no moment but about `up`.
Vec3d find_center(const Wrench& F, const Vec3d& p_WO, const Vec3d& r0, const Vec3d& up) {
  const Vec3d moment = F.ang - cross(r0 - p_WO, F.lin);
  return madd(1.0 / dot(up, F.lin), cross(up, moment), r0);
}

}  // namespace

// What the contacts of the robot with others do. Ground is what pushes it upwards: floors, steps,
// slopes, a plank, a table under a hand. The rest, walls and what it holds or is hit by, acts on it
// like any other force.
struct Balance::Ground {
  Wrench wrench{};  // on the robot, about O
  Wrench others{};  // of the rest, likewise
  Vec3d middle;     // of the points, weighted by their normal forces
  double pressing = 0.0;
  double slip = 0.0;  // m/s, fastest point that presses
  double use = 0.0;   // of friction: |f_T| / (mu f_N) of all points together
};

Balance::Balance(const World& world, const State& start, std::string name, model::BodyIndex base)
    : name_(std::move(name)),
      tree_(world.model.tree[base]),
      up_(find_up(world)),
      gravity_(norm(world.gravity)),
      fall_(world, start, base) {
  if (!(gravity_ > 0.0)) throw Error("without gravity there is no balance to measure");
  contact::calc_tangents(up_, t1_, t2_);
  // seen from above along x and y where that is what it is
  if (up_[2] > 1.0 - 1e-12) t1_ = {1.0, 0.0, 0.0}, t2_ = {0.0, 1.0, 0.0};
  touching_.reserve(256);
}

std::vector<Channel> Balance::channels() const {
  return {{name_ + "/com", "m", kAxes},
          {name_ + "/com_velocity", "m/s", kAxes},
          {name_ + "/dcm", "m", kAxes},
          {name_ + "/zmp", "m", kAxes},
          {name_ + "/cop", "m", kAxes},
          {name_ + "/ground_force", "N", kAxes},
          {name_ + "/margin", "m", {"margin"}},
          {name_ + "/friction_use", "1", {"use"}},
          {name_ + "/flags", "1", {"lifted", "slips", "outside", "down"}}};
}

Balance::Ground Balance::find_ground(const StepView& view) {
  const model::Model& model = view.world.model;
  const contact::ContactScratch& s = view.scratch.contact;
  const Vec3d& p_WO = view.scratch.frame.kin().p_WO[tree_];
  Ground ground;
  double most = 0.0;  // that friction could give
  Vec3d across;
  touching_.clear();
  for (int k = 0; k < s.points.size(); ++k) {
    const collision::ContactPoint& point = s.points[k];
    const bool is_a = point.body_a != 0 && model.tree[point.body_a] == tree_;
    const bool is_b = point.body_b != 0 && model.tree[point.body_b] == tree_;
    if (is_a == is_b) continue;
    const contact::PointContact& contact = s.contacts[k];
    const double normal = contact.p[0];
    if ((is_a ? 1.0 : -1.0) * dot(up_, point.n_W) < kCarries) {
      const Wrench F = calc_contact_wrench(s, k, p_WO, view.h);
      ground.others += is_a ? F : -1.0 * F;
      continue;
    }
    if (point.gap <= kTouch || normal > 0.0)
      touching_.push_back({dot(t1_, point.p_W), dot(t2_, point.p_W)});
    if (!(normal > 0.0)) continue;
    const Wrench F = calc_contact_wrench(s, k, p_WO, view.h);
    ground.wrench += is_a ? F : -1.0 * F;
    ground.middle = madd(normal, point.p_W, ground.middle);
    ground.pressing += normal;
    ground.slip = std::max(ground.slip, std::hypot(contact.u[1], contact.u[2]));
    most += contact.material.friction * normal;
    across += madd(contact.p[1], contact.t1, contact.p[2] * contact.t2);
  }
  if (ground.pressing > 0.0) ground.middle = (1.0 / ground.pressing) * ground.middle;
  if (most > 0.0) ground.use = norm(across) / most;
  return ground;
}

// What must act on the robot from outside for it to move as it did: the sum over its bodies of
// their rates of momentum, less weight and what the input and loops push with; the ground is not
// asked.
Wrench Balance::calc_needed(const StepView& view, const StepForces& forces) const {
  const model::Model& model = view.world.model;
  const Scratch& s = view.scratch;
  Wrench sum{};
  for (int i = 1; i < model.nbody; ++i) {
    if (model.tree[i] != tree_) continue;
    const kernel::RigidInertia<double> inertia = calc_rigid_inertia(model, s.frame.inertias(), i);
    // d/dt (I V) = I A + V x* I V; A counts gravity already
    sum += inertia * forces.newton_euler.A[i] + cross(s.mean.V[i], inertia * s.mean.V[i]);
  }
  for (const PointWrench& given : view.scratch.pushes) {
    if (given.body == 0 || model.tree[given.body] != tree_) continue;
    const Vec3d r = s.frame.kin().p_OB[given.body] + s.frame.kin().R_WB[given.body] * given.p_BP;
    sum = sum - Wrench{given.torque + cross(r, given.force), given.force};
  }
  for_each_loop_wrench(view, [&](const LinkWrench& w) {
    if (w.body == 0 || model.tree[w.body] != tree_) return;
    sum = sum - Wrench{w.torque + cross(w.p_W - s.frame.kin().p_WO[tree_], w.force), w.force};
  });
  return sum;
}

void Balance::measure(const StepView& view, const StepForces& forces, std::span<double> values) {
  const model::Model& model = view.world.model;
  const auto put = [&](const Vec3d& v) {
    for (int k = 0; k < 3; ++k) values[k] = v[k];
    values = values.subspan(3);
  };
  // at the end of the step
  const dynamics::Bodies& end = view.scratch.end;
  Vec3d com, velocity;
  double mass = 0.0;
  for (int i = 1; i < model.nbody; ++i) {
    if (model.tree[i] != tree_) continue;
    const Vec3d r = end.kin().p_OB[i] + end.kin().R_WB[i] * model.com[i];
    const kernel::Motion<double>& V = end.vel().V[i];
    com = madd(model.mass[i], r, com);
    velocity = madd(model.mass[i], V.lin + cross(V.ang, r), velocity);
    mass += model.mass[i];
  }
  com = end.kin().p_WO[tree_] + (1.0 / mass) * com, velocity = (1.0 / mass) * velocity;

  const Ground ground = find_ground(view);
  const bool touches = ground.pressing > 0.0;
  const Vec3d& p_WO = view.scratch.frame.kin().p_WO[tree_];
  const Vec3d nowhere(NAN, NAN, NAN);
  const Vec3d cop = touches ? find_center(ground.wrench, p_WO, ground.middle, up_) : nowhere;
  const Vec3d zmp =
      touches ? find_center(calc_needed(view, forces) - ground.others, p_WO, ground.middle, up_)
              : nowhere;
  const double floor = touches ? dot(up_, ground.middle) : fall_.ground();
  const double height = dot(up_, com) - floor;
  const Vec3d dcm = height > 0.0 ? madd(std::sqrt(height / gravity_), velocity, com) : nowhere;
  support_.update(touching_);
  const double margin = touches ? support_.calc_margin({dot(t1_, cop), dot(t2_, cop)}) : NAN;

  put(com), put(velocity), put(dcm), put(zmp), put(cop), put(ground.wrench.lin);
  values[0] = margin;
  values[1] = ground.use;
  values[2] = touches ? 0.0 : 1.0;
  values[3] = ground.slip > kSlipSpeed ? 1.0 : 0.0;
  values[4] = touches && !(margin > 0.0) ? 1.0 : 0.0;
  values[5] = fall_.is_down(end.kin(), com) ? 1.0 : 0.0;
}

}  // namespace stance::sim
