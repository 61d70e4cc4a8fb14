#pragma once

// A device's probe in the simulation: it touches bodies (H10) and holds them (H11, A16). Runs on
// the physics thread; acts by changes that are logged like any other.

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "stance/haptics/exchange.h"
#include "stance/haptics/proxy.h"
#include "stance/run/observer.h"

namespace stance::haptics {

struct HapticOptions {
  std::string source = "device";  // of the changes
  double coefficient = 1.0;       // what a touched body feels of the device's force (H10)
  double probe_radius = 0.01;     // m
  double turning = 20.0;          // N m/rad, of the spring that turns what is held, where the
                                  // device has an orientation (A16)
  // Held from the first sample on: OBJECT or ROBOT/LINK, and the point in its frame, m.
  std::string hold{};
  Vec3d hold_point{};
};

// What a viewer shows of it.
struct ProbeView {
  bool is_present = false;
  Vec3d probe{}, proxy{};            // m
  double radius = 0.0;               // m
  std::string held{};                // empty: it touches
  Vec3d point{};                     // m, of the held body
  std::string touched{};             // the body touched most firmly, if any
  Vec3d force{};                     // N, on the device
  double stiffness = 0.0;            // N/m
  double period = 0.0, delay = 0.0;  // s, measured
  double held_back = 0.0;            // N, by the account of energy
};

class HapticModule final : public run::Observer {
 public:
  HapticModule(const HapticOptions& options, Exchange& exchange);
  ~HapticModule() override;

  // What is held stays so, by its name; in another simulation it is taken anew where it is then.
  void begin(run::Simulation& simulation) override;
  void on_world(const scene::Part& part) override;
  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override;
  bool after_step(const run::Simulation& simulation, const sim::StepView& view) override;

  // On the physics thread. The point (m, in the frame of that name) is held where it is when the
  // next step begins. Nothing happens when there is no such thing.
  void attach(const std::string& name, const Vec3d& point);
  void detach();

  // The time that a step takes, s, where no clock can tell: on a simulated one.
  void set_step_cost(double seconds) { step_cost_ = seconds; }

  const ProbeView& view() const { return view_; }

 private:
  struct World;  // working memory that belongs to a world
  void act(std::vector<run::Change>& changes);
  void press();
  void take_anew();
  void pull_held(model::BodyIndex body, const Vec3d& p_B, std::vector<run::Change>& changes);
  void update_held(const sim::StepView& view, const sim::Outside& outside, SceneState& scene);
  void update_touch(const sim::StepView& view, SceneState& scene);
  double calc_touch_stiffness() const;
  sim::PushBody make_push(const Proxy::Touch& touch, double stiffness);
  void push_touched(std::vector<run::Change>& changes);
  void release(const std::string& name, std::vector<run::Change>& changes);

  HapticOptions options_;
  Exchange& exchange_;
  std::unique_ptr<World> world_;
  std::optional<double> step_cost_;
  std::chrono::steady_clock::time_point began_{};
  bool is_slow_ = false;  // steps are, or take, longer than the device's period
  Proxy proxy_;
  ProbeState probe_;
  ProbeView view_;

  // what is held
  std::string held_;
  Vec3d held_point_{};
  bool is_fresh_ = false;    // taken since the last step: the shift is not known yet
  bool is_pulling_ = false;  // a drag is among the inputs
  bool has_begun_ = false;   // in some simulation
  bool has_jumped_ = false;  // the state did, and no step has been seen since
  std::uint64_t hold_ = 0;   // how often something was taken
  Vec3d shift_{}, travel_{};
  bool was_pressed_ = false, was_present_ = false;
  Mat3d grip_turn_ = Mat3d::identity();  // orientation of the held link in the handle's
  bool has_turn_ = false;                // that is known
  std::uint64_t jumps_ = 0;              // of the probe

  std::vector<std::string> pushed_;  // bodies with a wrench from this module
  double felt_ = 1.0;                // of the device's force, by the touched body that feels least
};

}  // namespace stance::haptics
