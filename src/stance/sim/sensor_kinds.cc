#include "stance/sim/sensor_kinds.h"

#include <cmath>

#include <Eigen/Dense>

#include "stance/kernel/error.h"

namespace stance::sim {
namespace {

const std::vector<std::string> kAxes = {"x", "y", "z"};

void put(const Vec3d& v, std::span<double>& values) {
  for (int k = 0; k < 3; ++k) values[k] = v[k];
  values = values.subspan(3);
}

Vec3d make_noise(double size, std::uint64_t seed, double time, int column) {
  if (size == 0.0) return {};
  return {size * calc_noise(seed, time, column), size * calc_noise(seed, time, column + 1),
          size * calc_noise(seed, time, column + 2)};
}

}  // namespace

// ---- force and torque -------------------------------------------------------------------------

ForceTorque::ForceTorque(const World& world, std::string name, const Mount& mount,
                         const Options& options, std::optional<LinkPart> part)
    : name_(std::move(name)),
      mount_(mount),
      options_(options),
      part_(std::move(part)),
      hangs_(world.model.nbody) {
  const Eigen::FullPivLU<Matrix6> lu(options.gain);
  if (!lu.isInvertible())
    throw Error("the gain matrix of the sensor '" + name_ + "' has no inverse");
  inverse_gain_ = lu.inverse();
  if (part_)
    for (const int body : part_->bodies) hangs_[body] = 1;
  else
    hangs_[mount.body] = 1;
  for (int i = 1; i < world.model.nbody; ++i)
    if (hangs_[world.model.parent[i]]) hangs_[i] = 1;
}

std::vector<Channel> ForceTorque::channels() const {
  std::vector<Channel> out;
  for (const char* kind : {"", "reading_", "external_"}) {
    out.push_back({name_ + "/" + kind + "force", "N", kAxes});
    out.push_back({name_ + "/" + kind + "torque", "N m", kAxes});
  }
  return out;
}

void ForceTorque::measure(const StepView& view, const StepForces& forces,
                          std::span<double> values) {
  const model::Model& model = view.world.model;
  const auto& kin = view.scratch.frame.kin();
  const kernel::Mat3d R_SW = transpose(kin.R_WB[mount_.body] * mount_.pose.R);
  const Vec3d p_OS = kin.p_OB[mount_.body] + kin.R_WB[mount_.body] * mount_.pose.p;
  const auto to_sensor = [&](const kernel::Force<double>& F) {
    const Vec3d force = R_SW * F.lin, torque = R_SW * (F.ang - cross(p_OS, F.lin));
    Vector6 out;
    for (int k = 0; k < 3; ++k) out[k] = force[k], out[3 + k] = torque[k];
    return out;
  };
  // what hangs on the joint, from O of the mount's tree
  const int b = mount_.body;
  const Vec3d p_WO = b == 0 ? Vec3d() : kin.p_WO[model.tree[b]];
  kernel::Force<double> weight{};
  const auto add_weight = [&](double mass, const Vec3d& p_OC) {
    const Vec3d force = mass * view.world.gravity;
    weight += kernel::Force<double>{cross(p_OC, force), force};
  };
  for (int i = 1; i < model.nbody; ++i)
    if (hangs_[i])
      add_weight(model.mass[i],
                 kin.p_WO[model.tree[i]] - p_WO + view.scratch.frame.inertias().p_OC[i]);
  if (part_)
    for (const LinkPart::Mass& link : part_->masses)
      add_weight(link.mass, kin.p_OB[b] + kin.R_WB[b] * link.com);
  const Vector6 f_c = -to_sensor(part_ ? calc_part_wrench(view, forces, *part_)
                                       : forces.newton_euler.F[mount_.body]);
  Vector6 f_l = inverse_gain_ * f_c - options_.offset;
  if (options_.noise > 0.0)
    for (int k = 0; k < 6; ++k)
      f_l[k] += options_.noise * calc_noise(options_.seed, view.state.time, k);
  const Vector6 f_e = -to_sensor(weight) + options_.gain * (f_l + options_.offset);
  for (int k = 0; k < 6; ++k) values[k] = f_c[k], values[6 + k] = f_l[k], values[12 + k] = f_e[k];
}

// ---- contact ----------------------------------------------------------------------------------

ContactForce::ContactForce(const World& world, std::string name, const std::string& link)
    : name_(std::move(name)) {
  bool has_shape = false;
  for (const collision::Geometry& geometry : world.shapes.geometries) {
    is_mine_.push_back(geometry.name == link);
    has_shape = has_shape || is_mine_.back();
  }
  if (!has_shape) throw Error("'" + link + "' has no shape that could touch anything");
}

std::vector<Channel> ContactForce::channels() const {
  return {{name_ + "/force", "N", kAxes},
          {name_ + "/impulse", "N s", kAxes},
          {name_ + "/center", "m", kAxes},
          {name_ + "/points", "1", {"count"}}};
}

void ContactForce::measure(const StepView& view, const StepForces&, std::span<double> values) {
  const contact::ContactScratch& s = view.scratch.contact;
  Vec3d force, moment;
  double weight = 0.0;
  int points = 0;
  for (int k = 0; k < s.points.size(); ++k) {
    const collision::ContactPoint& point = s.points[k];
    const bool is_a = is_mine_[point.geometry_a], is_b = is_mine_[point.geometry_b];
    const double normal = s.contacts[k].p[0];
    if (is_a == is_b || !(normal > 0.0)) continue;
    const Vec3d f = calc_contact_wrench(s, k, point.p_W, view.h).lin;
    force += is_a ? f : -1.0 * f;
    moment = madd(normal, point.p_W, moment), weight += normal;
    ++points;
  }
  put(force, values);
  put(view.h * force, values);
  put(weight > 0.0 ? (1.0 / weight) * moment : Vec3d(NAN, NAN, NAN), values);
  values[0] = points;
}

// ---- inertial measurement ---------------------------------------------------------------------

std::vector<Channel> Imu::channels() const {
  return {{name_ + "/acceleration", "m/s^2", kAxes},
          {name_ + "/gyro", "rad/s", kAxes},
          {name_ + "/orientation", "1", {"w", "x", "y", "z"}}};
}

void Imu::measure(const StepView& view, const StepForces& forces, std::span<double> values) {
  const auto& kin = view.scratch.frame.kin();
  const int i = mount_.body;
  // of the point: A + wdot x r + w x (v + w x r); the recursion counts gravity as an acceleration
  const Vec3d r = kin.p_OB[i] + kin.R_WB[i] * mount_.pose.p;
  const kernel::Motion<double>&V = view.scratch.mean.V[i], &A = forces.newton_euler.A[i];
  const Vec3d a = A.lin + cross(A.ang, r) + cross(V.ang, V.lin + cross(V.ang, r));
  const double time = view.state.time;
  put(transpose(kin.R_WB[i] * mount_.pose.R) * a + options_.acceleration_bias +
          make_noise(options_.acceleration_noise, options_.seed, time, 0),
      values);
  const kernel::Mat3d R_WS = view.scratch.end.kin().R_WB[i] * mount_.pose.R;
  put(transpose(R_WS) * view.scratch.end.vel().V[i].ang + options_.gyro_bias +
          make_noise(options_.gyro_noise, options_.seed, time, 3),
      values);
  const Eigen::Quaterniond turn(R_WS.eigen());
  values[0] = turn.w(), values[1] = turn.x(), values[2] = turn.y(), values[3] = turn.z();
}

// ---- joints -----------------------------------------------------------------------------------

JointList::JointList(const World& world, const std::vector<int>& given) {
  const model::Model& model = world.model;
  for (const bool slides : {false, true})
    for (const int k : given) {
      const int body = model.dof_body[k];
      if ((model.joint_type[body] == model::JointType::kPrismatic) != slides) continue;
      coordinates.push_back(k);
      (slides ? sliding : turning).push_back(model.joint_name[body]);
    }
}

std::vector<Channel> JointList::make_channels(const std::string& name, const char* first,
                                              const char* second,
                                              const char* const units[4]) const {
  std::vector<Channel> out;
  if (!turning.empty()) {
    out.push_back({name + "/" + first, units[0], turning});
    out.push_back({name + "/" + second, units[1], turning});
  }
  if (!sliding.empty()) {
    out.push_back({name + "/slide_" + first, units[2], sliding});
    out.push_back({name + "/slide_" + second, units[3], sliding});
  }
  return out;
}

// ---- encoders ---------------------------------------------------------------------------------

Encoder::Encoder(const World& world, std::string name, std::vector<int> coordinates,
                 const Options& options)
    : name_(std::move(name)), joints_(world, coordinates), options_(options) {}

std::vector<Channel> Encoder::channels() const {
  constexpr const char* kUnits[] = {"rad", "rad/s", "m", "m/s"};
  return joints_.make_channels(name_, "position", "rate", kUnits);
}

double Encoder::quantise(double value, double time, int column) const {
  if (options_.noise > 0.0) value += options_.noise * calc_noise(options_.seed, time, column);
  return options_.resolution > 0.0
             ? options_.resolution * std::floor(value / options_.resolution + 0.5)
             : value;
}

void Encoder::measure(const StepView& view, const StepForces&, std::span<double> values) {
  const model::Model& model = view.world.model;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const int k = joints_.coordinates[j], column = static_cast<int>(j);
    const double q = view.state.q[model.q_start[model.dof_body[k]]];
    const double now = quantise(q, view.state.time, column);
    const double before = quantise(q - view.scratch.move[k], view.state.time - view.h, column);
    values[joints_.find_first(j)] = now;
    values[joints_.find_second(j)] = (now - before) / view.h;
  }
}

// ---- torques ----------------------------------------------------------------------------------

JointTorque::JointTorque(const World& world, std::string name, std::vector<int> coordinates)
    : name_(std::move(name)), joints_(world, coordinates) {}

std::vector<Channel> JointTorque::channels() const {
  constexpr const char* kUnits[] = {"N m", "N m", "N", "N"};
  return joints_.make_channels(name_, "drive", "joint", kUnits);
}

void JointTorque::measure(const StepView& view, const StepForces& forces,
                          std::span<double> values) {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    values[joints_.find_first(j)] = view.scratch.drive[joints_.coordinates[j]];
    values[joints_.find_second(j)] = forces.tau[joints_.coordinates[j]];
  }
}

}  // namespace stance::sim
