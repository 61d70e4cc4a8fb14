#include "stance/view/hub.h"

#include <algorithm>

#include <fmt/format.h>

namespace stance::view {
namespace {

// Bytes of a state frame without its joints.
Bytes leave_out_joints(const Bytes& state, const JointBlock& joints) {
  Bytes out;
  out.reserve(state.size() - joints.bytes);
  const auto at = state.begin() + static_cast<std::ptrdiff_t>(joints.at);
  out.insert(out.end(), state.begin(), at);
  out.insert(out.end(), at + static_cast<std::ptrdiff_t>(joints.bytes), state.end());
  put_at(out, kJointCountAt, std::uint16_t{0});
  return out;
}

// The user's own names for scenes stand for the paths they were found at.
Place relabel(Place place, const HubOptions& options) {
  for (const OfferedScene& scene : options.scenes)
    if (place.file == scene.path) place.file = scene.entry.file;
  if (place.file == options.first.settings.file) place.file = options.first.label;
  return place;
}

}  // namespace

Hub::Hub(HubOptions options, std::function<void(std::function<void()>)> post,
         std::function<void()> wake)
    : options_(std::move(options)), post_(std::move(post)) {
  session_ = std::make_unique<Session>(options_.session, std::move(wake));
  worker_ = std::make_unique<Worker>();
  load_scene(0, 0.0, options_.first);
}

Hub::~Hub() { stop(); }

void Hub::stop() {
  if (!worker_) return;
  worker_->stop();  // what it posts from now on comes too late
  if (const std::optional<EndedRecording> ended = session_->stop()) {
    try {
      ended->recording->finish(ended->outcome);
      recording_file_ = ended->recording->file();
      options_.log(fmt::format("the recording is in {}", recording_file_));
    } catch (const std::exception& error) {
      options_.log(fmt::format("the recording failed: {}", error.what()));
    }
  }
  worker_.reset();
}

// ---- viewers ------------------------------------------------------------------------------------

int Hub::join(ViewerLink& link) {
  const int viewer = ++last_viewer_;
  viewers_[viewer] = {&link, false};
  std::vector<SceneEntry> scenes;
  for (const OfferedScene& scene : options_.scenes) scenes.push_back(scene.entry);
  tell(viewer, write_hello(options_.version, viewer, scenes));
  if (description_)
    tell(viewer, description_->json);
  else if (!first_problem_.empty())
    tell(viewer, first_problem_);
  tell_status();
  send_state(viewers_[viewer]);
  if (drags_ && drag_count_ > 0) link.send_drags(drags_);
  return viewer;
}

void Hub::leave(int viewer) {
  if (viewers_.erase(viewer) == 0) return;
  auto order = std::make_unique<Order>();
  order->viewer = viewer, order->task = Order::Leave{};
  post_order(std::move(order));
  tell_status();
}

void Hub::tell(int viewer, std::string text) {
  if (const auto it = viewers_.find(viewer); it != viewers_.end())
    it->second.link->send_text(std::make_shared<const std::string>(std::move(text)));
}

void Hub::tell_all(const std::string& text) {
  const Text shared = std::make_shared<const std::string>(text);
  for (auto& [number, viewer] : viewers_) viewer.link->send_text(shared);
}

void Hub::tell_status() { tell_all(write_status(status_, viewer_count())); }

void Hub::send_state(Viewer& viewer) {
  if (state_) viewer.link->send_state(viewer.has_joints ? state_ : state_without_joints_);
}

void Hub::answer(int viewer, std::optional<double> id, const std::string& problem,
                 const Place& place, const OkDetails& details) {
  if (!problem.empty())
    tell(viewer, write_error(id, problem, place));
  else if (id)
    tell(viewer, write_ok(*id, details));
}

// ---- messages -----------------------------------------------------------------------------------

bool Hub::take(int viewer, std::string_view text) {
  const auto who = viewers_.find(viewer);
  if (who == viewers_.end()) return false;
  ReadRequest read = read_request(text);
  if (!read.request) {
    tell(viewer, write_error(read.id, read.problem));
    return false;
  }
  Request& request = *read.request;
  if (const auto* watch = std::get_if<ask::Watch>(&request.what))
    who->second.has_joints = watch->joints;
  if (take_scene(viewer, request)) return true;
  auto order = std::make_unique<Order>();
  order->viewer = viewer, order->id = request.id, order->task = std::move(request.what);
  post_order(std::move(order));
  return true;
}

// Requests that need another scene, for which the worker has time; false: it is none of these.
bool Hub::take_scene(int viewer, const Request& request) {
  if (const auto* wanted = std::get_if<ask::Load>(&request.what)) {
    const auto scene = std::find_if(
        options_.scenes.begin(), options_.scenes.end(),
        [&](const OfferedScene& offered) { return offered.entry.file == wanted->file; });
    if (scene == options_.scenes.end()) {
      answer(viewer, request.id, fmt::format("there is no scene '{}' to load", wanted->file));
    } else if (scene->path ==
               options_.first.settings.file) {  // with all that the command line said
      load_scene(viewer, request.id, options_.first);
    } else {
      SceneSource source;
      source.label = scene->entry.file, source.settings.file = scene->path;
      source.settings.package_paths = options_.first.settings.package_paths;
      load_scene(viewer, request.id, source);
    }
    return true;
  }
  if (!has_scene_) return false;
  if (const auto* variable = std::get_if<ask::Set>(&request.what)) {
    set_variable(viewer, request.id, variable->name, variable->value);
    return true;
  }
  if (std::holds_alternative<ask::Reset>(request.what)) {
    enter_scene(viewer, request.id, [](const auto& now) { return now; });
    return true;
  }
  return false;
}

void Hub::post_order(std::unique_ptr<Order> order) {
  if (session_->post(order)) return;
  if (std::holds_alternative<Ask>(order->task)) {
    answer(order->viewer, order->id, "the simulator is busy; try again");
    return;
  }
  // what must arrive is sent again a little later
  const auto late = std::make_shared<std::unique_ptr<Order>>(std::move(order));
  post_([this, late] { post_order(std::move(*late)); });
}

// Old scenes take a while to go.
void Hub::throw_away(std::unique_ptr<Order> order) {
  const auto* enter = std::get_if<Order::Enter>(&order->task);
  const auto* record = std::get_if<Order::Record>(&order->task);
  if (!(enter && enter->stage) && !(record && (record->stage || record->recording))) return;
  const std::shared_ptr<Order> shared = std::move(order);
  worker_->post(
      [shared] {
        if (const auto* late = std::get_if<Order::Record>(&shared->task); late && late->recording)
          late->recording->discard();  // it came too late
      },
      SIZE_MAX);
}

// ---- scenes -------------------------------------------------------------------------------------

void Hub::load_scene(int viewer, double id, const SceneSource& source) {
  enter_scene(viewer, id, [source](const auto&) { return load(source, {}); });
}

void Hub::set_variable(int viewer, double id, const std::string& name, double value) {
  enter_scene(viewer, id, [name, value](const auto& now) {
    const auto& known = now->scene->spec().variables;
    if (std::none_of(known.begin(), known.end(), [&](const scene::VariableSpec& variable) {
          return variable.name == name && std::holds_alternative<double>(variable.value);
        }))
      throw Error(fmt::format("the scene has no variable '{}'", name));
    SceneSource source = now->source;
    std::erase_if(source.settings.set, [&](const auto& pair) { return pair.first == name; });
    source.settings.set.emplace_back(name, fmt::format("{}", value));
    return load(source, now->start);
  });
}

// What is wanted is found out when its turn comes: what was asked for before has been done by then.
void Hub::enter_scene(int viewer, double id, SceneMaker make) {
  const bool is_posted = worker_->post([this, viewer, id, make = std::move(make)] {
    auto order = std::make_shared<Order>();
    std::string problem;
    Place place;
    try {
      std::shared_ptr<const Loaded> made = make(made_);
      order->task = Order::Enter{std::make_unique<Stage>(made)};
      made_ = std::move(made);
    } catch (const Error& error) {
      problem = error.what(), place = error.place();
    } catch (const std::exception& error) {
      problem = error.what();
    }
    post_([this, viewer, id, order, problem, place] {
      if (!problem.empty()) return tell_problem(viewer, id, problem, place);
      has_scene_ = true;
      order->viewer = viewer, order->id = id;
      post_order(std::make_unique<Order>(std::move(*order)));
    });
  });
  if (!is_posted) answer(viewer, id, "too many scenes wait to be loaded; try again");
}

void Hub::tell_problem(int viewer, double id, const std::string& problem, const Place& place) {
  // the name that the sentence begins with goes into members of the message
  const Place named = relabel(place, options_);
  const std::string before = place.text().empty() ? "" : place.text() + ": ";
  const std::string text = problem.starts_with(before) ? problem.substr(before.size()) : problem;
  if (!has_scene_) first_problem_ = write_error(std::nullopt, text, named);
  if (viewer == 0) {
    options_.log(problem);
    tell_all(write_error(std::nullopt, text, named));
  } else {
    answer(viewer, id, text, named);
  }
}

// A run that goes on from a moment of another, to be recorded or after a look at the past.
Order Hub::make_run(Branch branch) const {
  Order out;
  auto stage = std::make_unique<Stage>(branch.loaded, branch.from);
  if (branch.past) {
    out.task = Order::Enter{std::move(stage), branch.epoch, std::move(branch.past)};
    return out;
  }
  if (!options_.make_recording) throw Error("this program does not record");
  auto recording = options_.make_recording(*stage->run);
  out.task = Order::Record{std::move(stage), branch.epoch, std::move(recording)};
  return out;
}

// The simulation waits for a run, or to hear that there will be none.
void Hub::go_on(int viewer, double id, Branch given) {
  const auto branch = std::make_shared<Branch>(std::move(given));
  worker_->post(
      [this, viewer, id, branch] {
        const auto order = std::make_shared<Order>();
        try {
          *order = make_run(std::move(*branch));
        } catch (const std::exception& error) {
          order->task = Order::GoOn{error.what()};
        }
        order->viewer = viewer, order->id = id;
        post_([this, order] { post_order(std::make_unique<Order>(std::move(*order))); });
      },
      SIZE_MAX);
}

void Hub::finish_recording(EndedRecording ended, int viewer, std::optional<double> id) {
  const std::shared_ptr<LiveRecording> recording = std::move(ended.recording);
  worker_->post(
      [this, recording, outcome = std::move(ended.outcome), viewer, id] {
        std::string problem;
        try {
          recording->finish(outcome);
        } catch (const std::exception& error) {
          problem = error.what();
        }
        post_([this, recording, problem, viewer, id] {
          if (problem.empty()) {
            recording_file_ = recording->file();
            options_.log(fmt::format("the recording is in {}", recording_file_));
          }
          if (id)
            answer(viewer, id, problem);
          else if (!problem.empty())
            tell_all(write_error(std::nullopt, "the recording failed: " + problem));
        });
      },
      SIZE_MAX);
}

// ---- from the simulation ------------------------------------------------------------------------

void Hub::on_answer(std::unique_ptr<Order> order) {
  Order::Answer& said = order->answer;
  const Ask* const asked = std::get_if<Ask>(&order->task);
  if (said.branch) return go_on(order->viewer, order->id, std::move(*said.branch));
  if (said.ended) {
    // it is what was asked for, or it ended because something else began
    if (asked) return finish_recording(std::move(*said.ended), order->viewer, order->id);
    finish_recording(std::move(*said.ended), 0, std::nullopt);
  }
  const bool is_silent = std::holds_alternative<Order::Leave>(order->task) ||
                         std::holds_alternative<Order::Told>(order->task);
  if (!is_silent && order->viewer > 0) {
    answer(order->viewer, order->id, said.problem, {}, said.details);
    const auto it = viewers_.find(order->viewer);
    if (asked && std::holds_alternative<ask::Watch>(*asked) && it != viewers_.end())
      send_state(it->second);
  }
  throw_away(std::move(order));
}

void Hub::on_description(std::shared_ptr<const Description> description) {
  constexpr std::size_t kKept = 4;
  description_ = std::move(description);
  first_problem_.clear();
  recent_.push_back(description_);
  if (recent_.size() > kKept) recent_.erase(recent_.begin());
  tell_all(description_->json);
  state_.reset(), state_without_joints_.reset(), drags_.reset();
  for (auto& [number, viewer] : viewers_) viewer.has_joints = false;
}

void Hub::on_event(std::string_view json) { tell_all(std::string(json)); }

void Hub::on_samples(int viewer, std::span<const std::byte> frame) {
  if (const auto it = viewers_.find(viewer); it != viewers_.end())
    it->second.link->send_samples(std::make_shared<const Bytes>(frame.begin(), frame.end()));
}

void Hub::on_selection(const Selection& selection) {
  if (description_) tell(selection.viewer, write_selected(selection, description_->bodies));
}

void Hub::pump() {
  // the state first: what it needs to be understood was sent before it, so it comes now
  const Shown* shown = session_->take_shown();
  session_->drain(*this);
  if (!shown) return;
  if (!shown->state.empty()) {
    state_ = std::make_shared<const Bytes>(shown->state);
    state_without_joints_ =
        std::make_shared<const Bytes>(leave_out_joints(shown->state, shown->joints));
    for (auto& [number, viewer] : viewers_) send_state(viewer);
    if (shown->drag_count > 0 || drag_count_ > 0) {
      drags_ = std::make_shared<const Bytes>(shown->drags);
      for (auto& [number, viewer] : viewers_) viewer.link->send_drags(drags_);
    }
    drag_count_ = shown->drag_count;
  }
  const bool is_news = differs_at_once(status_, shown->status);
  status_ = shown->status;
  if (is_news) tell_status();
}

void Hub::tick() { tell_status(); }

MeshPointer Hub::find_mesh(int number) const {
  for (const auto& description : recent_)
    for (const MeshPointer& mesh : description->meshes)
      if (mesh->number == number) return mesh;
  return nullptr;
}

}  // namespace stance::view
