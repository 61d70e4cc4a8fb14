#include "stance/view/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stance/sim/fall.h"

namespace stance::view {
namespace {

constexpr double kTouch = 1e-4;      // m: a point so near is shown
constexpr double kSlipSpeed = 1e-3;  // m/s
constexpr std::size_t kMostContacts = 4096, kMostCorners = 1024;
constexpr float kNowhere = std::numeric_limits<float>::quiet_NaN();

void put3(Bytes& out, const Vec3d& v) {
  for (int k = 0; k < 3; ++k) put(out, static_cast<float>(v[k]));
}

// The largest of the four by its own square, the others from sums of two entries: no loss anywhere.
void put_rotation(Bytes& out, const kernel::Mat3d& R) {
  const auto r = [&](int i, int j) { return R.c[j][i]; };
  double q[4];
  const double trace = r(0, 0) + r(1, 1) + r(2, 2);
  int big = 0;
  double most = trace;
  for (int k = 0; k < 3; ++k)
    if (r(k, k) > most) most = r(k, k), big = k + 1;
  if (big == 0) {
    const double s = 2.0 * std::sqrt(1.0 + trace);
    q[0] = 0.25 * s;
    q[1] = (r(2, 1) - r(1, 2)) / s, q[2] = (r(0, 2) - r(2, 0)) / s, q[3] = (r(1, 0) - r(0, 1)) / s;
  } else {
    const int i = big - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    const double s = 2.0 * std::sqrt(std::max(1e-12, 1.0 + r(i, i) - r(j, j) - r(k, k)));
    q[0] = (r(k, j) - r(j, k)) / s;
    q[1 + i] = 0.25 * s, q[1 + j] = (r(j, i) + r(i, j)) / s, q[1 + k] = (r(k, i) + r(i, k)) / s;
  }
  for (const double value : q)
    put(out, static_cast<std::int16_t>(std::lround(32767.0 * std::clamp(value, -1.0, 1.0))));
}

void put_head(Bytes& out, std::uint8_t kind, std::uint16_t flags, std::uint32_t scene) {
  out.clear();
  put(out, kind), put(out, static_cast<std::uint8_t>(kProtocol));
  put(out, flags), put(out, scene);
}

std::uint16_t count16(std::size_t count) {
  return static_cast<std::uint16_t>(std::min<std::size_t>(count, 65535));
}

// A contact as the moving one of its bodies sees it.
struct SeenContact {
  int body, other;
  Vec3d force, normal;  // on the body; out of the other one
  double slip;
};
SeenContact look_at(const sim::StepView& step, int k, int body) {
  const collision::ContactPoint& point = step.scratch.contact.points[k];
  const contact::PointContact& c = step.scratch.contact.contacts[static_cast<std::size_t>(k)];
  const double sign = body == point.body_a ? 1.0 : -1.0;
  const Vec3d f = (sign / step.h) * (c.p[0] * point.n_W + c.p[1] * c.t1 + c.p[2] * c.t2);
  return {body, body == point.body_a ? point.body_b : point.body_a, f, sign * point.n_W,
          std::hypot(c.u[1], c.u[2])};
}

int count_contacts(const sim::StepView& step) {
  return std::min(step.scratch.contact.points.size(),
                  static_cast<int>(step.scratch.contact.contacts.size()));
}

}  // namespace

std::vector<int> find_listed_coordinates(const scene::Part& part) {
  const model::Model& model = part.scene.world.model;
  std::vector<int> out;
  for (int i = 1; i < model.nbody; ++i)
    if (model.joint_nq(i) == 1) out.push_back(model.v_start[i]);
  return out;
}

FrameMaker::FrameMaker(const scene::Part& part)
    : world_(part.scene.world), kin_(world_.model), coordinates_(find_listed_coordinates(part)) {
  const Vec3d up = sim::find_up(world_);
  is_level_ = up[2] > 1.0 - 1e-9;
  for (const scene::PartRobot& robot : part.robots) {
    if (!robot.base || !(norm(world_.gravity) > 0.0)) continue;
    balance_.emplace(world_, part.scene.start, "robot", *robot.base);
    forces_ = std::make_unique<sim::StepForces>(world_);
    std::size_t width = 0;
    for (const sim::Channel& channel : balance_->channels()) width += channel.columns.size();
    readings_.resize(width);
    break;
  }
}

JointBlock FrameMaker::make_state(const FrameFigures& figures, const sim::State& state,
                                  const sim::StepView* step, Bytes& out) {
  update_kinematics(world_.model, std::span<const double>(state.q), kin_);
  put_head(out, 1, figures.flags, figures.scene);
  put(out, figures.time), put(out, figures.step);
  for (const double value :
       {figures.speed, figures.step_time, figures.residual, figures.penetration})
    put(out, static_cast<float>(value));
  put(out, count16(step ? static_cast<std::size_t>(step->report.contact.sweeps) : 0));
  put(out, count16(step ? static_cast<std::size_t>(step->report.contact.groups) : 0));
  put(out, count16(static_cast<std::size_t>(world_.model.nbody - 1)));
  const std::size_t counts = out.size();  // of contacts, joints, corners
  for (int k = 0; k < 3; ++k) put(out, std::uint16_t{0});
  if (step && balance_)
    add_balance(*step, out);
  else
    for (int k = 0; k < 9; ++k) put(out, kNowhere);

  add_poses(out);
  if (step) put_at(out, counts, count16(static_cast<std::size_t>(add_contacts(*step, out))));

  JointBlock joints{out.size(), 8 * coordinates_.size()};
  put_at(out, counts + 2, count16(coordinates_.size()));
  for (const int k : coordinates_) {
    const int i = world_.model.dof_body[k];
    put(out, static_cast<float>(state.q[world_.model.q_start[i]]));
    const bool is_held = step && !step->input.stiffness.empty() && !step->input.target.empty() &&
                         step->input.stiffness[k] > 0.0;
    put(out, is_held ? static_cast<float>(step->input.target[k]) : kNowhere);
  }
  if (step && balance_ && is_level_) {
    const auto corners = balance_->support().corners();
    const std::size_t count = std::min(corners.size(), kMostCorners);
    put_at(out, counts + 4, count16(count));
    for (std::size_t k = 0; k < count; ++k)
      put(out, static_cast<float>(corners[k].x)), put(out, static_cast<float>(corners[k].y));
  }
  return joints;
}

void FrameMaker::add_poses(Bytes& out) const {
  const model::Model& model = world_.model;
  for (int i = 1; i < model.nbody; ++i) {
    put3(out, kin_.p_WO[model.tree[i]] + kin_.p_OB[i]);
    put_rotation(out, kin_.R_WB[i]);
  }
}

int FrameMaker::add_contacts(const sim::StepView& step, Bytes& out) const {
  int count = 0;
  for (int k = 0; k < count_contacts(step); ++k) {
    const collision::ContactPoint& point = step.scratch.contact.points[k];
    const contact::PointContact& c = step.scratch.contact.contacts[static_cast<std::size_t>(k)];
    const bool presses = c.p[0] > 0.0;
    if (!presses && point.gap > kTouch) continue;
    if (static_cast<std::size_t>(++count) > kMostContacts) return --count;
    const SeenContact seen = look_at(step, k, point.body_a != 0 ? point.body_a : point.body_b);
    put3(out, point.p_W), put3(out, seen.force);
    for (int d = 0; d < 3; ++d)
      put(out,
          static_cast<std::int8_t>(std::lround(127.0 * std::clamp(seen.normal[d], -1.0, 1.0))));
    put(out, static_cast<std::uint8_t>(!presses ? 0 : seen.slip > kSlipSpeed ? 2 : 1));
    put(out, static_cast<std::uint16_t>(
                 std::clamp(std::lround(1000.0 * c.material.friction), 0l, 65535l)));
    put(out, static_cast<std::uint16_t>(seen.body));
  }
  return count;
}

// The sensor's channels stand in the order of Balance::channels: com, its velocity, dcm, zmp, cop.
void FrameMaker::add_balance(const sim::StepView& step, Bytes& out) {
  forces_->update(step);
  balance_->measure(step, *forces_, readings_);
  for (const std::size_t first : {std::size_t{0}, std::size_t{9}, std::size_t{12}})
    for (std::size_t k = 0; k < 3; ++k) put(out, static_cast<float>(readings_[first + k]));
}

void FrameMaker::describe(int body, const sim::StepView& step, Selection& out) {
  const model::Model& model = world_.model;
  const dynamics::Kinematics<double>& kin = step.scratch.end.kin();
  const auto set = [](float(&to)[3], const Vec3d& v) {
    for (int k = 0; k < 3; ++k) to[k] = static_cast<float>(v[k]);
  };
  out.body = body, out.mass = static_cast<float>(model.mass[body]);
  const Vec3d p_OC = kin.p_OB[body] + kin.R_WB[body] * model.com[body];
  const kernel::Motion<double>& V = step.scratch.end.vel().V[body];
  set(out.velocity, V.lin + cross(V.ang, p_OC)), set(out.spin, V.ang);
  const Vec3d p_WC = kin.p_WO[model.tree[body]] + p_OC;
  Vec3d force, torque;
  out.contact_count = 0;
  for (int k = 0; k < count_contacts(step); ++k) {
    const collision::ContactPoint& point = step.scratch.contact.points[k];
    if (point.body_a != body && point.body_b != body) continue;
    if (!(step.scratch.contact.contacts[static_cast<std::size_t>(k)].p[0] > 0.0)) continue;
    const SeenContact seen = look_at(step, k, body);
    force += seen.force, torque += cross(point.p_W - p_WC, seen.force);
    if (out.contact_count == Selection::kMostContacts) continue;
    Selection::Contact& contact = out.contacts[out.contact_count++];
    contact.with = seen.other, contact.slip = static_cast<float>(seen.slip);
    set(contact.force, seen.force), set(contact.normal, seen.normal);
  }
  set(out.force, force), set(out.torque, torque);
}

void make_drags(std::uint32_t scene, std::span<const ShownDrag> drags, Bytes& out) {
  put_head(out, 3, 0, scene);
  put(out, count16(drags.size())), put(out, std::uint16_t{0});
  for (const ShownDrag& drag : drags) {
    put(out, static_cast<std::uint16_t>(drag.body));
    put(out, static_cast<std::uint16_t>(drag.viewer));
    put3(out, drag.point), put3(out, drag.target);
    put(out, static_cast<float>(drag.newtons));
  }
}

void begin_samples(std::uint32_t scene, std::uint32_t watch, std::size_t columns, Bytes& out) {
  put_head(out, 2, 0, scene);
  put(out, watch), put(out, count16(columns)), put(out, std::uint16_t{0});
}

}  // namespace stance::view
