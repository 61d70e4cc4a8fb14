#include "stance/model/builder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <Eigen/Dense>
#include <fmt/format.h>

namespace stance::model {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using kernel::Mat3;

// ---- checks of single links and joints -----------------------------------------------------

void check_link(const LinkSpec& link, std::vector<Warning>& warnings) {
  if (link.name.empty()) throw Error(link.place, "a link has no name; give it one");
  if (!std::isfinite(link.mass) || !link.com.allFinite() || !link.inertia.allFinite())
    throw Error(link.place, fmt::format("link '{}' has a mass, centre or inertia that is not a "
                                        "finite number",
                                        link.name));
  if (link.mass < 0.0)
    throw Error(link.place,
                fmt::format("link '{}' has the negative mass {} kg", link.name, link.mass));
  const auto warn = [&](const std::string& what) {
    warnings.push_back({link.place, fmt::format("link '{}': {}", link.name, what)});
  };
  const Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Matrix3d>(link.inertia, Eigen::EigenvaluesOnly).eigenvalues();
  const double largest = moments.cwiseAbs().maxCoeff();
  if (link.mass == 0.0) {
    if (largest > 0.0) warn("rotational inertia without mass; it is used as given");
    return;
  }
  // A real body has positive moments, none larger than the sum of the other two.
  const double slack = 1e-9 * largest;
  if (largest == 0.0) {
    warn("mass without rotational inertia (a point mass)");
  } else if (moments[0] <= 0.0) {
    warn(
        fmt::format("the inertia is not positive definite (principal moments {:.4g}, {:.4g}, "
                    "{:.4g} kg m^2); no real body has it",
                    moments[0], moments[1], moments[2]));
  } else if (moments[2] > moments[0] + moments[1] + slack) {
    warn(
        fmt::format("the inertia breaks the triangle inequality (principal moments {:.4g}, "
                    "{:.4g}, {:.4g} kg m^2: the largest exceeds the sum of the others); no real "
                    "body has it",
                    moments[0], moments[1], moments[2]));
  }
}

void check_joint(const JointSpec& joint, std::vector<Warning>& warnings) {
  const auto fail = [&](const std::string& what) {
    throw Error(joint.place, fmt::format("joint '{}' {}", joint.name, what));
  };
  if (joint.name.empty()) throw Error(joint.place, "a joint has no name; give it one");
  if (!joint.R_PJ.allFinite() || !joint.p_PJ.allFinite() || !joint.axis.allFinite())
    fail("has an origin or axis that is not a finite number");
  if (std::isnan(joint.lower) || std::isnan(joint.upper) || std::isnan(joint.velocity_limit) ||
      std::isnan(joint.effort_limit) || !std::isfinite(joint.damping) ||
      !std::isfinite(joint.friction) || !std::isfinite(joint.rotor_inertia))
    fail("has a limit or dynamics value that is not a number");
  if ((joint.R_PJ.transpose() * joint.R_PJ - Matrix3d::Identity()).norm() > 1e-9 ||
      joint.R_PJ.determinant() < 0.0)
    fail("has an origin whose rotation is not a rotation");
  const bool has_axis = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic ||
                        joint.type == JointType::kPlanar;
  if (has_axis && joint.axis.stableNorm() < 1e-12)
    fail("has an axis of zero length; give a direction such as 0 0 1");
  if (joint.lower > joint.upper)
    fail(fmt::format("has a lower limit {} above its upper limit {}", joint.lower, joint.upper));
  if (joint.damping < 0.0 || joint.friction < 0.0 || joint.rotor_inertia < 0.0)
    fail("has negative damping, friction or rotor inertia; that would create energy");
  if (has_axis && std::abs(joint.axis.stableNorm() - 1.0) > 1e-6)
    warnings.push_back({joint.place, fmt::format("joint '{}': the axis has length {:.6g}; it is "
                                                 "scaled to 1",
                                                 joint.name, joint.axis.stableNorm())});
}

// ---- inertias --------------------------------------------------------------------------------

struct BodyInertia {
  double mass = 0.0;
  Vector3d com = Vector3d::Zero();
  Matrix3d inertia = Matrix3d::Zero();  // about com
};

// Steiner's term: the rotational inertia of a point mass at r.
Matrix3d point_inertia(double mass, const Vector3d& r) {
  return mass * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
}

void merge(BodyInertia& body, const LinkSpec& link, const Matrix3d& R, const Vector3d& p) {
  const Vector3d com = p + R * link.com;
  const Matrix3d inertia = R * link.inertia * R.transpose();
  const double total = body.mass + link.mass;
  if (total == 0.0) {
    body.inertia += inertia;
    return;
  }
  const Vector3d centre = (body.mass * body.com + link.mass * com) / total;
  body.inertia += inertia + point_inertia(body.mass, body.com - centre) +
                  point_inertia(link.mass, com - centre);
  body.mass = total;
  body.com = centre;
}

Sym3d to_sym3(const Matrix3d& a) {
  return {a(0, 0), 0.5 * (a(0, 1) + a(1, 0)), 0.5 * (a(0, 2) + a(2, 0)),
          a(1, 1), 0.5 * (a(1, 2) + a(2, 1)), a(2, 2)};
}

// ---- the tree ----------------------------------------------------------------------------------

using Names = std::unordered_map<std::string, int>;

template <class Spec>
Names make_names(const std::vector<Spec>& specs, const char* kind) {
  Names names;
  for (int i = 0; i < static_cast<int>(specs.size()); ++i) {
    const auto [it, fresh] = names.emplace(specs[i].name, i);
    if (!fresh) {
      const Place& first = specs[it->second].place;
      throw Error(specs[i].place,
                  fmt::format("two {0}s are named '{1}'{2}; rename one", kind, specs[i].name,
                              first.line > 0 ? fmt::format(" (the first is at line {})", first.line)
                                             : std::string()));
    }
  }
  return names;
}

int find_link(const Names& links, const std::string& name, const JointSpec& joint,
              const char* role) {
  const auto it = links.find(name);
  if (it == links.end())
    throw Error(joint.place, fmt::format("joint '{}' names the {} link '{}', which does not exist",
                                         joint.name, role, name));
  return it->second;
}

// Joints in depth-first order from the world, children in the order they were declared.
std::vector<int> sort_joints(const std::vector<LinkSpec>& links,
                             const std::vector<JointSpec>& joints, const Names& link_names) {
  std::vector<int> carrier(links.size(), -1);
  std::vector<std::vector<int>> below(links.size() + 1);  // last: the world's
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    const JointSpec& joint = joints[j];
    const int child = find_link(link_names, joint.child, joint, "child");
    if (carrier[child] >= 0)
      throw Error(joint.place,
                  fmt::format("link '{}' is the child of two joints, '{}' and '{}'; a tree allows "
                              "one (close a loop with a constraint in the scene instead)",
                              joint.child, joints[carrier[child]].name, joint.name));
    carrier[child] = j;
    const int parent = joint.parent.empty() ? static_cast<int>(links.size())
                                            : find_link(link_names, joint.parent, joint, "parent");
    if (parent == child)
      throw Error(joint.place,
                  fmt::format("joint '{}' joins link '{}' to itself", joint.name, joint.child));
    below[parent].push_back(j);
  }

