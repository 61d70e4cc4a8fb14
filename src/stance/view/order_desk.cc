#include "stance/view/order_desk.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "stance/io/contact_law.h"
#include "stance/kernel/overloaded.h"
#include "stance/sim/state_bytes.h"

namespace stance::view {
namespace {

constexpr std::size_t kMostOrders = 1024;
constexpr std::size_t kMostLater = 256;  // orders that wait for a run
constexpr int kMostBodies = 2000;        // that viewers may add to
constexpr const char* kBecameAnother = "the simulation became another one meanwhile; try again";
constexpr const char* kNotWhileItRuns = "this cannot be done while it runs";

template <class... Kinds>
bool is_one_of(const Ask& asked) {
  return (std::holds_alternative<Kinds>(asked) || ...);
}

// Whether an order changes the run, or what it is.
bool is_about_run(const Order& order) {
  const Ask* const asked = std::get_if<Ask>(&order.task);
  return asked &&
         is_one_of<ask::Law, ask::Gravity, ask::Add, ask::Remove, ask::Continue, ask::Record>(
             *asked);
}

bool needs_scene(const Ask& asked) {
  return !is_one_of<ask::Pause, ask::Play, ask::Speed, ask::Release>(asked);
}

}  // namespace

OrderDesk::OrderDesk(LiveRun& live, Publisher& publisher, Outbox& outbox)
    : live_(live), publisher_(publisher), outbox_(outbox), orders_(kMostOrders) {}

void OrderDesk::take_orders() {
  std::unique_ptr<Order> order;
  // what came while another run was being made, until one of them makes another again
  while (!live_.is_waiting() && !later_.empty()) {
    order = std::move(later_.front());
    later_.erase(later_.begin());
    take(std::move(order));
  }
  for (int k = 0; k < 64 && orders_.pop(order); ++k) {
    const bool waits = (live_.is_waiting() || !later_.empty()) && is_about_run(*order);
    if (!waits)
      take(std::move(order));
    else if (later_.size() < kMostLater)
      later_.push_back(std::move(order));
    else
      refuse(std::move(order), "the simulator is busy; try again");
  }
}

void OrderDesk::take(std::unique_ptr<Order> order) {
  try {
    std::visit(kernel::Overloaded{[&](Ask& asked) { obey_viewer(asked, *order); },
                                  [&](auto& task) { obey(task, *order); }},
               order->task);
  } catch (const std::exception& error) {
    order->answer.problem = error.what();
  }
  answer(std::move(order));
}

void OrderDesk::refuse(std::unique_ptr<Order> order, const std::string& problem) {
  order->answer.problem = problem;
  answer(std::move(order));
}

void OrderDesk::answer(std::unique_ptr<Order> order) {
  publisher_.touch();
  outbox_.answer(std::move(order));
}

// ---- of the program -----------------------------------------------------------------------------

void OrderDesk::obey(const Order::Leave&, Order& order) {
  live_.hands().release(order.viewer);
  publisher_.leave(order.viewer);
}

void OrderDesk::obey(Order::Enter& enter, Order& order) {
  const std::optional<PastMoment>& past = enter.past;
  if (past && enter.epoch != live_.epoch()) throw Error(kBecameAnother);
  order.answer.ended = live_.end_recording();
  if (auto known = past ? publisher_.find_description(past->scene) : nullptr)
    enter.stage->description = std::move(known);
  const std::uint32_t scene = live_.stage() ? live_.stage()->description->scene : 0;
  const bool is_same_world = enter.stage->description->scene == scene;
  live_.enter(enter.stage, past ? past->targets : Hands::Targets());
  if (past) live_.play();
  publisher_.enter(*live_.stage(), is_same_world, past ? std::optional(past->time) : std::nullopt);
  if (past) return;
  for (auto& waiting : std::exchange(later_, {})) refuse(std::move(waiting), kBecameAnother);
}

void OrderDesk::obey(Order::Record& record, Order&) {
  live_.wait(false);
  // the recording goes back to be thrown away
  if (record.epoch != live_.epoch() || live_.is_recording()) throw Error(kBecameAnother);
  live_.record(record.stage, std::move(record.recording));
}

void OrderDesk::obey(const Order::GoOn& go_on, Order& order) {
  live_.wait(false);
  order.answer.problem = go_on.problem;
}

void OrderDesk::obey(const Order::Told&, Order&) {}

// ---- of viewers: time ---------------------------------------------------------------------------

void OrderDesk::obey_viewer(const Ask& asked, Order& order) {
  if (!live_.stage() && needs_scene(asked)) throw Error("there is no scene yet");
  std::visit([&](const auto& ask) { obey(ask, order); }, asked);
}

void OrderDesk::obey(const ask::Pause&, Order&) { live_.pause(); }

void OrderDesk::obey(const ask::Play&, Order&) {
  publisher_.show_present();
  live_.play();
}

void OrderDesk::obey(const ask::Step& ask, Order&) {
  publisher_.show_present();
  live_.step(ask.count);
}

void OrderDesk::obey(const ask::Speed& ask, Order&) {
  live_.set_speed(ask.factor);
  publisher_.restart_speed();
}

const Timeline::Entry& OrderDesk::find_past(double time) const {
  const Timeline::Entry* entry = publisher_.timeline().find(time);
  if (!entry) throw Error("there is no past yet");
  return *entry;
}

void OrderDesk::obey(const ask::Seek& ask, Order&) {
  if (!ask.time)
    publisher_.show_present();
  else
    publisher_.show_past(find_past(*ask.time));
}

void OrderDesk::obey(const ask::Continue& ask, Order& order) {
  const Timeline::Entry& entry = find_past(ask.time);
  Branch branch{live_.run().moment(), live_.stage()->loaded, live_.epoch()};
  sim::read_bare(publisher_.timeline().state(entry), branch.from.state);
  branch.from.edits.resize(entry.edits);  // later ones are forgotten too
  branch.past = {entry.time, entry.scene, live_.hands().find_targets(entry.holds)};
  order.answer.branch = std::move(branch);
  live_.wait(true);
}

void OrderDesk::obey(const ask::Record& ask, Order& order) {
  if (!ask.on) {
    if (!live_.is_recording()) throw Error("nothing is being recorded");
    order.answer.ended = live_.end_recording();
    return;
  }
  if (live_.is_recording()) throw Error("it is being recorded already");
  // a fresh run of this state is made and recorded; until then time stands still
  order.answer.branch = Branch{live_.run().moment(), live_.stage()->loaded, live_.epoch()};
  live_.wait(true);
}

// ---- of viewers: hands --------------------------------------------------------------------------

void OrderDesk::check_present() const {
  if (publisher_.is_past()) throw Error("the past is shown, and cannot be touched");
}

void OrderDesk::check_moving(const std::string& name) const {
  if (!live_.find_moving(name)) throw Error(fmt::format("there is no '{}' that can move", name));
}

void OrderDesk::obey(const ask::Drag& ask, Order& order) {
  check_present();
  check_moving(ask.body);
  order.answer.problem = live_.hands().drag(order.viewer, ask.body, ask.point, ask.target);
}

void OrderDesk::obey(const ask::Push& ask, Order& order) {
  check_present();
  check_moving(ask.body);
  live_.hands().push(order.viewer, ask.body, ask.point, ask.force,
                     live_.run().state().time + ask.seconds);
}

void OrderDesk::obey(const ask::Release&, Order& order) { live_.hands().release(order.viewer); }

void OrderDesk::obey(const ask::Target& ask, Order&) {
  check_present();
  const model::BodyIndex body = model().find_joint(ask.joint);
  if (!body.valid() || body == model::BodyIndex(0) || model().joint_nq(body) != 1)
    throw Error(fmt::format("there is no joint '{}' of one coordinate", ask.joint));
  if (ask.value) {
    constexpr double kFarthest = 1e3;  // rad or m, of joints without limits
    const int k = model().v_start[body];
    const double low = std::max(model().lower[k], -kFarthest);
    const double high = std::min(model().upper[k], kFarthest);
    if (!(*ask.value >= low && *ask.value <= high))
      throw Error(fmt::format("'{}' goes from {:g} to {:g}", ask.joint, low, high));
  }
  live_.hands().set_target(ask.joint, ask.value);
}

// ---- of viewers: what they look at --------------------------------------------------------------

void OrderDesk::obey(const ask::Select& ask, Order& order) {
  publisher_.select(order.viewer, {});
  if (!ask.body) return;
  const model::BodyIndex body = model().find_body(*ask.body);
  if (!body.valid() || body == model::BodyIndex(0))
    throw Error(fmt::format("there is no body '{}' that can move", *ask.body));
  publisher_.select(order.viewer, int(body));
}

void OrderDesk::obey(const ask::Watch& ask, Order& order) {
  order.answer.details = publisher_.watch(order.viewer, ask.channels, *live_.stage());
}

// ---- of viewers: the scene ----------------------------------------------------------------------

// The server's thread has these done where there is a scene.
void OrderDesk::obey(const ask::Reset&, Order&) { throw Error(kNotWhileItRuns); }
void OrderDesk::obey(const ask::Load&, Order&) { throw Error(kNotWhileItRuns); }
void OrderDesk::obey(const ask::Set&, Order&) { throw Error(kNotWhileItRuns); }

// Other objects, gravity or law: at once, since people look.
void OrderDesk::begin_edit() {
  check_present();
  live_.update_world();
}

void OrderDesk::edit(int viewer, const scene::Edit& edit) {
  live_.edit(fmt::format("viewer {}", viewer), edit);
  publisher_.refresh();
}

void OrderDesk::obey(const ask::Law& ask, Order& order) {
  begin_edit();
  edit(order.viewer, scene::SetLaw{io::parse_contact_law(ask.law)});
}

void OrderDesk::obey(const ask::Gravity& ask, Order& order) {
  begin_edit();
  edit(order.viewer, scene::SetGravity{ask.value});
}

void OrderDesk::obey(const ask::Remove& ask, Order& order) {
  begin_edit();
  edit(order.viewer, scene::RemoveObject{ask.body});
}

void OrderDesk::obey(const ask::Add& ask, Order& order) {
  begin_edit();
  if (model().nbody > kMostBodies)
    throw Error(fmt::format("there are {} bodies already; remove some first", kMostBodies));
  scene::ObjectSpec object;
  do object.name = fmt::format("object{}", ++last_object_);
  while (model().find_frame(object.name).valid());
  object.shape = ask.shape;
  object.mass = ask.mass;
  object.pose.position = ask.position, object.velocity = ask.velocity;
  order.answer.details = AddedBody{object.name};
  edit(order.viewer, scene::AddObjects{object.name, {object}});
}

}  // namespace stance::view
