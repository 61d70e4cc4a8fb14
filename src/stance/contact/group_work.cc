#include "stance/contact/group_work.h"

#include <algorithm>

#include "stance/contact/constraints.h"

namespace stance::contact {

using collision::ContactPoint;
using dynamics::Kinematics;
using kernel::Mat6;
using model::Model;
using solver::Block;
using solver::BodyProblem;
using solver::Law;

namespace {

// ---- nodes --------------------------------------------------------------------------------------

void collect(std::span<const int> members, const Model& model, const ContactScratch& s,
             GroupWork& work) {
  work.bodies.clear(), work.trees.clear();
  const auto add_body = [&](int body) {
    if (body == 0 || work.node_of[body] >= 0) return;
    work.node_of[body] = 0;
    work.bodies.push_back(body);
  };
  const auto add_coordinate = [&](int k) {
    if (k < 0) return;
    const int tree = model.tree[model.dof_body[k]];
    if (work.set_of[tree] >= 0) return;
    work.set_of[tree] = 0;
    work.trees.push_back(tree);
  };
  visit_constraints(s, members, [&](auto at) {
    const Ends ends = find_ends(s, at);
    add_body(ends.body_a), add_body(ends.body_b);
    add_coordinate(ends.k1), add_coordinate(ends.k2);
  });
  std::sort(work.bodies.begin(), work.bodies.end(), [&](int a, int b) {
    return model.tree[a] != model.tree[b] ? model.tree[a] < model.tree[b] : a < b;
  });
  std::sort(work.trees.begin(), work.trees.end());
}

// Bodies of the group, tree after tree, as nodes with their responses to each other.
void add_nodes(const Model& model, std::span<const int> members, const ContactScratch& s,
               GroupWork& work) {
  collect(members, model, s, work);
  BodyProblem& problem = work.problem;
  const int n = static_cast<int>(work.bodies.size());
  for (int first = 0, end; first < n; first = end) {
    const int tree = model.tree[work.bodies[first]];
    end = first + 1;
    while (end < n && model.tree[work.bodies[end]] == tree) ++end;
    for (int j = first; j < end; ++j) {
      work.node_of[work.bodies[j]] = j;
      BodyProblem::Node& node = problem.nodes.emplace_back();
      node.first = first, node.end = end;
      node.responses = static_cast<int>(problem.response.size());
      const int b = s.number_of[work.bodies[j]];
      for (int k = first; k < end; ++k) {
        const int a = s.number_of[work.bodies[k]];
        const Mat6<double>& block = *s.omega.omega(s.bodies, std::min(a, b), std::max(a, b));
        problem.response.push_back(a <= b ? block : transpose(block));
      }
    }
  }
}

// Coordinates in use of every tree that has some, and what they have to do with its nodes.
void add_coordinates(const Model& model, const ContactScratch& s, GroupWork& work) {
  BodyProblem& problem = work.problem;
  int node = 0;
  for (const int tree : work.trees) {
    const int number = static_cast<int>(problem.sets.size());
    work.set_of[tree] = number;
    BodyProblem::CoordinateSet& set = problem.sets.emplace_back();
    set.first = problem.num_coordinates;
    set.count = static_cast<int>(s.response.coordinates(tree).size());
    set.stride = s.response.stride(tree);
    set.response = s.response.response(tree);
    problem.num_coordinates += set.stride;

    const int n = problem.num_nodes();
    while (node < n && model.tree[work.bodies[node]] < tree) ++node;
    set.first_node = node;
    for (; node < n && model.tree[work.bodies[node]] == tree; ++node) {
      problem.nodes[node].set = number;
      problem.nodes[node].by_coordinates = s.response.body_response(model, work.bodies[node]);
    }
    set.end_node = node;
  }
}

void forget_nodes(GroupWork& work) {
  for (const int body : work.bodies) work.node_of[body] = -1;
  for (const int tree : work.trees) work.set_of[tree] = -1;
}

// ---- rows ---------------------------------------------------------------------------------------

// Three directions as wrenches at the O of a body's tree: forces at the point, or pure torques.
void set_wrenches(const Model& model, const Kinematics<double>& kin, int body, const Vec3d& p_W,
                  const Vec3d directions[3], bool are_torques, Force<double>* f) {
  const Vec3d r = p_W - kin.p_WO[model.tree[body]];
  for (int k = 0; k < 3; ++k)
    f[k] = are_torques ? Force<double>{directions[k], {}}
                       : Force<double>{cross(r, directions[k]), directions[k]};
}

struct RowMaker {
  const Model& model;
  const Kinematics<double>& kin;
  GroupWork& work;

