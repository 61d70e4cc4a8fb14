#include "stance/run/simulation.h"

#include <algorithm>
#include <cmath>

#include "stance/scene/start_check.h"
#include "stance/sim/state_bytes.h"
#include "stance/sim/step.h"
#include "stance/sim/transfer.h"

namespace stance::run {
namespace {

std::vector<sim::Monitor::Faller> find_fallers(const scene::Part& part) {
  std::vector<sim::Monitor::Faller> out;
  for (const scene::PartRobot& robot : part.robots)
    if (robot.base)
      out.push_back({robot.name.empty() ? part.compiler->spec().name : robot.name, *robot.base});
  return out;
}

std::int64_t count_steps(const scene::Scene& scene, const sim::State& state) {
  if (!(state.time >= 0.0) || !(state.time / scene.spec().step < 1e15))
    throw Error("the moment to go on from has no time");
  return std::llround(state.time / scene.spec().step);
}

// A state goes on only in a world like its own.
const sim::State& check_fit(const scene::Part& part, const sim::State& state) {
  if (const std::string problem = sim::find_misfit(state, part.scene.world, part.scene.start);
      !problem.empty())
    throw Error("the moment to go on from is of another scene: " + problem);
  return state;
}

}  // namespace

EditedScene apply_edits(const scene::Scene& scene, const std::vector<SceneEdit>& edits,
                        std::int64_t begins) {
  auto compiler = std::make_shared<scene::Compiler>(*scene.compiler);
  for (const SceneEdit& edit : edits) compiler->apply(edit.edit, edit.steps);
  return {compiler, std::make_unique<scene::Part>(compile_part(compiler, begins))};
}

Simulation::Simulation(scene::Scene scene)
    : Simulation(std::make_shared<const scene::Scene>(std::move(scene))) {}

Simulation::Simulation(scene::Scene scene, const Moment& from)
    : Simulation(std::make_shared<const scene::Scene>(std::move(scene)), from) {}

Simulation::Simulation(std::shared_ptr<const scene::Scene> scene)
    : Simulation(scene, Moment{scene->first.scene.start}, EditedScene{}) {}

Simulation::Simulation(std::shared_ptr<const scene::Scene> scene, const Moment& from)
    : Simulation(scene, from,
                 from.edits.empty()
                     ? EditedScene{}
                     : apply_edits(*scene, from.edits,
                                   from.begins.value_or(count_steps(*scene, from.state)))) {}

Simulation::Simulation(std::shared_ptr<const scene::Scene> scene, const Moment& from,
                       EditedScene edited)
    : scene_(std::move(scene)),
      h_(scene_->spec().step),
      edits_(from.edits),
      edited_(std::move(edited)),
      part_(edited_.part ? edited_.part.get()
                         : &scene_->find_part(count_steps(*scene_, from.state))),
      state_(check_fit(*part_, from.state)),
      scratch_(std::make_unique<sim::Scratch>(part_->scene.world)),
      modules_(std::make_unique<scene::Modules>(part_->make_modules())),
      channels_(std::make_unique<Channels>(*this, *modules_->sensors)),
      monitor_(part_->scene.world, part_->scene.start, find_fallers(*part_)),
      steps_(count_steps(*scene_, from.state)),
      began_(state_.time) {
  scratch_->end.update(part_->scene.world.model, state_.q, state_.v);  // for view()
}

// ---- the loop -----------------------------------------------------------------------------------

Observer::~Observer() {
  if (simulation_) simulation_->detach(*this);
}

Simulation::~Simulation() {
  for (Observer* observer : observers_)
    if (observer) observer->simulation_ = nullptr;
}

// f(observer) for each that is here now; those who leave meanwhile are not called any more.
template <class F>
void Simulation::tell(F&& f) {
  struct Telling {
    explicit Telling(Simulation& owner) : self(owner) { ++self.telling_; }
    ~Telling() {
      if (--self.telling_ == 0) std::erase(self.observers_, nullptr);
    }
    Simulation& self;
  } telling(*this);
  const std::size_t count = observers_.size();
  for (std::size_t k = 0; k < count; ++k)
    if (Observer* observer = observers_[k]) f(*observer);
}

void Simulation::attach(Observer& observer) {
  if (observer.simulation_) observer.simulation_->detach(observer);
  observer.simulation_ = this;
  observers_.push_back(&observer);
  observer.begin(*this);
}

void Simulation::detach(Observer& observer) {
  if (observer.simulation_ != this) return;
  observer.simulation_ = nullptr;
  if (telling_ == 0)
    std::erase(observers_, &observer);
  else
    std::replace(observers_.begin(), observers_.end(), &observer, static_cast<Observer*>(nullptr));
}

void Simulation::adopt(Simulation& other) {
  for (Observer* observer : other.observers_) {
    observer->simulation_ = this;
    observer->on_world(*part_);
  }
  observers_.insert(observers_.begin(), other.observers_.begin(), other.observers_.end());
  other.observers_.clear();
  channels_->adopt(*other.channels_);
}

bool Simulation::advance_to(std::int64_t steps) {
  while (steps_ < steps)
    if (!advance()) return false;
  return true;
}

bool Simulation::advance_until(double time) { return advance_to(std::llround(time / h_)); }

bool Simulation::advance() {
  begin_step();
  return end_step();
}

const sim::StepReport& Simulation::begin_step() {
  update_world();
  take_changes();
  return step();
}

bool Simulation::end_step() {
  if (report_.status & sim::kNotFinite) return false;
  bool goes_on = true;
  tell([&](Observer& observer) {
    if (!observer.after_step(*this, view())) goes_on = false;
  });
  return goes_on;
}

// What observers do from the next step on, told to all of them.
void Simulation::take_changes() {
  const StepAhead ahead{static_cast<std::uint64_t>(steps_ + 1), state_.time};
  tell([&](Observer& maker) {
    changes_.clear();
    maker.before_step(ahead, changes_);
    for (std::size_t k = 0; k < changes_.size(); ++k) {
      try {
        apply(changes_[k]);
      } catch (const Error& error) {
        const Refusal refusal{maker, k, changes_[k], error};
        bool is_taken = false;
        tell([&](Observer& other) { is_taken = is_taken || other.on_refused(refusal); });
        if (!is_taken) throw;
        continue;
      }
      tell([&](Observer& other) { other.on_change(ahead, changes_[k]); });
    }
  });
}

// ---- by hand ------------------------------------------------------------------------------------

void Simulation::update_world() {
  // one after the other: what comes and goes between two would otherwise be left out
  const auto go_on = [&](const scene::Part& part) {
    sim::State next = transfer(part_->scene.world, state_, part.scene);
    check_arrivals(part, next);
    enter(part, std::move(next));
  };
  if (!edited_.part) {
    if (scene_->later.empty() || &scene_->find_part(steps_ + 1) == part_) return;
    for (const scene::Part& next : scene_->later)
      if (next.begins > part_->begins && next.begins <= steps_) go_on(next);
    return;
  }
  for (;;) {
    const auto next = edited_.compiler->find_next(part_->begins);
    if (!next || *next > steps_) return;
    auto later = std::make_unique<scene::Part>(compile_part(edited_.compiler, *next));
    go_on(*later);
    edited_.part = std::move(later);
  }
}

// The world that people want; where it cannot be, this one goes on.
void Simulation::edit(const std::string& source, const scene::Edit& edit) {
  auto compiler =
      std::make_shared<scene::Compiler>(edited_.compiler ? *edited_.compiler : *scene_->compiler);
  compiler->apply(edit, steps_);
  EditedScene next{compiler, std::make_unique<scene::Part>(compile_part(compiler, steps_))};
  sim::State state = transfer(part_->scene.world, state_, next.part->scene);
  check_arrivals(*next.part, state);
  enter(*next.part, std::move(state));
  edits_.push_back({steps_, source, edit});
  edited_ = std::move(next);
}

void Simulation::enter(const scene::Part& part, sim::State state) {
  auto scratch = std::make_unique<sim::Scratch>(part.scene.world);
  auto modules = std::make_unique<scene::Modules>(part.make_modules());
  tell([&](Observer& observer) { observer.on_world(part); });
  const sim::World& before = part_->scene.world;
  const auto was_there = [&](const std::string& name) {
    return before.model.find_body(name).valid();
  };
  for (const std::string& name : part.gone)
    if (was_there(name)) monitor_.add(sim::Event::Kind::kDisappears, state_.time, name, 0.0);
  for (const std::string& name : part.come)
    if (!was_there(name)) monitor_.add(sim::Event::Kind::kAppears, state_.time, name, 0.0);
  scratch->timer = scratch_->timer;
  scratch->end.update(part.scene.world.model, state.q, state.v);
  part_ = &part;
  state_ = std::move(state);
  scratch_ = std::move(scratch), modules_ = std::move(modules);
  channels_->enter(part, *modules_->sensors);
  outside_.change(part.scene.world);
  monitor_.change(part.scene.world, part.scene.start, find_fallers(part));
}

void Simulation::apply(const Change& change) {
  if (const auto* what = std::get_if<scene::Edit>(&change.what)) return edit(change.source, *what);
  sim::InputChange whole{change.source, std::get<sim::Action>(change.what)};
  if (auto* drag = std::get_if<sim::DragBody>(&whole.what); drag && drag->stiffness == 0.0)
    drag->stiffness = spec().interaction.stiffness;
  outside_.apply(part_->scene.world, whole);
}

void Simulation::change(const Change& change) {
  if (telling_ > 0)
    throw Error(
        "an observer that is being called cannot change the simulation: append the change to the "
        "list of before_step, which is taken up before the next step");
  apply(change);
  const StepAhead ahead{static_cast<std::uint64_t>(steps_ + 1), state_.time};
  tell([&](Observer& observer) { observer.on_change(ahead, change); });
}

const sim::StepReport& Simulation::step() {
  if (edited_.part || !scene_->later.empty()) update_world();
  const sim::World& world = part_->scene.world;
  sim::Actuation& actuation = modules_->actuation;
  sim::start_laps(scratch_->timer);
  const sim::Input& input = actuation.update(world, h_, state_, outside_, *scratch_);
  sim::end_lap(scratch_->timer, sim::Stage::kControllers);
  const double began = state_.time;
  report_ = sim::step(world, input, h_, state_, *scratch_);
  sim::start_laps(scratch_->timer);
  for (const sim::Touch& touch : outside_.touches())
    monitor_.add(sim::Event::Kind::kTouch, began, touch.name, 0.0);
  outside_.forget_touches();
  monitor_.watch(world, state_, *scratch_, report_, h_);
  if (!(report_.status & sim::kNotFinite)) {
    outside_.watch(*scratch_);
    actuation.watch(view(), state_);
    channels_->forget();
    ++steps_;
  }
  sim::end_lap(scratch_->timer, sim::Stage::kWatch);
  return report_;
}

sim::StepView Simulation::view() const {
  return {part_->scene.world, state_, *scratch_, modules_->actuation.input(), report_, h_};
}

}  // namespace stance::run