  std::vector<int> order, stack(below.back().rbegin(), below.back().rend());
  while (!stack.empty()) {
    const int j = stack.back();
    stack.pop_back();
    order.push_back(j);
    const auto& next = below[link_names.at(joints[j].child)];
    stack.insert(stack.end(), next.rbegin(), next.rend());
  }
  if (order.size() < links.size()) {
    // Whatever was not reached hangs in a loop of joints.
    std::vector<char> reached(links.size(), 0);
    for (int j : order) reached[link_names.at(joints[j].child)] = 1;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (reached[i]) continue;
      if (carrier[i] < 0)
        throw Error(links[i].place,
                    fmt::format("link '{}' is not joined to anything", links[i].name));
      throw Error(joints[carrier[i]].place,
                  fmt::format("link '{}' is its own ancestor: its joints form a loop through "
                              "joint '{}' (close a loop with a constraint in the scene instead)",
                              links[i].name, joints[carrier[i]].name));
    }
  }
  return order;
}

// ---- assembling the arrays
// -----------------------------------------------------------------------

// Where a link ended up: in which body, and where in it.
struct Seat {
  int body = 0;
  Matrix3d R = Matrix3d::Identity();
  Vector3d p = Vector3d::Zero();
};

// x, y or z when the axis is aligned with one to rounding, else -1; the sign beside it.
int find_aligned(const Vector3d& axis, double& sign) {
  for (int k = 0; k < 3; ++k) {
    if (std::abs(axis[k]) < 1.0 - 1e-15 || axis[(k + 1) % 3] != 0.0 || axis[(k + 2) % 3] != 0.0)
      continue;
    sign = axis[k] > 0.0 ? 1.0 : -1.0;
    return k;
  }
  return -1;
}

