#pragma once

// What viewers do to a simulation: drags, pushes, joint targets; who holds what. Lives on the
// physics thread.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stance/run/change.h"

namespace stance::view {

using kernel::Vec3d;

class Hands {
 public:
  using Targets = std::map<std::string, double>;  // by joint

  // Begins a viewer's drag or moves it. Returns what is wrong, or nothing.
  std::string drag(int viewer, const std::string& body, const Vec3d& point, const Vec3d& target);
  void push(int viewer, const std::string& body, const Vec3d& point, const Vec3d& force,
            double until);
  void release(int viewer);  // its drag; a push runs out by itself
  void set_target(const std::string& joint, std::optional<double> value);

  // What changes with the step that begins at `time`.
  void before_step(double time, std::vector<run::Change>& changes);

  // The simulation goes on in a run that knows of nothing: all that holds is told again.
  void repeat();
  // It goes on elsewhere: hands let go, joints have these targets.
  void restart(const Targets& targets);

  // The world changed: what was done to things that are gone ends.
  void forget(const std::function<bool(const std::string&)>& is_there);

  // A number for the targets that hold now, and what it stands for; numbers below `oldest` are not
  // asked for any more.
  std::uint32_t number_targets();
  Targets find_targets(std::uint32_t number) const;
  void forget_targets(std::uint32_t oldest);

  // The viewer whose drag has this source; 0 when it is no viewer's.
  static int find_viewer(const std::string& source);

 private:
  struct Drag {
    int viewer = 0;
    std::string source;
    sim::DragBody what;
  };
  struct Push {
    std::string source;
    sim::PushBody what;
    double until = 0.0;  // s
  };

  void tell(const std::string& source, const sim::Action& what);

  std::vector<Drag> drags_;
  std::vector<Push> pushes_;
  Targets targets_;
  std::vector<sim::InputChange> pending_;
  std::deque<Targets> kept_;  // numbered from first_ on
  std::uint32_t first_ = 0;
  bool is_kept_ = false;  // the last of kept_ is what holds
};

}  // namespace stance::view
