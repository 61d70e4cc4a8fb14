#include "stance/contact/missed.h"

#include <algorithm>
#include <cmath>

#include "stance/collision/surface_impact.h"
#include "stance/contact/tangents.h"
#include "stance/kernel/rotation.h"

namespace stance::contact {

using collision::ContactPoint;
using collision::Flight;
using collision::GeometryPair;
using dynamics::Kinematics;
using model::Model;

namespace {

// How deep things may come before that counts, m: part of the margin within which all contacts are
// looked for anyway, and thin against the walls that people build.
double calc_slack(double margin) { return std::clamp(0.25 * margin, 2e-5, 2.5e-4); }

// Shapes that move by more than this part of the slack in a step are followed over surfaces.
constexpr double kSurfaceWay = 0.25;
// What comes no deeper than this (m) on its way passes by.
constexpr double kTouch = 1e-6;
// Within the margin rows are kept up to so much more motion sideways.
constexpr double kNearSideways = 8.0;

// Velocity of a body's origin, and of another point.
Vec3d calc_speed(const Kinematics<double>& kin, BodyVelocities V, int body) {
  return V[body].lin + cross(V[body].ang, kin.p_OB[body]);
}
Vec3d calc_speed(const Model& model, const Kinematics<double>& kin, BodyVelocities V, int body,
                 const Vec3d& p_W) {
  if (body == 0) return {};
  return V[body].lin + cross(V[body].ang, p_W - kin.p_WO[model.tree[body]]);
}

// Rate of a gap.
double calc_rate(const Model& model, const Kinematics<double>& kin, BodyVelocities V,
                 const ContactPoint& point, const Vec3d& lag) {
  return dot(point.n_W, calc_speed(model, kin, V, point.body_a, point.p_W) -
                            calc_speed(model, kin, V, point.body_b, point.p_W + lag));
}

bool is_same(GeometryPair x, GeometryPair y) { return x.a == y.a && x.b == y.b; }

void add_suspect(GeometryPair pair, MissedSearch& search) {
  const auto is_it = [&](GeometryPair other) { return is_same(other, pair); };
  // pairs come in order, or are few
  auto& all = search.suspects;
  if (std::find_if(all.rbegin(), all.rend(), is_it) == all.rend()) all.push_back(pair);
}

// Points that close although they are no rows, or although they are.
void add_suspects(const Model& model, const Kinematics<double>& kin, BodyVelocities V, double slack,
                  double h, std::span<const ContactPoint> points, MissedSearch& search) {
  for (const ContactPoint& point : points) {
    if (std::min(point.gap, 0.0) - 0.5 * slack <
        point.gap + h * calc_rate(model, kin, V, point, {}))
      continue;
    add_suspect({std::uint16_t(point.geometry_a), std::uint16_t(point.geometry_b)}, search);
  }
}

// What moves on meshes and height fields, of the pairs that the step looked at: a row of one slope
// says nothing of the next, and rows of those are left out where normals lean (surface_pair.h).
void add_on_surfaces(const Kinematics<double>& kin, BodyVelocities V, double slack, double h,
                     ContactScratch& s) {
  MissedSearch& search = *s.search;
  if (!search.has_surfaces) return;
  for (const GeometryPair pair : s.collision.broad.pairs()) {
    const bool a_is = search.is_surface[pair.a], b_is = search.is_surface[pair.b];
    if (!a_is && !b_is) continue;
    const int i = search.body_of[a_is ? pair.b : pair.a];
    const double way = h * (norm(calc_speed(kin, V, i)) + norm(V[i].ang) * search.extent[i]);
    if (way > kSurfaceWay * slack) search.suspects.push_back(pair);
  }
}

// Bodies that reach farther than contacts were looked for, or turn so far that rows of the start
// pose do not hold.
bool find_fast(const Model& model, const Kinematics<double>& kin, BodyVelocities V, double slack,
               double reach_slack, bool is_penalty, double h, ContactScratch& s) {
  MissedSearch& search = *s.search;
  const collision::Reach none;
  bool is_any = false;
  for (int i = 1; i < model.nbody; ++i) {
    search.is_fast[i] = 0;
    const double extent = search.extent[i];
    if (extent < 0.0) continue;
    const Vec3d v = calc_speed(kin, V, i), &w = V[i].ang;
    const double shift2 = h * h * dot(v, v), turn2 = h * h * dot(w, w);
    // penalty laws see contacts only where things touch
    const collision::Reach& was = is_penalty ? none : s.reach[i];
    const bool is_within = shift2 <= was.shift * was.shift && turn2 <= was.turn * was.turn;
    if (is_within && turn2 * extent <= slack) continue;
    const double more = std::sqrt(shift2) - was.shift + (std::sqrt(turn2) - was.turn) * extent;
    if (more <= reach_slack && turn2 * extent <= slack) continue;
    search.is_fast[i] = is_any = true;
  }
  return is_any;
}

// With the velocities of the start.
Flight make_straight_flight(const Kinematics<double>& kin, BodyVelocities V, int i, double h,
                            const ContactScratch& s) {
  if (i == 0) return {};
  Flight flight;
  flight.R = kin.R_WB[i], flight.p = s.p_WB[i];
  flight.shift = h * calc_speed(kin, V, i), flight.turn = h * V[i].ang;
  return flight;
}

Flight make_flight(const Model& model, const Kinematics<double>& kin, const Kinematics<double>& end,
                   BodyVelocities V, int i, double h, const ContactScratch& s) {
  if (i == 0) return {};
  Flight flight = make_straight_flight(kin, V, i, h, s);
  flight.bend = end.p_WO[model.tree[i]] + end.p_OB[i] - flight.p - flight.shift;
  return flight;
}

// Where a point of a flying body at time t acts on the step's displacement: its arm is that of half
// the turn, so that its way along the chord is the arm's times the turn.
Vec3d find_arm(const Flight& flight, const Vec3d& p_W, double t) {
  const Vec3d r = p_W - flight.position(t);
  return flight.p + kernel::make_rotation(kernel::exp_quat((-0.5 * t) * flight.turn)) * r;
}

}  // namespace

MissedSearch::MissedSearch(const Model& model, const collision::CollisionModel& shapes)
    : extent(model.nbody, -1.0),
      is_fast(model.nbody),
      is_plane(shapes.size()),
      is_surface(shapes.size()),
      body_of(shapes.size()),
      reach(model.nbody),
      flights(model.nbody),
      scratch(shapes) {
  suspects.reserve(256 + shapes.size()), passing.reserve(64), meetings.reserve(64),
      points.reserve(512);
  for (int k = 0; k < shapes.size(); ++k) {
    const collision::Placement& place = shapes.placements[k];
    extent[place.body] = std::max(extent[place.body], place.extent);
    is_plane[k] = shapes.kind[k] == collision::ShapeKind::kPlane;
    is_surface[k] = collision::is_surface(shapes.kind[k]), body_of[k] = place.body;
    has_surfaces = has_surfaces || is_surface[k];
  }
}

void find_passing(const Model& model, const collision::CollisionModel& shapes,
                  const Kinematics<double>& kin, BodyVelocities before, BodyVelocities free,
                  double margin, double h, ContactScratch& s) {
  MissedSearch& search = *s.search;
  search.passing.clear();
  const double slack = calc_slack(margin);
  GeometryPair last{0, 0};
  for (const ContactPoint& point : s.points.points()) {
    const GeometryPair pair{std::uint16_t(point.geometry_a), std::uint16_t(point.geometry_b)};
    if (point.gap <= slack || is_same(pair, last)) continue;
    if (search.is_plane[pair.a] || search.is_plane[pair.b]) continue;
    // would be a row, and moves so far sideways that its feature may be left behind
    const Vec3d v = calc_speed(model, kin, free, point.body_a, point.p_W) -
                    calc_speed(model, kin, free, point.body_b, point.p_W);
    const double now = dot(point.n_W, v);
    const double approach = std::min(now, calc_rate(model, kin, before, point, {}));
    const double sideways = h * norm(nmadd(now, point.n_W, v));
    if (point.gap + h * approach > margin ||
        sideways <= (point.gap > margin ? slack : kNearSideways * slack))
      continue;
    last = pair;
    double time = 0.0;
    const Flight a = make_straight_flight(kin, free, point.body_a, h, s);
    const Flight b = make_straight_flight(kin, free, point.body_b, h, s);
    if (!find_impact(shapes, pair, a, b, kTouch, search.scratch, search.found, time))
      search.passing.push_back(pair);
  }
}

bool is_passing(const ContactPoint& point, const ContactOptions& options,
                const MissedSearch& search) {
  if (search.passing.empty() || point.gap <= calc_slack(options.margin)) return false;
  const GeometryPair pair{std::uint16_t(point.geometry_a), std::uint16_t(point.geometry_b)};
  return std::any_of(search.passing.begin(), search.passing.end(),
                     [&](GeometryPair other) { return is_same(other, pair); });
}

bool may_miss(const Model& model, const Kinematics<double>& kin, BodyVelocities V,
              const ContactOptions& options, bool are_rows_kept, double h, ContactScratch& s) {
  MissedSearch& search = *s.search;
  search.suspects.clear();
  const double slack = calc_slack(options.margin);
  add_on_surfaces(kin, V, slack, h, s);
  search.is_any_fast =
      find_fast(model, kin, V, slack,
                is_penalty(options.law) ? options.margin : std::min(0.25 * options.margin, slack),
                is_penalty(options.law), h, s);
  add_suspects(model, kin, V, slack, h, s.spare, search);
  if (!are_rows_kept) {
    for (const MissedSearch::Meeting& meeting : search.meetings) add_suspect(meeting.pair, search);
    add_suspects(model, kin, V, slack, h, s.points.points(), search);
  }
  return search.is_any_fast || !search.suspects.empty();
}

bool find_meetings(const Model& model, const collision::CollisionModel& shapes,
                   const Kinematics<double>& kin, const Kinematics<double>& end, BodyVelocities V,
                   const ContactOptions& options, double h, ContactScratch& s) {
  MissedSearch& search = *s.search;
  for (int i = 0; i < model.nbody; ++i) {
    const Flight& flight = search.flights[i] = make_flight(model, kin, end, V, i, h, s);
    search.reach[i] = {norm(flight.shift) + norm(flight.bend), norm(flight.turn)};
  }
  if (search.is_any_fast)
    for (const GeometryPair pair :
         find_pairs(shapes, kin.R_WB, s.p_WB, search.reach, 0.0, search.scratch)) {
      const int a = shapes.placements[pair.a].body, b = shapes.placements[pair.b].body;
      if ((a != 0 && search.is_fast[a]) || (b != 0 && search.is_fast[b])) add_suspect(pair, search);
    }

  search.meetings.clear(), search.points.clear();
  const double slack = calc_slack(options.margin);
  for (const GeometryPair pair : search.suspects) {
    double time = 0.0;
    const Flight& a = search.flights[shapes.placements[pair.a].body];
    const Flight& b = search.flights[shapes.placements[pair.b].body];
    if (!find_impact(shapes, pair, a, b, slack, search.scratch, search.found, time)) continue;
    const int first = static_cast<int>(search.points.size());
    const auto found = search.found.points();
    search.points.insert(search.points.end(), found.begin(), found.end());
    search.meetings.push_back({pair, time, first, search.found.size()});
  }
  return !search.meetings.empty();
}

bool keep_crossings(const collision::CollisionModel& shapes, ContactScratch& s) {
  MissedSearch& search = *s.search;
  std::erase_if(search.meetings, [&](const MissedSearch::Meeting& meeting) {
    const Flight& a = search.flights[shapes.placements[meeting.pair.a].body];
    const Flight& b = search.flights[shapes.placements[meeting.pair.b].body];
    return !ends_beyond(shapes, meeting.pair, a, b, search.points[meeting.first].n_W,
                        search.scratch, search.found);
  });
  return !search.meetings.empty();
}

void hold_meetings(const Model& model, const Kinematics<double>& kin,
                   const dynamics::Articulated<double>& art, BodyVelocities V, BodyVelocities after,
                   double h, ContactScratch& s) {
  const MissedSearch& search = *s.search;
  const int room = s.points.size() + static_cast<int>(search.points.size());
  if (room > s.points.capacity()) make_room(2 * room, s);
  for (const MissedSearch::Meeting& meeting : search.meetings) {
    for (int k = meeting.first; k < meeting.first + meeting.count; ++k) {
      const ContactPoint& there = search.points[k];
      ContactPoint& point = *s.points.append();
      PointContact& contact = s.contacts.emplace_back();
      ++s.held;
      point = there;
      point.p_W = find_arm(search.flights[there.body_a], there.p_W, meeting.time);
      contact.lag = find_arm(search.flights[there.body_b], there.p_W, meeting.time) - point.p_W;
      calc_tangents(point.n_W, contact.t1, contact.t2);
      // they may come as near as they do until they touch
      const double way = meeting.time * h * calc_rate(model, kin, V, point, contact.lag);
      point.gap = std::max(there.gap - way, 0.0);
      contact.u = Vec3d(calc_rate(model, kin, after, point, contact.lag), 0.0, 0.0);
    }
  }
  update_groups(model, kin, art, s);
}

void release_meetings(const Model& model, const Kinematics<double>& kin,
                      const dynamics::Articulated<double>& art, ContactScratch& s) {
  if (s.held == 0) return;
  s.points.shrink(s.points.size() - s.held);
  s.contacts.resize(s.points.size());
  s.held = 0;
  update_groups(model, kin, art, s);
}

}  // namespace stance::contact