JointKernel choose_kernel(JointType type, int aligned) {
  switch (type) {
    case JointType::kFixed: return JointKernel::kWorld;
    case JointType::kRevolute:
      return aligned == 0   ? JointKernel::kRevoluteX
             : aligned == 1 ? JointKernel::kRevoluteY
             : aligned == 2 ? JointKernel::kRevoluteZ
                            : JointKernel::kRevoluteAxis;
    case JointType::kPrismatic: return JointKernel::kPrismatic;
    case JointType::kSpherical: return JointKernel::kSpherical;
    case JointType::kPlanar: return JointKernel::kPlanar;
    case JointType::kFree: return JointKernel::kFree;
  }
  return JointKernel::kWorld;
}

// Two directions that span the plane with normal n, and n itself; x, y, z for n = z.
Matrix3d make_plane(const Vector3d& n) {
  Matrix3d plane;
  const Vector3d guess = std::abs(n.z()) > 0.5 ? Vector3d::UnitX() : Vector3d::UnitZ();
  const Vector3d t1 = (guess - guess.dot(n) * n).normalized();
  plane << t1, n.cross(t1), n;
  return plane;
}

// Appends an empty body to all per-body arrays.
int push_body(Model& m, const std::string& name) {
  m.parent.push_back(0), m.tree.push_back(-1);
  m.joint_type.push_back(JointType::kFixed), m.joint_kernel.push_back(JointKernel::kWorld);
  m.q_start.push_back(m.nq), m.v_start.push_back(m.nv), m.v_count.push_back(0);
  m.body_name.push_back(name), m.joint_name.emplace_back();
  m.R_PJ.push_back(Mat3d::identity()), m.p_PJ.emplace_back(), m.R_PJ_is_identity.push_back(1);
  m.axis.emplace_back(0.0, 0.0, 1.0), m.plane.push_back(Mat3d::identity());
  m.has_angle.push_back(0);
  m.mass.push_back(0.0), m.com.emplace_back(), m.inertia.emplace_back();
  return static_cast<int>(m.parent.size()) - 1;
}

// Adds the moving body that `joint` carries, placed at (R, p) in the parent body.
int push_moving_body(Model& m, const JointSpec& joint, int parent, const Matrix3d& R,
                     const Vector3d& p) {
  const int i = push_body(m, joint.child);
  m.nbody = i + 1;
  m.parent[i] = parent;
  if (parent == 0) m.tree_root.push_back(i);
  m.ntree = static_cast<int>(m.tree_root.size());
  m.tree[i] = parent == 0 ? m.ntree - 1 : m.tree[parent];
  m.joint_type[i] = joint.type;
  m.v_count[i] = joint_nv(joint.type);
  m.joint_name[i] = joint.name;
  m.R_PJ[i] = Mat3d(R);
  m.p_PJ[i] = Vec3d(p);
  m.R_PJ_is_identity[i] = R.isIdentity(1e-15);

  const bool has_axis = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic ||
                        joint.type == JointType::kPlanar;
  const Vector3d axis = has_axis ? joint.axis.stableNormalized().eval() : Vector3d::UnitZ().eval();
  double sign = 1.0;
  const int aligned = find_aligned(axis, sign);
  m.axis[i] = Vec3d(axis);
  m.plane[i] = Mat3d(make_plane(axis));
  m.joint_kernel[i] = choose_kernel(joint.type, aligned);

  // angles
  if (joint.type == JointType::kRevolute || joint.type == JointType::kPlanar) {
    const bool along = joint.type == JointType::kRevolute && aligned >= 0;
    m.has_angle[i] = 1;
    m.angle_q.push_back(m.nq + (joint.type == JointType::kPlanar ? 2 : 0));
    m.angle_sign.push_back(along ? sign : 1.0);
  }

  // coordinates
  const int nv = joint_nv(joint.type);
  for (int k = 0; k < nv; ++k) {
    m.rotor_inertia.push_back(joint.rotor_inertia);
    m.damping.push_back(joint.damping);
    m.friction.push_back(joint.friction);
    m.velocity_limit.push_back(joint.velocity_limit);
    m.effort_limit.push_back(joint.effort_limit);
    m.lower.push_back(nv == 1 ? joint.lower : -kInfinity);
    m.upper.push_back(nv == 1 ? joint.upper : kInfinity);
    m.dof_body.push_back(i);
    const int before = parent == 0 ? -1 : m.v_start[parent] + m.joint_nv(parent) - 1;
    m.dof_parent.push_back(k > 0 ? m.nv + k - 1 : before);
    const int self = m.nv + k;
    m.dof_run.push_back(m.dof_parent[self] == self - 1 && self > 0 ? m.dof_run[self - 1] : self);
  }
  m.nq += joint_nq(joint.type);
  m.nv += nv;
  return i;
}

