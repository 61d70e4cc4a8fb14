#include "stance/view/hands.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace stance::view {
namespace {

constexpr const char* kTargets = "viewers";  // joints belong to all of them
constexpr std::string_view kViewer = "viewer ";

}  // namespace

std::string Hands::drag(int viewer, const std::string& body, const Vec3d& point,
                        const Vec3d& target) {
  for (const Drag& other : drags_)
    if (other.viewer != viewer && other.what.body == body)
      return fmt::format("'{}' is held by viewer {}", body, other.viewer);
  auto own = std::find_if(drags_.begin(), drags_.end(),
                          [&](const Drag& drag) { return drag.viewer == viewer; });
  if (own != drags_.end() && own->what.body != body) {
    tell(own->source, sim::Release{own->what.body});
    drags_.erase(own);
    own = drags_.end();
  }
  if (own == drags_.end()) {
    drags_.push_back({viewer, fmt::format("{}{}", kViewer, viewer), {.body = body}});
    own = drags_.end() - 1;
  }
  own->what.point = point, own->what.to = target;
  tell(own->source, own->what);
  return "";
}

// Several changes of one thing by one source between two steps are the last of them.
void Hands::tell(const std::string& source, const sim::Action& what) {
  std::erase_if(pending_, [&](const sim::InputChange& old) {
    return old.source == source && find_name(old.what) == find_name(what);
  });
  pending_.push_back({source, what});
}

void Hands::push(int viewer, const std::string& body, const Vec3d& point, const Vec3d& force,
                 double until) {
  const Push push{fmt::format("{}{} push", kViewer, viewer),
                  {.body = body, .point = point, .force = force},
                  until};
  std::erase_if(
      pushes_, [&](const Push& old) { return old.source == push.source && old.what.body == body; });
  pushes_.push_back(push);
  tell(push.source, push.what);
}

void Hands::release(int viewer) {
  for (const Drag& drag : drags_)
    if (drag.viewer == viewer) tell(drag.source, sim::Release{drag.what.body});
  std::erase_if(drags_, [&](const Drag& drag) { return drag.viewer == viewer; });
}

void Hands::set_target(const std::string& joint, std::optional<double> value) {
  is_kept_ = false;
  if (value) {
    targets_[joint] = *value;
    tell(kTargets, sim::SetTarget{joint, *value});
  } else if (targets_.erase(joint) > 0) {
    tell(kTargets, sim::Release{joint});
  }
}

void Hands::before_step(double time, std::vector<run::Change>& changes) {
  for (const Push& push : pushes_)
    if (time >= push.until) tell(push.source, sim::Release{push.what.body});
  std::erase_if(pushes_, [&](const Push& push) { return time >= push.until; });
  for (sim::InputChange& change : pending_)
    changes.push_back({std::move(change.source), std::move(change.what)});
  pending_.clear();
}

void Hands::repeat() {
  pending_.clear();
  for (const auto& [joint, value] : targets_)
    pending_.push_back({kTargets, sim::SetTarget{joint, value}});
  for (const Push& push : pushes_) pending_.push_back({push.source, push.what});
  for (const Drag& drag : drags_) pending_.push_back({drag.source, drag.what});
}

void Hands::restart(const Targets& targets) {
  is_kept_ = is_kept_ && targets == targets_;
  targets_ = targets;
  drags_.clear(), pushes_.clear();
  repeat();
}

void Hands::forget(const std::function<bool(const std::string&)>& is_there) {
  const auto is_gone = [&](const auto& item) { return !is_there(item.what.body); };
  std::erase_if(drags_, is_gone);
  std::erase_if(pushes_, is_gone);
  std::erase_if(pending_, [&](const sim::InputChange& change) {
    const bool is_body = std::holds_alternative<sim::DragBody>(change.what) ||
                         std::holds_alternative<sim::PushBody>(change.what);
    return is_body && !is_there(find_name(change.what));
  });
}

std::uint32_t Hands::number_targets() {
  if (!is_kept_) kept_.push_back(targets_), is_kept_ = true;
  return first_ + static_cast<std::uint32_t>(kept_.size()) - 1;
}

Hands::Targets Hands::find_targets(std::uint32_t number) const {
  const std::size_t k = number - first_;
  return k < kept_.size() ? kept_[k] : Targets();
}

void Hands::forget_targets(std::uint32_t oldest) {
  while (kept_.size() > 1 && first_ < oldest) kept_.pop_front(), ++first_;
}

int Hands::find_viewer(const std::string& source) {
  if (!source.starts_with(kViewer)) return 0;
  int out = 0;
  std::from_chars(source.data() + kViewer.size(), source.data() + source.size(), out);
  return out;
}

}  // namespace stance::view
