#pragma once

// People who pull at a humanoid that holds a beam, made from a seed: slow and jerky, at the beam,
// its ends, the hands and the chest, in all directions.

#include <string>
#include <vector>

#include "stance/kernel/random.h"
#include "stance/run/observer.h"

namespace stance::bench {

// How somebody pulls.
enum class PullKind { kSlow, kJerky, kShove, kTurn };
inline constexpr int kPullKinds = 4;

class Puller final : public run::Observer {
 public:
  // Of the bodies named, the seed chooses which ones and how.
  Puller(std::uint64_t seed, std::vector<std::string> bodies);

  // "slow at beam (500 N/m, 5 cm)"
  std::string describe() const;

  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override;

 private:
  struct Hand {
    std::string source, body;
    PullKind kind = PullKind::kSlow;
    kernel::Vec3d point, home;  // m, on the body; in the world where it was taken hold of
    kernel::Vec3d to;           // m, from home
    kernel::Vec3d rate, phase;  // of slow motions, rad/s and rad
    double stiffness = 0.0;     // N/m
    double far = 0.0;           // m
    double force = 0.0;         // N, of shoves
    double next = 0.0;          // s, when it changes its mind
    bool holds = false;
  };
  Hand make_hand(const std::string& source, const std::vector<std::string>& bodies);
  void begin(run::Simulation& simulation) override { simulation_ = &simulation; }
  void act(Hand& hand, double time, std::vector<run::Change>& changes);
  kernel::Vec3d find_place(const Hand& hand) const;
  kernel::Vec3d make_direction();

  kernel::Random random_;
  const run::Simulation* simulation_ = nullptr;
  std::vector<Hand> hands_;
};

}  // namespace stance::bench
