#include "stance/contact/group_work.h"

#include <algorithm>

#include "stance/contact/contact_system.h"

namespace stance::contact {

using collision::ContactPoint;
using dynamics::Kinematics;
using kernel::Mat6;
using model::Model;
using solver::Block;
using solver::BodyProblem;
using solver::Law;

namespace {

constexpr int kPerNode = 6;  // coordinates

// Calls for each constraint of the group the function of its kind: point, joint row, loop block.
template <class Point, class Row, class Loop>
void visit(std::span<const int> members, const ContactScratch& s, Point&& point, Row&& row,
           Loop&& loop) {
  const int points = s.points.size(), rows = points + static_cast<int>(s.joint_rows.size());
  for (const int i : members) {
    if (i < points)
      point(i);
    else if (i < rows)
      row(i - points);
    else
      loop(i - rows);
  }
}

// ---- nodes --------------------------------------------------------------------------------------

void collect(std::span<const int> members, const Model& model, const ContactScratch& s,
             GroupWork& work) {
  work.bodies.clear(), work.coordinates.clear();
  const auto add_body = [&](int body) {
    if (body == 0 || work.node_of[body] >= 0) return;
    work.node_of[body] = 0;
    work.bodies.push_back(body);
  };
  const auto add_coordinate = [&](int k) {
    if (k < 0 || work.slot_of[k] >= 0) return;
    work.slot_of[k] = 0;
    work.coordinates.push_back(k);
  };
  visit(
      members, s, [&](int i) { add_body(s.points[i].body_a), add_body(s.points[i].body_b); },
      [&](int i) { add_coordinate(s.joint_rows[i].k1), add_coordinate(s.joint_rows[i].k2); },
      [&](int i) { add_body(s.loop_blocks[i].body_a), add_body(s.loop_blocks[i].body_b); });
  std::sort(work.bodies.begin(), work.bodies.end(), [&](int a, int b) {
    return model.tree[a] != model.tree[b] ? model.tree[a] < model.tree[b] : a < b;
  });
  std::sort(work.coordinates.begin(), work.coordinates.end(), [&](int a, int b) {
    const int tree_a = model.tree[model.dof_body[a]], tree_b = model.tree[model.dof_body[b]];
    return tree_a != tree_b ? tree_a < tree_b : a < b;
  });
}

// Nodes of one tree: bodies first, then coordinates.
struct TreeNodes {
  std::span<const int> bodies, coordinates;

