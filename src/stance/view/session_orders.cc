// What the physics thread is asked to do, order by order.

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "stance/io/contact_law.h"
#include "stance/sim/state_bytes.h"
#include "stance/view/session.h"

namespace stance::view {
namespace {

constexpr std::size_t kMostLater = 256;  // orders that wait for a run
constexpr const char* kBecameAnother = "the simulation became another one meanwhile; try again";
constexpr int kMostBodies = 2000;  // that viewers may add to

// Whether an order changes the run, or what it is.
bool is_about_run(const Order& order) {
  using Kind = Request::Kind;
  if (order.task != Order::Task::kRequest) return false;
  switch (order.request.kind) {
    case Kind::kLaw:
    case Kind::kGravity:
    case Kind::kAdd:
    case Kind::kRemove:
    case Kind::kContinue:
    case Kind::kRecord: return true;
    default: return false;
  }
}

}  // namespace

void Session::take_orders() {
  std::unique_ptr<Order> order;
  // what came while another run was being made, until one of them makes another again
  while (!is_waiting_ && !later_.empty()) {
    order = std::move(later_.front());
    later_.erase(later_.begin());
    take_order(std::move(order));
  }
  for (int k = 0; k < 64 && orders_.pop(order); ++k) {
    const bool waits = (is_waiting_ || !later_.empty()) && is_about_run(*order);
    if (!waits)
      take_order(std::move(order));
    else if (later_.size() < kMostLater)
      later_.push_back(std::move(order));
    else
      answer(std::move(order), "the simulator is busy; try again");
  }
}

void Session::take_order(std::unique_ptr<Order> order) {
  std::string problem;
  try {
    obey(*order);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  answer(std::move(order), problem);
}

void Session::answer(std::unique_ptr<Order> order, const std::string& problem) {
  if (!problem.empty()) order->problem = problem;
  is_dirty_ = true;
  pending_.push_back({kAnswer, order.release()});
  send_pending();
}

void Session::obey(Order& order) {
  switch (order.task) {
    case Order::Task::kRequest: return obey_request(order);
    case Order::Task::kLeave:
      hands_.release(order.viewer);
      std::erase_if(watches_, [&](const Watch& w) { return w.viewer == order.viewer; });
      std::erase_if(selected_, [&](const Selected& s) { return s.viewer == order.viewer; });
      return;
    case Order::Task::kEnter: return enter(order);
    case Order::Task::kRecord: return record(order);
    case Order::Task::kGoOn: is_waiting_ = false; return;
    case Order::Task::kTold: return;
  }
}

void Session::obey_request(Order& order) {
  using Kind = Request::Kind;
  const Request& request = order.request;
  const bool needs_scene = request.kind != Kind::kPause && request.kind != Kind::kPlay &&
                           request.kind != Kind::kSpeed && request.kind != Kind::kRelease;
  if (!stage_ && needs_scene) {
    order.problem = "there is no scene yet";
    return;
  }
  switch (request.kind) {
    case Kind::kPause: is_paused_ = true, steps_wanted_ = 0; return;
    case Kind::kPlay: go_to_present(), is_paused_ = false, steps_wanted_ = 0; return;
    case Kind::kStep:
      go_to_present(), is_paused_ = true;
      steps_wanted_ = std::min(steps_wanted_ + request.count, 100000);
      return;
    case Kind::kSpeed: speed_ = *request.number, speed_since_ = 0; return;
    case Kind::kDrag:
    case Kind::kPush: return obey_drag(order);
    case Kind::kRelease: hands_.release(order.viewer); return;
    case Kind::kTarget: return obey_target(order);
    case Kind::kSelect: return obey_select(order);
    case Kind::kWatch: return obey_watch(order);
    case Kind::kSeek: return obey_seek(order);
    case Kind::kContinue: return obey_continue(order);
    case Kind::kRecord:
      if (!request.flag) {
        if (!recording_) order.problem = "nothing is being recorded";
        end_recording(order);
      } else if (recording_) {
        order.problem = "it is being recorded already";
      } else {
        // a fresh run of this state is made and recorded; until then time stands still
        is_waiting_ = true;
        order.from = stage_->run->moment();
        order.epoch = epoch_, order.loaded = stage_->loaded;
      }
      return;
    case Kind::kLaw:
    case Kind::kGravity:
    case Kind::kAdd:
    case Kind::kRemove: return obey_edit(order);
    case Kind::kReset:
    case Kind::kLoad:
    case Kind::kSet: order.problem = "this cannot be done while it runs"; return;
  }
}

void Session::enter(Order& order) {
  const bool goes_on = order.cut.has_value();
  if (goes_on && order.epoch != epoch_) {
    order.problem = kBecameAnother;
    return;
  }
  end_recording(order);
  leave_simulation();
  const std::uint32_t scene_before = stage_ ? stage_->description->scene : 0;
  std::swap(stage_, order.stage);
  join_simulation();
  ++epoch_;
  is_waiting_ = false;
  events_seen_ = 0;
  past_.reset();
  if (goes_on) {
    timeline_.cut_after(*order.cut);
    is_paused_ = false;
    for (const auto& known : descriptions_)
      if (known->scene == order.scene) stage_->description = known;
  } else {
    timeline_.clear();
    descriptions_.clear();
    for (auto& waiting : std::exchange(later_, {})) answer(std::move(waiting), kBecameAnother);
  }
  if (stage_->description->scene == scene_before) {
    renew_watches();
  } else {
    // pages may have had this world already, as a past: they are told again, and ask again
    watches_.clear(), selected_.clear();
    shown_scene_ = 0;
  }
  steps_wanted_ = 0;
  is_fresh_ = true;
  hands_.restart(order.targets);
  if (!goes_on || stage_->description->scene != order.scene)
    descriptions_.push_back(stage_->description);
  flags_ = 0, worst_residual_ = worst_penetration_ = step_time_ = 0.0, step_count_ = 0;
  figures_ = {};
  speed_since_ = 0;
}

void Session::record(Order& order) {
  is_waiting_ = false;
  if (order.epoch != epoch_ || recording_) {
    order.problem = kBecameAnother;
    return;  // and the recording goes back to be thrown away
  }
  order.stage->description = stage_->description;
  std::swap(stage_, order.stage);
  stage_->run->adopt(*order.stage->run);
  stage_->meshes = std::move(order.stage->meshes);
  renew_watches();
  events_seen_ = 0;
  hands_.repeat();
  recording_ = std::move(order.recording);
  recorded_from_ = stage_->run->state().time;
}

void Session::end_recording(Order& order) {
  if (!recording_) return;
  recording_->leave();
  order.recording = std::move(recording_);
  const sim::Monitor& monitor = stage_->run->monitor();
  order.recorded = {monitor.summary(),
                    monitor.events(),
                    monitor.events_left_out(),
                    stage_->run->time() - recorded_from_,
                    {}};
}

// A link or object that can be pulled at; the pointer is of its frame.
const model::Frame* Session::find_moving(const std::string& name) const {
  const model::Model& model = stage_->part->scene.world.model;
  const model::FrameIndex index = model.find_frame(name);
  if (!index.valid() || model.frames[index].body == model::BodyIndex(0)) return nullptr;
  return &model.frames[index];
}

void Session::obey_drag(Order& order) {
  const Request& request = order.request;
  if (past_) {
    order.problem = "the past is shown, and cannot be touched";
  } else if (!find_moving(*request.name)) {
    order.problem = fmt::format("there is no '{}' that can move", *request.name);
  } else if (request.kind == Request::Kind::kDrag) {
    order.problem = hands_.drag(order.viewer, *request.name, request.point, request.vector);
  } else {
    hands_.push(order.viewer, *request.name, request.point, request.vector,
                stage_->run->state().time + *request.number);
  }
}

void Session::obey_target(Order& order) {
  const model::Model& model = stage_->part->scene.world.model;
  const std::string& name = *order.request.name;
  const model::BodyIndex body = model.find_joint(name);
  if (past_) {
    order.problem = "the past is shown, and cannot be touched";
    return;
  }
  if (!body.valid() || body == model::BodyIndex(0) || model.joint_nq(body) != 1) {
    order.problem = fmt::format("there is no joint '{}' of one coordinate", name);
    return;
  }
  if (order.request.number) {
    constexpr double kFarthest = 1e3;  // rad or m, of joints without limits
    const int k = model.v_start[body];
    const double low = std::max(model.lower[k], -kFarthest);
    const double high = std::min(model.upper[k], kFarthest);
    if (!(*order.request.number >= low && *order.request.number <= high)) {
      order.problem = fmt::format("'{}' goes from {:g} to {:g}", name, low, high);
      return;
    }
  }
  hands_.set_target(name, order.request.number);
}

void Session::obey_select(Order& order) {
  std::erase_if(selected_, [&](const Selected& s) { return s.viewer == order.viewer; });
  if (!order.request.name) return;
  const model::BodyIndex body = stage_->part->scene.world.model.find_body(*order.request.name);
  if (!body.valid() || body == model::BodyIndex(0))
    order.problem = fmt::format("there is no body '{}' that can move", *order.request.name);
  else
    selected_.push_back({order.viewer, int(body)});
}

void Session::obey_watch(Order& order) {
  std::erase_if(watches_, [&](const Watch& w) { return w.viewer == order.viewer; });
  Watch watch;
  watch.viewer = order.viewer, watch.number = ++last_watch_;
  watch.names = order.request.channels;
  choose_channels(watch);
  order.details.watch = static_cast<int>(watch.number);
  order.details.columns = watch.columns;
  if (!watch.reader) return;
  watch.batch.reserve(kMostBatch);
  watches_.push_back(std::move(watch));
}

// The world is another object, with the same things in it.
void Session::renew_watches() {
  for (Watch& watch : watches_) choose_channels(watch), watch.rows = 0;
}

// Channels of the world of now.
void Session::choose_channels(Watch& watch) const {
  watch.reader.reset();
  watch.order.clear(), watch.columns.clear();
  std::vector<std::string> wanted;
  for (const std::string& name : watch.names)
    if (stage_->run->channels().is_here(name)) wanted.push_back(name);
  if (wanted.empty()) return;
  watch.reader = std::make_unique<run::ChannelReader>(*stage_->run, wanted);
  watch.values.resize(watch.reader->width());
  // values come in the order of the channels, columns are told in that of the viewer
  std::set<std::string> told;
  for (const std::string& name : watch.names) {
    std::size_t at = 0;
    const bool is_told = !told.insert(name).second;
    for (const sim::Channel& channel : watch.reader->channels()) {
      for (const std::string& column : channel.columns) {
        if (channel.name == name && !is_told) {
          watch.order.push_back(at);
          watch.columns.push_back(column.empty() ? name : name + ":" + column);
        }
        ++at;
      }
    }
  }
}

// Other objects, gravity or law: at once, since people look.
void Session::obey_edit(Order& order) {
  if (past_) {
    order.problem = "the past is shown, and cannot be touched";
    return;
  }
  run::Simulation& run = *stage_->run;
  run.update_world();
  if (stage_->is_world_new()) change_world();
  if (order.request.kind == Request::Kind::kAdd &&
      stage_->part->scene.world.model.nbody > kMostBodies) {
    order.problem = fmt::format("there are {} bodies already; remove some first", kMostBodies);
    return;
  }
  const scene::Edit edit = make_edit(order);
  run.change({fmt::format("viewer {}", order.viewer), edit});
  change_world(std::holds_alternative<scene::SetGravity>(edit) ||
               std::holds_alternative<scene::SetLaw>(edit));
  tell_events();
  is_fresh_ = true;
}

namespace {

scene::ShapeSpec make_shape(const Request& request) {
  const std::vector<double>& size = request.size;
  if (request.shape == "sphere") return scene::SphereSpec{size[0]};
  if (request.shape == "box") return scene::BoxSpec{{size[0], size[1], size[2]}};
  if (request.shape == "capsule") return scene::CapsuleSpec{size[0], size[1]};
  return scene::CylinderSpec{size[0], size[1]};
}

}  // namespace

scene::Edit Session::make_edit(Order& order) {
  const Request& request = order.request;
  switch (request.kind) {
    case Request::Kind::kLaw: return scene::SetLaw{io::parse_contact_law(*request.name)};
    case Request::Kind::kGravity: return scene::SetGravity{request.vector};
    case Request::Kind::kRemove: return scene::RemoveObject{*request.name};
    default: {
      const model::Model& model = stage_->part->scene.world.model;
      scene::ObjectSpec object;
      do object.name = fmt::format("object{}", ++last_object_);
      while (model.find_frame(object.name).valid());
      object.shape = make_shape(request);
      object.mass = *request.number;
      object.pose.position = request.point, object.velocity = request.velocity;
      order.details.body = object.name;
      return scene::AddObjects{object.name, {object}};
    }
  }
}

void Session::obey_seek(Order& order) {
  if (!order.request.number) {
    go_to_present();
    return;
  }
  const Timeline::Entry* entry = timeline_.find(*order.request.number);
  if (!entry) {
    order.problem = "there is no past yet";
    return;
  }
  past_ = *entry;
}

void Session::go_to_present() { past_.reset(); }

void Session::obey_continue(Order& order) {
  const Timeline::Entry* entry = timeline_.find(*order.request.number);
  if (!entry) {
    order.problem = "there is no past yet";
    return;
  }
  order.from = stage_->run->moment();
  sim::read_bare(timeline_.state(*entry), order.from->state);
  order.from->edits.resize(entry->edits);  // later ones are forgotten too
  order.cut = entry->time, order.scene = entry->scene;
  order.epoch = epoch_, order.loaded = stage_->loaded;
  order.targets = hands_.find_targets(entry->holds);
  is_waiting_ = true;
}

}  // namespace stance::view
