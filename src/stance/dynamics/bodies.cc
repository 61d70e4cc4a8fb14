#include "stance/dynamics/bodies.h"

#include <cstring>

namespace stance::dynamics {
namespace {

// Bit for bit: what is no number is like itself, too.
bool is_same(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

Bodies::Bodies(const Model& model) : known_(std::make_unique<Known>(model)) {
  known_->q.reserve(model.nq), known_->v.reserve(model.nv);
}

Bodies::Bodies(const Bodies& other) : known_(std::make_unique<Known>(*other.known_)) {}

Bodies& Bodies::operator=(const Bodies& other) {
  *known_ = *other.known_;
  return *this;
}

void Bodies::update(const Model& model, std::span<const double> q, std::span<const double> v) {
  if (is_of(q, v)) return;
  Known& x = *known_;
  update_kinematics(model, q, x.kin);
  update_velocities(model, x.kin, v, x.vel);
  update_inertias(model, x.kin, x.inertias);
  x.has_articulated = false;
  x.q.assign(q.begin(), q.end()), x.v.assign(v.begin(), v.end());
}

bool Bodies::is_of(std::span<const double> q, std::span<const double> v) const {
  return is_same(q, known_->q) && is_same(v, known_->v);
}

const Articulated<double>& Bodies::find_articulated(const Model& model) const {
  Known& x = *known_;
  if (!x.has_articulated)
    update_articulated(model, x.kin, x.inertias, std::span<const double>(), x.articulated);
  x.has_articulated = true;
  return x.articulated;
}

}  // namespace stance::dynamics