  int size() const {
    return static_cast<int>(bodies.size() + (coordinates.size() + kPerNode - 1) / kPerNode);
  }
  bool is_body(int node) const { return node < static_cast<int>(bodies.size()); }
  std::span<const int> coordinates_of(int node) const {
    const std::size_t first = kPerNode * (node - bodies.size());
    return coordinates.subspan(first, std::min<std::size_t>(kPerNode, coordinates.size() - first));
  }
};

void set_entry(Motion<double>& V, int i, double value) {
  (i < 3 ? V.ang : V.lin).set(i % 3, value);
}

// Column c: motion of a body for a unit impulse on the c-th coordinate of a node.
Mat6<double> calc_body_response(const ContactScratch& s, int body, std::span<const int> columns) {
  Mat6<double> block{};
  for (std::size_t c = 0; c < columns.size(); ++c)
    block.c[c] = s.response.body(body, s.response.number_of(columns[c]));
  return block;
}

// How node k of a tree responds to node j.
Mat6<double> calc_response(const ContactScratch& s, const TreeNodes& tree, int k, int j) {
  if (tree.is_body(k) && tree.is_body(j)) {
    const int a = s.number_of[tree.bodies[k]], b = s.number_of[tree.bodies[j]];
    const Mat6<double>& block = *s.omega.omega(s.bodies, std::min(a, b), std::max(a, b));
    return a <= b ? block : transpose(block);
  }
  if (tree.is_body(k)) return calc_body_response(s, tree.bodies[k], tree.coordinates_of(j));
  if (tree.is_body(j))
    return transpose(calc_body_response(s, tree.bodies[j], tree.coordinates_of(k)));
  Mat6<double> block{};
  const std::span<const int> rows = tree.coordinates_of(k), columns = tree.coordinates_of(j);
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t r = 0; r < rows.size(); ++r)
      set_entry(
          block.c[c], static_cast<int>(r),
          s.response.coordinate(s.response.number_of(rows[r]), s.response.number_of(columns[c])));
  return block;
}

// The nodes of the group with their responses, tree after tree.
void add_nodes(const Model& model, std::span<const int> members, const ContactScratch& s,
               GroupWork& work) {
  collect(members, model, s, work);
  const std::span<const int> bodies = work.bodies, coordinates = work.coordinates;
  std::size_t b = 0, c = 0;
  while (b < bodies.size() || c < coordinates.size()) {
    const auto tree_of = [&](int k) { return model.tree[model.dof_body[k]]; };
    int tree = model.ntree;
    if (b < bodies.size()) tree = model.tree[bodies[b]];
    if (c < coordinates.size()) tree = std::min(tree, tree_of(coordinates[c]));
    const std::size_t b0 = b, c0 = c;
    while (b < bodies.size() && model.tree[bodies[b]] == tree) ++b;
    while (c < coordinates.size() && tree_of(coordinates[c]) == tree) ++c;
    const TreeNodes nodes{bodies.subspan(b0, b - b0), coordinates.subspan(c0, c - c0)};

    const int first = work.problem.num_nodes(), n = nodes.size();
    for (std::size_t k = b0; k < b; ++k) work.node_of[bodies[k]] = first + static_cast<int>(k - b0);
    for (std::size_t k = c0; k < c; ++k)
      work.slot_of[coordinates[k]] =
          kPerNode * (first + static_cast<int>(b - b0)) + static_cast<int>(k - c0);
    for (int j = 0; j < n; ++j) {
      work.problem.nodes.push_back(
          {first, first + n, static_cast<int>(work.problem.response.size())});
      for (int k = 0; k < n; ++k) work.problem.response.push_back(calc_response(s, nodes, k, j));
    }
  }
}

void forget_nodes(GroupWork& work) {
  for (const int body : work.bodies) work.node_of[body] = -1;
  for (const int k : work.coordinates) work.slot_of[k] = -1;
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
  // c1 of one coordinate and c2 of another, which may share a node
  void attach(const JointRow& row, BodyProblem::Rows& rows) const {
    const int slot = work.slot_of[row.k1];
    rows.a = slot / kPerNode;
    for (Force<double>& f : rows.f_a) f = {};
    set(rows.f_a[0], slot % kPerNode, row.c1);
    if (row.k2 < 0) return;
    const int other = work.slot_of[row.k2];
    if (other / kPerNode == rows.a) {
      set(rows.f_a[0], other % kPerNode, row.c2);
      return;
    }
    rows.b = other / kPerNode;
    for (Force<double>& f : rows.f_b) f = {};
    set(rows.f_b[0], other % kPerNode, -row.c2);
  }
  static void set(Force<double>& f, int i, double value) {
    (i < 3 ? f.ang : f.lin).set(i % 3, value);
  }
};

// What the normal velocity must not fall below, as a shift of u_free: the gap that is left, or the
// bounce of one that will be closed within the step.
double calc_shift(const ContactPoint& point, const PointContact& contact, double h) {
  const double before = contact.u_before[0];
  const bool hits = before < 0.0 && point.gap + h * before <= 0.0;
  if (contact.material.restitution > 0.0 && hits) return contact.material.restitution * before;
  return std::max(point.gap, 0.0) / h;
}

// The part of an overlap that a step takes back, as a velocity; what is left of a gap in full.
double calc_push(double gap, double u, const ContactOptions& options, double h) {
  const double bias = gap < 0.0 ? options.correction * std::min(gap + options.slop, 0.0) : gap;
  return std::max(u, 0.0) + bias / h;
}

void add_velocity_rows(std::span<const int> members, double h, const ContactScratch& s,
                       const RowMaker& make) {
  visit(
      members, s,
      [&](int i) {
        const ContactPoint& point = s.points[i];
        const PointContact& contact = s.contacts[i];
        const Vec3d directions[3] = {point.n_W, contact.t1, contact.t2};
        const int number = make.work.problem.num_blocks();
        Block block;
        block.mu = contact.material.friction;
        const Vec3d shift(calc_shift(point, contact, h), 0.0, 0.0);
        make.attach(point.body_a, point.body_b, point.p_W, point.p_W, directions, false,
                    make.add(block, contact.u_free + shift, contact.p));
        if (!contact.material.has_spin()) return;
        block.law = Law::kSpin;
        block.mu = contact.material.torsion_friction;
        block.mu_rolling = contact.material.rolling_friction;
        block.normal = number;
        make.attach(point.body_a, point.body_b, point.p_W, point.p_W, directions, true,
                    make.add(block, contact.w_free, contact.spin));
      },
      [&](int i) {
        const JointRow& row = s.joint_rows[i];
        make.attach(row, make.add(make_block(row), {row.u_free + calc_shift(row, h), 0.0, 0.0},
                                  {row.p, 0.0, 0.0}));
      },
      [&](int i) {
        const LoopBlock& loop = s.loop_blocks[i];
        Block block;
        block.law = Law::kBilateral, block.rows = loop.rows;
        make.attach(loop.body_a, loop.body_b, loop.p_a, loop.p_b, loop.directions, loop.is_turn,
                    make.add(block, loop.u_free, loop.p));
      });
}

void add_displacement_rows(std::span<const int> members, const ContactOptions& options, double h,
                           const ContactScratch& s, const RowMaker& make) {
  visit(
      members, s,
      [&](int i) {
        const ContactPoint& point = s.points[i];
        const PointContact& contact = s.contacts[i];
        const Vec3d directions[3] = {point.n_W, contact.t1, contact.t2};
        Block block;
        block.mu = contact.material.friction;
        const Vec3d push(calc_push(point.gap, contact.u[0], options, h), 0.0, 0.0);
        make.attach(point.body_a, point.body_b, point.p_W, point.p_W, directions, false,
                    make.add(block, push, {}));
      },
      [&](int i) {
        const JointRow& row = s.joint_rows[i];
        if (row.kind == JointRowKind::kFriction) return;
        const double push = row.kind == JointRowKind::kLimit
                                ? calc_push(row.gap, row.u, options, h)
                                : options.loop_correction * row.gap / h;
        make.attach(row, make.add(make_block(row), {push, 0.0, 0.0}, {}));
      },
      [&](int i) {
        const LoopBlock& loop = s.loop_blocks[i];
        Block block;
        block.law = Law::kBilateral, block.rows = loop.rows;
        make.attach(loop.body_a, loop.body_b, loop.p_a, loop.p_b, loop.directions, loop.is_turn,
                    make.add(block, (options.loop_correction / h) * loop.error, {}));
      });
}

}  // namespace

GroupWork::GroupWork(const Model& model) : node_of(model.nbody, -1), slot_of(model.nv, -1) {
  bodies.reserve(model.nbody);
  coordinates.reserve(model.nv);
}

void make_problem(Purpose purpose, const Model& model, const Kinematics<double>& kin,
                  const ContactOptions& options, std::span<const int> members, double h,
                  const ContactScratch& s, GroupWork& work) {
  work.problem.clear(), work.p.clear();
  add_nodes(model, members, s, work);
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
  visit(
      members, s,
      [&](int i) {
        act(s.points[i].body_a, s.points[i].body_b);
        if (purpose == Purpose::kVelocity && s.contacts[i].material.has_spin())
          act(s.points[i].body_a, s.points[i].body_b);
      },
      [&](int i) {
        const JointRow& row = s.joint_rows[i];
        if (purpose == Purpose::kDisplacement && row.kind == JointRowKind::kFriction) return;
        const double p = work.p[b++][0];
        s.joint_impulses[row.k1] += row.c1 * p;
        if (row.k2 >= 0) s.joint_impulses[row.k2] += row.c2 * p;
      },
      [&](int i) { act(s.loop_blocks[i].body_a, s.loop_blocks[i].body_b); });
}

}  // namespace stance::contact
