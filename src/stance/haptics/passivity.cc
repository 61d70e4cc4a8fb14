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
  late_ = delay, least_ = is_known_ ? std::min(least_, delay) : delay;
  is_known_ = true;
}

void Pace::add(double simulated, double passed) {
  constexpr double kForget = 0.25, kPause = 0.1, kJump = 1.0;  // s
  if (!(passed > 0.0 && passed < kPause && simulated > 0.0 && simulated < kJump)) return;
  const double left = 1.0 - passed / kForget;
  simulated_ = left * simulated_ + simulated, passed_ = left * passed_ + passed;
}

// ---- energy -----------------------------------------------------------------------------------

namespace {
constexpr double kSameTime = 1e-9;  // s
}

void EnergyAccount::clear() {
  stored_ = 0.0;
  sent_.fill({});
}

double EnergyAccount::find_worst(const Vec3d& dx, std::uint64_t first, std::uint64_t last) const {
  double worst = dot(sent(first).force, dx);
  for (std::uint64_t k = first + 1; k <= last; ++k) worst = std::max(worst, dot(sent(k).force, dx));
  return worst;
}

void EnergyAccount::moved(const Vec3d& dx, double shortest, double longest, std::uint64_t before,
                          std::uint64_t applied, double since) {
  if (applied > newest_ || !(longest > 0.0)) return;
  const std::uint64_t oldest = newest_ - std::min<std::uint64_t>(newest_, kRemembered - 1);
  double work = 0.0;
  if (applied < std::max(before, oldest)) {
    work = find_worst(dx, oldest, newest_);
  } else {
    // work is linear in the part of the time that the last force had, so its ends are the worst
    const std::uint64_t first = std::max(before, oldest);
    const double last = dot(sent(applied).force, dx);
    const double earlier = first < applied ? find_worst(dx, first, applied - 1) : last;
    const auto part = [&](double dt) {
      return since > dt - kSameTime ? 1.0 : std::max(0.0, since / dt);
    };
    const double low = part(longest), high = since > 0.0 ? part(shortest) : low;
    work = earlier + (last > earlier ? high : low) * (last - earlier);
  }
  stored_ += b_ * dot(dx, dx) / longest - work;
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
