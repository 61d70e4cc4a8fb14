#pragma once

// What acts on a simulation from outside the step: controllers, pushes, devices.
//
// A controller looks at the state before a step and fills in a Drive, what sim::Input points to.
// All that it remembers from one step to the next lives in State::memory, so that a copy of the
// State, or a snapshot, goes on bit for bit; members of a controller are parameters and working
// memory only. It is kept by the controller's name, so that it goes on when other controllers come
// or go (transfer.h). What measures is a ChannelSource (channel.h).

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stance/sim/world.h"

namespace stance::sim {

// What acts during one step; fields as in Input.
struct Drive {
  explicit Drive(const World& world);

  std::vector<double> tau, stiffness, damping, target;  // (nv)
  std::vector<double> limit;                            // (nv) infinite where there is none
  std::vector<PointWrench> wrenches;
  std::vector<Vec3d> probes;  // m, world: where people hold their devices' probes

  bool has_limits() const;
  Input input() const;
};

// What a controller may look at: the state at the start of a step of h seconds, and where the
// bodies are in it; the step itself goes on with the same ones.
struct StepStart {
  const World& world;
  const State& state;
  const dynamics::Bodies& bodies;
  double h;
};

class Outside;    // outside.h
struct StepView;  // channel.h

// Someone has taken hold of a body or begun to push it.
struct Touch {
  model::BodyIndex body;
  Vec3d p_B;         // m, in the body's frame
  std::string name;  // as it was called
};

// What acts in every step: looks at the state before it and fills in a Drive.
class Controller {
 public:
  virtual ~Controller() = default;

  // Numbers that it keeps from step to step, and what they are at the start.
  virtual int memory_size() const { return 0; }
  virtual void start(const World&, const State&, std::span<double> /*memory*/) const {}

  // Told once of every touch, before the step in which it begins.
  virtual void notice(const StepStart& /*at*/, const Touch& /*touch*/,
                      std::span<double> /*memory*/) {}

  // Adds to, or changes, what the scene and the controllers before it want. Called once before
  // every step; asks for no memory once warm, never throws.
  virtual void act(const StepStart& at, std::span<double> memory, Drive& drive) = 0;

  // Sees every step that was taken, for what it wants to remember of it: contact forces.
  virtual void watch(const StepView& /*view*/, std::span<double> /*memory*/) {}
};

// A controller of a run; without a name it gets its number.
struct NamedController {
  NamedController(std::string its_name, std::shared_ptr<Controller> made)
      : name(std::move(its_name)), controller(std::move(made)) {}
  template <class T>
  NamedController(std::shared_ptr<T> made) : controller(std::move(made)) {}  // NOLINT: as one

  std::string name;
  std::shared_ptr<Controller> controller;
};

// Everything that acts in a run: what the scene says once and for all, then controllers in their
// order. Without controllers a step costs nothing more.
class Actuation {
 public:
  using Controllers = std::vector<NamedController>;

  // Of controllers with the same name the later ones get a number behind it.
  Actuation(const World& world, const Drive& base, Controllers controllers);

  Actuation(const Actuation&) = delete;  // input_ points into the others
  Actuation(Actuation&&) = default;

  // Gives the controllers their memory.
  void start(const World& world, State& state) const;
  int memory_size() const;
  const Controllers& controllers() const { return controllers_; }

  // The input of the next step of h seconds; valid until the next call. `scratch` is that of the
  // step, and gets its bodies (update_start).
  const Input& update(const World& world, double h, State& state, Scratch& scratch);
  // Also with what comes from outside.
  const Input& update(const World& world, double h, State& state, Outside& outside,
                      Scratch& scratch);
  const Input& input() const { return input_; }  // the last one

  // Shows the controllers a step that was taken; before the next one, if at all.
  void watch(const StepView& view, State& state);

 private:
  // f(controller, its memory) for each, in their order.
  template <class F>
  void for_each(State& state, F&& f) const;

  Drive base_, drive_;
  Controllers controllers_;
  Input quiet_;  // of base_, what is zero left out
  Input input_;
};

}  // namespace stance::sim