  BodyProblem::Rows& add(const Block& block, const Vec3d& q, const Vec3d& p) const {
    work.problem.blocks.push_back(block);
    work.problem.q.push_back(q);
    work.p.push_back(p);
    return work.problem.rows.emplace_back();
  }
  void attach(int body_a, int body_b, const Vec3d& p_a, const Vec3d& p_b, const Vec3d directions[3],
              bool are_torques, BodyProblem::Rows& rows) const {
    if (body_a != 0) {
      rows.a = work.node_of[body_a];
      set_wrenches(model, kin, body_a, p_a, directions, are_torques, rows.f_a);
    }
    if (body_b != 0) {
      rows.b = work.node_of[body_b];
      set_wrenches(model, kin, body_b, p_b, directions, are_torques, rows.f_b);
    }
  }
  void attach(const JointRow& row, const ContactScratch& s, BodyProblem::Rows& rows) const {
    const auto find = [&](int k, int& set, int& number) {
      set = work.set_of[model.tree[model.dof_body[k]]];
      number = work.problem.sets[set].first + s.response.number_of(k);
    };
    rows.c1 = row.c1, rows.c2 = row.c2;
    find(row.k1, rows.set1, rows.k1);
    if (row.k2 >= 0) find(row.k2, rows.set2, rows.k2);
  }

