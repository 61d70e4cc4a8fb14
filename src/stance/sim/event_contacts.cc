#include "stance/sim/event_contacts.h"

#include <algorithm>
#include <cmath>

namespace stance::sim {
namespace {

using contact::Purpose;

constexpr double kDrift = 1e-10;      // m: drift that is left alone
constexpr double kDifference = 1e-5;  // s: for the rate of velocities at fixed v

// 2 a u + a^2 gap, which lets drift go; but for gaps within rounding: where an arm is wedged not
// all of them can be closed, and forces would grow without end against each other.
double calc_return(double u, double gap) {
  constexpr double kReturn = EventContacts::kReturn;
  const double drift = std::copysign(std::max(std::abs(gap) - kDrift, 0.0), gap);
  return kReturn * (2.0 * u + kReturn * drift);
}

}  // namespace

bool EventContacts::is_joint_friction(std::uint64_t id) {
  constexpr std::uint64_t kPart = ~std::uint64_t(0xffffffff);
  return (id & kPart) == make_joint_id(JointPart::kFriction, 0);
}

// ---- as they are --------------------------------------------------------------------------------

void EventContacts::look(Doubles q, Doubles v, std::vector<Seen>& out) const {
  Scratch& m = s.main;
  m.start.update(model(), q, v);
  contact::find(model(), w.shapes, m.start.kin(), w.contact.margin, m.contact);
  out.clear();
  for (const collision::ContactPoint& point : m.contact.points.points()) {
    Seen seen{point.id, point.gap, point.n_W, {}};
    const auto add = [&](int body, double sign) {
      if (body == 0) return;
      const Vec3d r = point.p_W - m.start.kin().p_WO[model().tree[body]];
      seen.u = madd(sign, m.start.vel().V[body].lin + cross(m.start.vel().V[body].ang, r), seen.u);
    };
    add(point.body_a, 1.0), add(point.body_b, -1.0);
    out.push_back(seen);
  }
  for (const int k : s.joints.limited) {
    const double angle = q[model().q_start[model().dof_body[k]]];
    const Vec3d along(1.0, 0.0, 0.0), u(v[k], 0.0, 0.0);
    out.push_back({make_joint_id(JointPart::kLower, k), angle - model().lower[k], along, u});
    out.push_back({make_joint_id(JointPart::kUpper, k), model().upper[k] - angle, along, -u});
  }
  // dry friction is a contact that never opens, square to its coordinate
  for (const int k : s.joints.rubbing)
    out.push_back({make_joint_id(JointPart::kFriction, k), 0.0, {0, 1, 0}, {v[k], 0, 0}});
}

ContactMode* EventContacts::find_closed(std::uint64_t id) const {
  for (ContactMode& mode : s.closed)
    if (mode.id == id) return &mode;
  return nullptr;
}

const EventContacts::Seen* EventContacts::find_seen(const std::vector<Seen>& list,
                                                    std::uint64_t id) {
  for (const Seen& seen : list)
    if (seen.id == id) return &seen;
  return nullptr;
}

const contact::JointRow* EventContacts::find_row(int i) const {
  const int points = s.main.contact.points.size();
  return i < points ? nullptr : &s.main.contact.joint_rows[i - points];
}

std::uint64_t EventContacts::name_of(const contact::JointRow& row) {
  if (row.kind == contact::JointRowKind::kFriction)
    return make_joint_id(JointPart::kFriction, row.index);
  return make_joint_id(row.c1 > 0.0 ? JointPart::kLower : JointPart::kUpper, row.index);
}

// ---- contact problems ---------------------------------------------------------------------------

void EventContacts::assemble(Doubles q, Doubles v, Doubles free, const Keep& keep) const {
  Scratch& m = s.main;
  contact::find(model(), w.shapes, m.start.kin(), w.contact.margin, m.contact);
  const std::span<collision::ContactPoint> points = m.contact.points.points();
  int n = 0;
  for (const collision::ContactPoint& point : points)
    if (keep(point.id)) points[n++] = point;
  m.contact.points.shrink(n);
  contact::JointRowSources& acting = m.contact.sources;
  acting.limited.clear(), acting.rubbing.clear();
  for (const int k : s.joints.limited)
    if (keep(make_joint_id(JointPart::kLower, k)) || keep(make_joint_id(JointPart::kUpper, k)))
      acting.limited.push_back(k);
  for (const int k : s.joints.rubbing)
    if (keep(make_joint_id(JointPart::kFriction, k))) acting.rubbing.push_back(k);
  update_velocities(model(), m.start.kin(), free, m.free);
  contact::ContactOptions all = w.contact;
  all.margin = 1e9;
  contact::assemble(model(), w.materials, {}, m.start.kin(), m.art,
                    {q, v, free, m.start.vel().V, m.free.V}, all, 0.0, s.cold, m.contact);
}

void EventContacts::solve(const Terms& terms) const {
  contact::ContactScratch& c = s.main.contact;
  std::fill(c.impulses.begin(), c.impulses.end(), kernel::Force<double>{});
  std::fill(c.joint_impulses.begin(), c.joint_impulses.end(), 0.0);
  for (int g = 0; g < c.groups.size(); ++g) solve_group(g, terms);
}

void EventContacts::solve_group(int g, const Terms& terms) const {
  contact::ContactScratch& c = s.main.contact;
  contact::GroupWork& work = *c.work[0];
  solver::SolveOptions how;
  how.tolerance = options.tolerance;
  how.max_sweeps = 20000;
  const std::span<const int> members = c.groups.members(g);
  contact::make_problem(Purpose::kVelocity, model(), s.main.start.kin(), w.contact, members, 1.0, c,
                        work);
  for (std::size_t k = 0; k < members.size(); ++k) {
    work.problem.q[k] = terms.calc_q(members[k]);
    const contact::JointRow* row = find_row(members[k]);
    if (!row) continue;
    solver::Block& block = work.problem.blocks[k];
    if (row->kind == contact::JointRowKind::kFriction)
      block.bound = model().friction[row->index];
    else if (!terms.keep(name_of(*row)))  // the other end of a range
      block.law = solver::Law::kBox, block.bound = 0.0;
  }
  make_explicit(work.problem, s.motions, s.problem);
  const solver::ContactProblem full = s.problem;
  std::vector<Vec3d> along(members.size());
  for (std::size_t k = 0; k < members.size(); ++k)
    if (terms.find_direction(members[k], along[k])) slide(static_cast<int>(k), along[k]);
  std::vector<Vec3d> p(members.size());
  const solver::SolveStatus status = s.solver.solve(s.problem, how, p);
  s.residual = std::max(s.residual, status.residual.relative);
  for (std::size_t k = 0; k < members.size(); ++k)
    work.p[k] = norm(along[k]) > 0.0 ? p[k][0] * along[k] : p[k];
  contact::add_impulses(Purpose::kVelocity, members, work, c);
  std::vector<Vec3d> u(members.size());
  calc_velocities(full, work.p, u);
  for (std::size_t k = 0; k < members.size(); ++k) terms.take(members[k], work.p[k], u[k]);
}

// Block k of s.problem becomes one row: the force along `along`, its answer along the normal.
void EventContacts::slide(int k, const Vec3d& along) const {
  solver::ContactProblem& problem = s.problem;
  const int n = problem.num_blocks();
  problem.blocks[k].law = solver::Law::kUnilateral;
  problem.blocks[k].rows = 1;
  problem.q[k] = {problem.q[k][0], 0.0, 0.0};
  for (int i = 0; i < n; ++i) {
    kernel::Mat3d& column = problem.W.block[static_cast<std::size_t>(i) * n + k];
    column.c[0] = column * along;
    column.c[1] = column.c[2] = {};
  }
  for (int j = 0; j < n; ++j) {
    kernel::Mat3d& row = problem.W.block[static_cast<std::size_t>(k) * n + j];
    for (Vec3d& c : row.c) c = {c[0], 0.0, 0.0};
  }
}

void EventContacts::apply(std::span<double> v) const {
  Scratch& m = s.main;
  if (m.contact.groups.size() == 0) return;
  apply_inverse_mass(model(), m.start.kin(), m.art, Doubles(m.contact.joint_impulses),
                     std::span<const kernel::Force<double>>(m.contact.impulses), m.forward,
                     std::span<double>(m.vdot));
  for (int k = 0; k < model().nv; ++k) v[k] += m.vdot[k];
}

// ---- accelerations ------------------------------------------------------------------------------

void EventContacts::calc_free(Doubles q, Doubles v, std::span<double> vdot) const {
  Scratch& m = s.main;
  const auto at = [](Doubles values, int k) { return values.empty() ? 0.0 : values[k]; };
  for (int k = 0; k < model().nv; ++k) {
    m.tau[k] = at(in.tau, k) - (model().damping[k] + at(in.damping, k)) * v[k];
    if (const double stiffness = at(in.stiffness, k); stiffness != 0.0) {
      const int i = model().dof_body[k];
      m.tau[k] += stiffness * (at(in.target, k) - q[model().q_start[i] + k - model().v_start[i]]);
    }
  }
  for (const int k : s.joints.rubbing)
    if (const ContactMode* mode = find_closed(make_joint_id(JointPart::kFriction, k));
        mode && mode->slides)
      m.tau[k] -= model().friction[k] * mode->direction[0];
  m.start.update(model(), q, v);
  update_articulated(model(), m.start.kin(), m.start.inertias(), Doubles(), m.art);
  calc_forward_dynamics(model(), w.gravity, m.start.kin(), m.start.inertias(), m.start.vel(), m.art,
                        Doubles(m.tau), std::span<const kernel::Force<double>>(), m.forward, vdot);
}

void EventContacts::accelerate(Doubles q, Doubles v, std::span<double> vdot) const {
  Scratch& m = s.main;
  s.felt.clear();
  if (s.closed.empty()) return calc_free(q, v, vdot);

  find_rates(q, v);
  calc_free(q, v, vdot);
  std::copy(vdot.begin(), vdot.end(), m.v_free.begin());
  // joint friction that slides is among the torques
  const Keep keep = [&](std::uint64_t id) {
    const ContactMode* mode = find_closed(id);
    return mode && !(mode->slides && is_joint_friction(id));
  };
  assemble(q, v, Doubles(m.v_free), keep);
  solve({keep, [&](int i) { return calc_acceleration(i); },
         [&](int i, Vec3d& along) { return find_friction(i, along); },
         [&](int i, const Vec3d& f, const Vec3d& a) { feel(i, keep, f, a); }});
  apply(vdot);
}

// Rates of the contacts' velocities at fixed v: what is seen a little ahead and a little behind.
void EventContacts::find_rates(Doubles q, Doubles v) const {
  Scratch& m = s.main;
  for (const double sign : {1.0, -1.0}) {
    for (int k = 0; k < model().nv; ++k) m.move[k] = sign * kDifference * v[k];
    model::integrate(model(), q.data(), m.move.data(), m.q_next.data());
    look(m.q_next, v, sign > 0.0 ? s.ahead : s.behind);
  }
}

// Accelerations without the forces, and drift goes: gap'' + 2 a gap' + a^2 gap >= 0.
Vec3d EventContacts::calc_acceleration(int i) const {
  if (const contact::JointRow* row = find_row(i))
    return Vec3d(row->u_free + calc_return(row->u_before, row->gap), 0.0, 0.0);
  const collision::ContactPoint& point = s.main.contact.points[i];
  const contact::PointContact& contact = s.main.contact.contacts[i];
  const Seen *ahead = find_seen(s.ahead, point.id), *behind = find_seen(s.behind, point.id);
  Vec3d rate;
  if (ahead && behind) {
    const Vec3d du = (0.5 / kDifference) * (ahead->u - behind->u);
    const double dn = dot(ahead->n, ahead->u) - dot(behind->n, behind->u);
    rate = {dn * 0.5 / kDifference, dot(contact.t1, du), dot(contact.t2, du)};
  }
  const Vec3d& u = contact.u_before;
  rate += {calc_return(u[0], point.gap), calc_return(u[1], 0.0), calc_return(u[2], 0.0)};
  return contact.u_free + rate;
}

// Normal and friction of a contact that slides, per N of the normal; false: it sticks.
bool EventContacts::find_friction(int i, Vec3d& along) const {
  if (find_row(i)) return false;
  const ContactMode& mode = *find_closed(s.main.contact.points[i].id);
  if (!mode.slides) return false;
  const contact::PointContact& contact = s.main.contact.contacts[i];
  along = {1.0, 0.0, 0.0};
  if (contact.material.friction == 0.0) return true;
  Vec3d slip(0.0, contact.u_before[1], contact.u_before[2]);
  const Vec3d start(0.0, dot(contact.t1, mode.direction), dot(contact.t2, mode.direction));
  // beyond a stop friction goes on as before, so that the stop is a clean zero to look for
  if (dot(slip, start) < kSlow) slip = start;
  along = nmadd(contact.material.friction / norm(slip), slip, along);
  return true;
}

// Notes a constraint's force and acceleration.
void EventContacts::feel(int i, const Keep& keep, const Vec3d& f, const Vec3d& a) const {
  if (const contact::JointRow* row = find_row(i)) {
    const std::uint64_t id = name_of(*row);
    if (is_joint_friction(id))
      s.felt.push_back(
          {id, 0.0, 0.0, {a[0], 0.0, 0.0}, {f[0], 0.0, 0.0}, model().friction[row->index]});
    else if (keep(id))
      s.felt.push_back({id, f[0], a[0], {}, {}, 0.0});
    return;
  }
  const contact::PointContact& contact = s.main.contact.contacts[i];
  s.felt.push_back({s.main.contact.points[i].id, f[0], a[0],
                    madd(a[1], contact.t1, a[2] * contact.t2),
                    madd(f[1], contact.t1, f[2] * contact.t2), contact.material.friction * f[0]});
}

}  // namespace stance::sim
