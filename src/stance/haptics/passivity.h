#pragma once

// Springs that are sampled: how stiff they may be, and an account of energy that holds them back
// where they would give more than they got. README.md has the reasons.

#include <array>
#include <cstdint>

#include "stance/kernel/vec3.h"

namespace stance::haptics {

using kernel::Vec3d;

// b > K (T/2 + Td) + |B|: the stiffness (N/m) that a device of damping b (N s/m) bears with period
// T and delay Td (s), a damper B (N s/m) on its side; 0 where there is none.
double calc_stiffest(double b, double T, double Td, double B);

// Of that, what is used: the rest is for jitter and for what is not known of b.
inline constexpr double kShare = 0.8;

// A mean and the spread about it, of the last half second.
class Spread {
 public:
  void add(double value, double dt);
  // Mean and one deviation. Samples of unequal lengths T leak 1/2 K v^2 T^2 and burn b v^2 T, in
  // sum as equal ones of E[T^2] / E[T] = mean + variance / mean, which is less as long as they vary
  // by less than their mean.
  double upper() const;

 private:
  double mean_ = 0.0, variance_ = 0.0;
  bool is_empty_ = true;
};

// Period and delay as they are met, jitter included. Rarer stalls than that are the account's.
class Timing {
 public:
  explicit Timing(double period) : nominal_(period) {}

  void tick(double now);
  void sent(double now, std::uint64_t number);
  // A sample was seen in which force `number` had been in effect for `since` s. The force that
  // answers it will be as late as that one was.
  void applied(double now, std::uint64_t number, double since);

  double period() const;                           // T, s, never less than was meant
  double delay() const { return delay_.upper(); }  // Td, s
  double last() const { return last_; }            // s, length of the last period
  double late() const { return late_; }            // s, from force to sample, of the last one
  double least() const { return least_; }          // s, the least that this ever was
  bool is_known() const { return is_known_; }      // a force has come through

 private:
  static constexpr int kRemembered = 1024;

  double nominal_, last_ = 0.0, before_ = 0.0, late_ = 0.0, least_ = 0.0;
  Spread period_, delay_;
  bool has_ticked_ = false, is_known_ = false;
  std::array<double, kRemembered> sent_{};  // s, by number modulo kRemembered
  std::uint64_t first_ = 0, newest_ = 0;
};

// Simulated seconds per second of the clock, of the last quarter of a second in which steps were
// made: 1, less where the simulation is slow or slowed down.
class Pace {
 public:
  void add(double simulated, double passed);
  double value() const { return simulated_ / passed_; }

 private:
  double simulated_ = 0.01, passed_ = 0.01;  // s, the older the less
};

// What the coupling got from both sides and has not given back. All in the device's units.
class EnergyAccount {
 public:
  static constexpr double kTrust = 0.9;   // part of the device's damping that is counted on
  static constexpr double kSpare = 5e-3;  // J, kept beyond the spring's own energy

  explicit EnergyAccount(double damping) : b_(kTrust * damping) {}

  // Starts again, with nothing in it.
  void clear();

  // The device moved by dx (m), evenly as far as is known, within a time (s) that is between these:
  // the damping counts by the longest. Force `applied` (its number) was in effect for the last
  // `since` s of it, those from `before` on earlier; the worst of these counts, and the worst of
  // all that is remembered where `applied` is older than that or of another connection.
  void moved(const Vec3d& dx, double shortest, double longest, std::uint64_t before,
             std::uint64_t applied, double since);
  // The other end moved by dx, under the force `wanted`. What it puts in counts as it is; what it
  // takes out, only as far as the device was shown the force.
  void anchor_moved(const Vec3d& dx, const Vec3d& wanted);
  // What the spring holds now; more than that and kSpare is not kept.
  void keep(double spring_energy);

  // The force as far as it may go, for a period (s); remembered under its number.
  Vec3d limit(const Vec3d& wanted, double period, std::uint64_t number, std::uint64_t applied);

  double stored() const { return stored_; }        // J
  double held_back() const { return held_back_; }  // N, by the last limit
  double share() const { return share_; }          // of the wanted force that it let through

 private:
  static constexpr int kRemembered = 256;
  struct Sent {
    Vec3d force{};
    double reserve = 0.0;  // J
  };
  const Sent& sent(std::uint64_t number) const { return sent_[number % kRemembered]; }
  // J, the most that one of these forces, the last included, did over dx
  double find_worst(const Vec3d& dx, std::uint64_t first, std::uint64_t last) const;

  double b_, stored_ = 0.0, held_back_ = 0.0, share_ = 1.0;
  std::array<Sent, kRemembered> sent_{};
  std::uint64_t newest_ = 0;
};

}  // namespace stance::haptics