  // Normal and tangents of a contact point: forces there, or torques about them.
  void attach(const ContactPoint& point, const PointContact& contact, bool are_torques,
              BodyProblem::Rows& rows) const {
    const Vec3d directions[3] = {point.n_W, contact.t1, contact.t2};
    attach(point.body_a, point.body_b, point.p_W, point.p_W + contact.lag, directions, are_torques,
           rows);
  }
  void add_point(const ContactPoint& point, const PointContact& contact, const Vec3d& q,
                 const Vec3d& p) const {
    Block block;
    block.mu = contact.material.friction;
    attach(point, contact, false, add(block, q, p));
  }
  void add_spin(const ContactPoint& point, const PointContact& contact, int normal, const Vec3d& q,
                const Vec3d& p) const {
    Block block;
    block.law = Law::kSpin;
    block.mu = contact.material.torsion_friction;
    block.mu_rolling = contact.material.rolling_friction;
    block.normal = normal;
    attach(point, contact, true, add(block, q, p));
  }
  void add_row(const JointRow& row, double q, double p, const ContactScratch& s) const {
    attach(row, s, add(make_block(row), {q, 0.0, 0.0}, {p, 0.0, 0.0}));
  }
  void add_loop(const LoopBlock& loop, const Vec3d& q, const Vec3d& p) const {
    Block block;
    block.law = Law::kBilateral, block.rows = loop.rows;
    attach(loop.body_a, loop.body_b, loop.p_a, loop.p_b, loop.directions, loop.is_turn,
           add(block, q, p));
  }
};

// What the normal velocity must not fall below, as a shift of u_free: the gap that is left, or the
// bounce of one that will be closed within the step.
double calc_shift(const ContactPoint& point, const PointContact& contact, bool is_linked,
                  double h) {
  const double before = contact.u_before[0];
  const bool hits = before < 0.0 && point.gap + h * before <= 0.0;
  if (contact.material.restitution > 0.0 && hits) return contact.material.restitution * before;
  return (is_linked ? contact.room.linked : contact.room.alone) / h;
}

// Where things are held apart, gaps are closed by velocities and displacement together, not more.
double calc_hold(double gap, double u, double h, bool is_held) {
  const double left = u + gap / h;
  return is_held ? left : std::max(left, 0.0);
}

// The part of an overlap that a step takes back, as a velocity; what is left of a gap in full.
double calc_push(double gap, double u, const ContactOptions& options, double h) {
  const double bias = gap < 0.0 ? options.correction * std::min(gap + options.slop, 0.0) : gap;
  return std::max(u, 0.0) + bias / h;
}

// Whether points of more than two geometries are in the group, or other constraints.
bool has_several_contacts(std::span<const int> members, const ContactScratch& s) {
  const std::span<const int> points = find_points(s, members);
  if (points.size() < members.size()) return true;
  for (const int i : points) {
    const ContactPoint &point = s.points[i], &first = s.points[points.front()];
    if (point.geometry_a != first.geometry_a || point.geometry_b != first.geometry_b) return true;
  }
  return false;
}

void add_velocity_rows(std::span<const int> members, double h, const ContactScratch& s,
                       const RowMaker& make) {
  const bool is_linked = has_several_contacts(members, s);
  const auto add_point = [&](PointNumber at) {
    const ContactPoint& point = s.points[at.i];
    const PointContact& contact = s.contacts[at.i];
    const int number = make.work.problem.num_blocks();
    const Vec3d shift(calc_shift(point, contact, is_linked, h), 0.0, 0.0);
    make.add_point(point, contact, contact.u_free + shift, contact.p);
    if (contact.material.has_spin())
      make.add_spin(point, contact, number, contact.w_free, contact.spin);
  };
  const auto add_row = [&](JointRowNumber at) {
    const JointRow& row = s.joint_rows[at.i];
    make.add_row(row, row.u_free + calc_shift(row, h), row.p, s);
  };
  const auto add_loop = [&](LoopBlockNumber at) {
    make.add_loop(s.loop_blocks[at.i], s.loop_blocks[at.i].u_free, s.loop_blocks[at.i].p);
  };
  visit_constraints(s, members, Cases{add_point, add_row, add_loop});
}

void add_displacement_rows(std::span<const int> members, const ContactOptions& options, double h,
                           const ContactScratch& s, const RowMaker& make) {
  const auto add_point = [&](PointNumber at) {
    const PointContact& contact = s.contacts[at.i];
    // penalty laws take penetration back by themselves
    const double gap = is_penalty(options.law) ? 0.0 : s.points[at.i].gap;
    const Vec3d push(is_held(s, at) || (s.held > 0 && gap >= 0.0)
                         ? calc_hold(gap, contact.u[0], h, is_held(s, at))
                         : calc_push(gap, contact.u[0], options, h),
                     0.0, 0.0);
    make.add_point(s.points[at.i], contact, push, {});
  };
  const auto add_row = [&](JointRowNumber at) {
    const JointRow& row = s.joint_rows[at.i];
    if (row.kind == JointRowKind::kFriction) return;
    const double push = row.kind == JointRowKind::kLimit ? calc_push(row.gap, row.u, options, h)
                                                         : options.loop_correction * row.gap / h;
    make.add_row(row, push, 0.0, s);
  };
  const auto add_loop = [&](LoopBlockNumber at) {
    const LoopBlock& loop = s.loop_blocks[at.i];
    make.add_loop(loop, (options.loop_correction / h) * loop.error, {});
  };
  visit_constraints(s, members, Cases{add_point, add_row, add_loop});
}

}  // namespace

GroupWork::GroupWork(const Model& model) : node_of(model.nbody, -1), set_of(model.ntree, -1) {
  bodies.reserve(model.nbody);
  trees.reserve(model.ntree);
}

void make_problem(Purpose purpose, const Model& model, const Kinematics<double>& kin,
                  const ContactOptions& options, std::span<const int> members, double h,
                  const ContactScratch& s, GroupWork& work) {
  work.problem.clear(), work.p.clear();
  add_nodes(model, members, s, work);
  add_coordinates(model, s, work);
  const RowMaker make{model, kin, work};
  if (purpose == Purpose::kVelocity)
    add_velocity_rows(members, h, s, make);
  else
    add_displacement_rows(members, options, h, s, make);
  forget_nodes(work);
}

void add_impulses(Purpose purpose, std::span<const int> members, const GroupWork& work,
                  ContactScratch& s) {
  int b = 0;
  // +f on a, -f on b
  const auto act = [&](int body_a, int body_b) {
    const BodyProblem::Rows& rows = work.problem.rows[b];
    const Vec3d& p = work.p[b++];
    for (int k = 0; k < 3; ++k) {
      if (body_a != 0) s.impulses[body_a] = madd(p[k], rows.f_a[k], s.impulses[body_a]);
      if (body_b != 0) s.impulses[body_b] = nmadd(p[k], rows.f_b[k], s.impulses[body_b]);
    }
  };
  const auto add_point = [&](PointNumber at) {
    const ContactPoint& point = s.points[at.i];
    act(point.body_a, point.body_b);
    if (purpose == Purpose::kVelocity && s.contacts[at.i].material.has_spin())
      act(point.body_a, point.body_b);
  };
  const auto add_row = [&](JointRowNumber at) {
    const JointRow& row = s.joint_rows[at.i];
    if (purpose == Purpose::kDisplacement && row.kind == JointRowKind::kFriction) return;
    const double p = work.p[b++][0];
    s.joint_impulses[row.k1] += row.c1 * p;
    if (row.k2 >= 0) s.joint_impulses[row.k2] += row.c2 * p;
  };
  const auto add_loop = [&](LoopBlockNumber at) {
    act(s.loop_blocks[at.i].body_a, s.loop_blocks[at.i].body_b);
  };
  visit_constraints(s, members, Cases{add_point, add_row, add_loop});
}

solver::ContactProblem make_explicit_problem(const Model& model, const Kinematics<double>& kin,
                                             const ContactOptions& options, int group, double h,
                                             const ContactScratch& s) {
  GroupWork work(model);
  make_problem(Purpose::kVelocity, model, kin, options, s.groups.members(group), h, s, work);
  solver::NodeMotions motions;
  solver::ContactProblem problem;
  make_explicit(work.problem, motions, problem);
  return problem;
}

}  // namespace stance::contact
