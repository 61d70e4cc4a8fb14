#pragma once

// The contacts of a small system that moves from event to event (event_driven.h): how they are, and
// the forces between those that are closed.

#include <functional>

#include "stance/sim/event_driven.h"

namespace stance::sim {

struct EventContacts {
  using Doubles = std::span<const double>;
  using Seen = EventScratch::Seen;
  using Felt = EventScratch::Felt;

  static constexpr double kSlow = 1e-9;    // m/s: sliding that is not worth a direction
  static constexpr double kReturn = 20.0;  // 1/s: how fast drift of a closed contact is taken back

  // True for ids of dry friction in a joint.
  static bool is_joint_friction(std::uint64_t id);

  const model::Model& model() const { return w.model; }

  // ---- as they are

  // Contacts, joint limits and dry friction at some q and v.
  void look(Doubles q, Doubles v, std::vector<Seen>& out) const;
  ContactMode* find_closed(std::uint64_t id) const;
  static const Seen* find_seen(const std::vector<Seen>& list, std::uint64_t id);
  // The joint row of a constraint of the problem at hand, or null for a contact point; its name.
  const contact::JointRow* find_row(int i) const;
  static std::uint64_t name_of(const contact::JointRow& row);

  // ---- accelerations

  // vdot of the free system at q and v.
  void calc_free(Doubles q, Doubles v, std::span<double> vdot) const;

  // vdot with the forces of closed contacts; leaves what they feel in s.felt.
  void accelerate(Doubles q, Doubles v, std::span<double> vdot) const;

  // ---- contact problems

  using Keep = std::function<bool(std::uint64_t id)>;
  // Contacts and joint rows that `keep` wants, assembled for `free` in the place of free
  // velocities.
  void assemble(Doubles q, Doubles v, Doubles free, const Keep& keep) const;

  // Of a constraint i of the problem.
  struct Terms {
    Keep keep;
    std::function<Vec3d(int i)> calc_q;
    std::function<bool(int i, Vec3d& along)> find_direction;  // of a sliding contact's force
    std::function<void(int i, const Vec3d& p, const Vec3d& u)> take;  // its answer, p and W p + q
  };
  // Solves the groups; leaves the impulses in s.main.contact.
  void solve(const Terms& terms) const;

  // v += M^-1 (sum of J^T impulses), for velocities and accelerations alike
  void apply(std::span<double> v) const;

  const World& w;
  const Input& in;
  const EventOptions& options;
  EventScratch& s;

 private:
  void solve_group(int g, const Terms& terms) const;
  void slide(int k, const Vec3d& along) const;
  void find_rates(Doubles q, Doubles v) const;
  Vec3d calc_acceleration(int i) const;
  bool find_friction(int i, Vec3d& along) const;
  void feel(int i, const Keep& keep, const Vec3d& f, const Vec3d& a) const;
};

}  // namespace stance::sim