// Bodies sorted by their depth in the tree, and by number within a level.
std::vector<int> make_sweep(const std::vector<int>& parent) {
  std::vector<int> depth(parent.size(), 0), sweep;
  for (std::size_t i = 1; i < parent.size(); ++i) {
    depth[i] = depth[parent[i]] + 1;
    sweep.push_back(static_cast<int>(i));
  }
  std::stable_sort(sweep.begin(), sweep.end(), [&](int a, int b) { return depth[a] < depth[b]; });
  return sweep;
}

// Follows mimics of mimics to the joint that is really free.
void add_mimics(const std::vector<JointSpec>& joints, const Names& joint_names, Model& m) {
  Names bodies;  // by joint name
  for (int i = 1; i < m.nbody; ++i) bodies.emplace(m.joint_name[i], i);
  for (const JointSpec& joint : joints) {
    if (!joint.mimic) continue;
    if (joint_nv(joint.type) != 1)
      throw Error(joint.place, fmt::format("joint '{}' mimics another but is {}; only one-dof "
                                           "joints can",
                                           joint.name, joint_type_name(joint.type)));
    double ratio = 1.0, offset = 0.0;
    const JointSpec* at = &joint;
    for (std::size_t hops = 0; at->mimic; ++hops) {
      const auto it = joint_names.find(at->mimic->leader);
      if (it == joint_names.end())
        throw Error(at->place, fmt::format("joint '{}' mimics '{}', which does not exist", at->name,
                                           at->mimic->leader));
      if (hops > joints.size())
        throw Error(at->place, fmt::format("joint '{}' ends up mimicking itself", joint.name));
      if (!std::isfinite(at->mimic->ratio) || !std::isfinite(at->mimic->offset))
        throw Error(at->place, fmt::format("joint '{}' mimics with a multiplier or offset that is "
                                           "not a finite number",
                                           at->name));
      offset += ratio * at->mimic->offset;
      ratio *= at->mimic->ratio;
      at = &joints[it->second];
    }
    if (joint_nv(at->type) != 1)
      throw Error(joint.place, fmt::format("joint '{}' mimics '{}', which is {}; only one-dof "
                                           "joints can be followed",
                                           joint.name, at->name, joint_type_name(at->type)));
    m.mimics.push_back(
        {BodyIndex(bodies.at(joint.name)), BodyIndex(bodies.at(at->name)), ratio, offset});
  }
}

}  // namespace

void ModelBuilder::append(const ModelBuilder& other, const std::string& prefix) {
  for (LinkSpec link : other.links_) {
    link.name = prefix + link.name;
    links_.push_back(std::move(link));
  }
  for (JointSpec joint : other.joints_) {
    joint.name = prefix + joint.name;
    if (!joint.parent.empty()) joint.parent = prefix + joint.parent;
    joint.child = prefix + joint.child;
    if (joint.mimic) joint.mimic->leader = prefix + joint.mimic->leader;
    joints_.push_back(std::move(joint));
  }
}

JointSpec& ModelBuilder::joint(const std::string& name) {
  for (JointSpec& joint : joints_)
    if (joint.name == name) return joint;
  throw Error(fmt::format("there is no joint '{}'", name));
}

