#include "stance/contact/material.h"

#include <algorithm>
#include <cmath>

namespace stance::contact {

Material combine(const Material& a, const Material& b) {
  return {std::sqrt(a.friction * b.friction), std::max(a.restitution, b.restitution),
          std::max(a.torsion_friction, b.torsion_friction),
          std::max(a.rolling_friction, b.rolling_friction)};
}

int MaterialTable::add(const Material& material) {
  materials_.push_back(material);
  update();
  return size() - 1;
}

void MaterialTable::set(int number, const Material& material) {
  materials_[number] = material;
  update();
}

void MaterialTable::add_rule(const PairRule& rule) {
  rules_.push_back(rule);
  update();
}

void MaterialTable::update() {
  const std::size_t count = materials_.size();
  pairs_.resize(count * count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b)
      pairs_[a * count + b] = combine(materials_[a], materials_[b]);
  for (const PairRule& rule : rules_)
    for (Material* pair : {&pairs_[rule.a * count + rule.b], &pairs_[rule.b * count + rule.a]}) {
      pair->friction = rule.friction.value_or(pair->friction);
      pair->restitution = rule.restitution.value_or(pair->restitution);
      pair->torsion_friction = rule.torsion_friction.value_or(pair->torsion_friction);
      pair->rolling_friction = rule.rolling_friction.value_or(pair->rolling_friction);
    }
}

}  // namespace stance::contact
