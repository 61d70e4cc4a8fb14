#pragma once

// What surfaces are made of.

#include <optional>
#include <vector>

namespace stance::contact {

struct Material {
  double friction = 0.5;          // Coulomb's coefficient
  double restitution = 0.0;       // Newton's, 0 plastic to 1 elastic
  double torsion_friction = 0.0;  // m: torque about the normal over the normal force
  double rolling_friction = 0.0;  // m: torque across the normal over the normal force

  bool has_spin() const { return torsion_friction > 0.0 || rolling_friction > 0.0; }
};

// Of two surfaces that meet: friction is the geometric mean (ice on anything is ice), the others
// the larger of the two (a rubber ball bounces off any floor, and rolls as badly).
Material combine(const Material& a, const Material& b);

// What two materials have where they meet, instead of what combine gives; what is left out stays.
struct PairRule {
  int a = 0, b = 0;
  std::optional<double> friction = {}, restitution = {}, torsion_friction = {},
                        rolling_friction = {};
};

// The materials of a world, and those of every two that meet. Number 0 is always there.
class MaterialTable {
 public:
  MaterialTable(const Material& first = {}) : materials_{first} { update(); }

  int add(const Material& material);  // its number
  void set(int number, const Material& material);
  void add_rule(const PairRule& rule);  // later ones of the same pair win

  int size() const { return static_cast<int>(materials_.size()); }
  const Material& operator[](int number) const { return materials_[number]; }
  const Material& pair(int a, int b) const { return pairs_[a * materials_.size() + b]; }
  const std::vector<Material>& pairs() const { return pairs_; }  // all of them, row by row

 private:
  void update();

  std::vector<Material> materials_;
  std::vector<PairRule> rules_;
  std::vector<Material> pairs_;
};

}  // namespace stance::contact