std::vector<std::string> ModelBuilder::make_flexible(const std::string& name,
                                                     const std::vector<Vector3d>& directions) {
  JointSpec& base = joint(name);
  const bool is_fixed = base.type == JointType::kFixed;
  std::vector<Vector3d> axes = directions;
  if (axes.empty()) {
    if (joint_nv(base.type) != 1)
      throw Error(base.place, fmt::format("the joint '{}' has no axis of its own to be flexible "
                                          "about; give directions",
                                          name));
    axes.push_back(base.axis);
  }
  for (const Vector3d& axis : axes)
    if (!is_fixed && joint_nv(base.type) == 1 && !(base.rotor_inertia > 0.0) &&
        axis.cross(base.axis).norm() < 1e-6 * axis.norm() * base.axis.norm())
      throw Error(base.place, fmt::format("the joint '{}' is flexible about its own axis, so its "
                                          "motor needs a rotor inertia above zero",
                                          name));
  const JointSpec original = base;
  // what stands before the springs: the joint with a motor of its own, or the parent itself
  JointSpec flex;
  flex.place = original.place, flex.child = original.child;
  flex.type = directions.empty() ? original.type : JointType::kRevolute;
  if (is_fixed) {
    flex.parent = original.parent, flex.R_PJ = original.R_PJ, flex.p_PJ = original.p_PJ;
    joints_.erase(joints_.begin() + (&base - joints_.data()));
  } else {
    flex.parent = name + "_motor";
    base.child = flex.parent;
    links_.push_back({.name = flex.parent, .place = original.place});
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    flex.name = name + "_flex" + (axes.size() > 1 ? std::to_string(k) : "");
    flex.axis = axes[k];
    const bool is_last = k + 1 == axes.size();
    flex.child = is_last ? original.child : flex.name + "_link";
    if (!is_last) links_.push_back({.name = flex.child, .place = original.place});
    joints_.push_back(flex);
    names.push_back(flex.name);
    flex.parent = flex.child;
    flex.R_PJ.setIdentity(), flex.p_PJ.setZero();
  }
  return names;
}

void ModelBuilder::attach_roots(Base base) {
  std::unordered_set<std::string> carried;
  std::unordered_set<std::string> taken;
  for (const JointSpec& joint : joints_) carried.insert(joint.child), taken.insert(joint.name);
  for (const LinkSpec& link : links_) {
    if (carried.count(link.name)) continue;
    JointSpec joint;
    joint.name = link.name + (base == Base::kFree ? "_free" : "_fixed");
    while (taken.count(joint.name)) joint.name += '_';
    joint.type = base == Base::kFree ? JointType::kFree : JointType::kFixed;
    joint.child = link.name;
    joint.place = link.place;
    joints_.push_back(std::move(joint));
  }
}

Model ModelBuilder::build() const {
  Model m;
  m.name = name_;
  for (const LinkSpec& link : links_) check_link(link, m.warnings);
  for (const JointSpec& joint : joints_) check_joint(joint, m.warnings);
  const Names link_names = make_names(links_, "link");
  const Names joint_names = make_names(joints_, "joint");
  const std::vector<int> order = sort_joints(links_, joints_, link_names);

  // place every link: in its own body, or merged into the body it is fixed to
  std::vector<Seat> seats(links_.size());
  std::vector<BodyInertia> inertias(1);
  push_body(m, "world");
  for (int j : order) {
    const JointSpec& joint = joints_[j];
    const int child = link_names.at(joint.child);
    const Seat base = joint.parent.empty() ? Seat{} : seats[link_names.at(joint.parent)];
    const Matrix3d R = base.R * joint.R_PJ;
    const Vector3d p = base.p + base.R * joint.p_PJ;
    if (joint.type == JointType::kFixed) {
      seats[child] = {base.body, R, p};
    } else {
      seats[child] = {push_moving_body(m, joint, base.body, R, p), Matrix3d::Identity(),
                      Vector3d::Zero()};
      inertias.emplace_back();
    }
    merge(inertias[seats[child].body], links_[child], seats[child].R, seats[child].p);
  }

  for (int i = 0; i < m.nbody; ++i) {
    m.mass[i] = inertias[i].mass;
    m.com[i] = Vec3d(inertias[i].com);
    m.inertia[i] = to_sym3(inertias[i].inertia);
  }
  m.sweep = make_sweep(m.parent);
  m.nangle = static_cast<int>(m.angle_q.size());
  while (m.angle_q.size() % 4 != 0) {
    m.angle_q.push_back(m.angle_q.back());
    m.angle_sign.push_back(1.0);
  }
  // room to read one past the last angle
  m.angle_q.insert(m.angle_q.end(), 4, 0), m.angle_sign.insert(m.angle_sign.end(), 4, 1.0);

  for (int j : order) {
    const Seat& seat = seats[link_names.at(joints_[j].child)];
    if (joints_[j].child == "world" && seat.body == 0 && seat.R.isIdentity(0.0) &&
        seat.p.isZero(0.0))
      continue;  // the usual way to say "fixed base" in URDF: that link is our world
    m.frames.push_back({joints_[j].child, BodyIndex(seat.body), Mat3d(seat.R), Vec3d(seat.p)});
  }
  m.frames.push_back({"world", BodyIndex(0)});  // last: a link of that name comes first
  add_mimics(joints_, joint_names, m);
  return m;
}

}  // namespace stance::model
