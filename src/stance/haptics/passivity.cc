#include "stance/haptics/passivity.h"

#include <algorithm>
#include <cmath>

namespace stance::haptics {

double calc_stiffest(double b, double T, double Td, double B) {
  return std::max(0.0, b - std::abs(B)) / (0.5 * T + Td);
}

// ---- timing -----------------------------------------------------------------------------------

void Spread::add(double value, double dt) {
  constexpr double kForget = 0.5;  // s
  if (is_empty_) mean_ = value, is_empty_ = false;
  const double part = std::min(1.0, dt / kForget), off = value - mean_;
  mean_ += part * off;
  variance_ = (1.0 - part) * (variance_ + part * off * off);
}

double Spread::upper() const { return mean_ + std::sqrt(variance_); }

void Timing::tick(double now) {
  last_ = has_ticked_ ? now - before_ : nominal_;
  period_.add(last_, last_);
  before_ = now, has_ticked_ = true;
}

double Timing::period() const { return std::max(nominal_, period_.upper()); }

void Timing::sent(double now, std::uint64_t number) {
  if (newest_ == 0) first_ = number;
  sent_[number % kRemembered] = now;
  newest_ = number;
}

void Timing::applied(double now, std::uint64_t number, double since) {
  if (newest_ == 0 || number < first_ || number > newest_) return;
  // beyond what is remembered it is late by at least that much
  const std::uint64_t known = newest_ - number < kRemembered ? number : newest_ - (kRemembered - 1);
  const double delay = std::max(0.0, now - sent_[known % kRemembered] - since);
  delay_.add(delay, last_);
  is_known_ = true;
}

// ---- energy -----------------------------------------------------------------------------------

namespace {
constexpr double kSameTime = 1e-9;  // s
}

void EnergyAccount::clear() {
  stored_ = 0.0;
  sent_.fill({});
}

void EnergyAccount::moved(const Vec3d& dx, double dt, std::uint64_t before, std::uint64_t applied,
                          double since) {
  if (applied > newest_ || !(dt > 0.0)) return;
  const std::uint64_t oldest = newest_ - std::min<std::uint64_t>(newest_, kRemembered - 1);
  const double last = dot(sent(applied).force, dx);
  double earlier = last;
  for (std::uint64_t k = std::max(before, oldest); k < applied; ++k) {
    const double work = dot(sent(k).force, dx);
    earlier = k == std::max(before, oldest) ? work : std::max(earlier, work);
  }
  const double part = since > dt - kSameTime ? 1.0 : std::max(0.0, since / dt);
  stored_ += b_ * dot(dx, dx) / dt - part * last - (1.0 - part) * earlier;
}

void EnergyAccount::anchor_moved(const Vec3d& dx, const Vec3d& wanted) {
  const double whole = dot(wanted, dx);
  stored_ += whole > 0.0 ? whole : dot(sent(newest_).force, dx);
}

void EnergyAccount::keep(double spring_energy) {
  stored_ = std::min(stored_, spring_energy + kSpare);
}

Vec3d EnergyAccount::limit(const Vec3d& wanted, double period, std::uint64_t number,
                           std::uint64_t applied) {
  // what is on its way, and what may go on acting until the first of that arrives
  double reserved = 0.0;
  const std::uint64_t oldest = newest_ - std::min<std::uint64_t>(newest_, kRemembered - 1);
  if (newest_ > applied)
    for (std::uint64_t k = std::max(applied + 1, oldest); k <= newest_; ++k)
      reserved += sent(k).reserve;
  const double free = std::max(0.0, stored_ - reserved);
  const double most = 2.0 * std::sqrt(b_ * free / period), size = norm(wanted);
  const Vec3d force = size > most ? (most / size) * wanted : wanted;
  held_back_ = size - norm(force);
  share_ = size > most ? most / size : 1.0;
  newest_ = number;
  const double kept = norm(force);
  sent_[number % kRemembered] = {force, b_ > 0.0 ? kept * kept * period / (4.0 * b_) : 0.0};
  return force;
}

}  // namespace stance::haptics
