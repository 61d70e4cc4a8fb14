#include "stance/view/hands.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace stance::view {
namespace {

using Kind = sim::InputChange::Kind;

constexpr const char* kTargets = "viewers";  // joints belong to all of them
constexpr std::string_view kViewer = "viewer ";

sim::InputChange make_release(const sim::InputChange& what) {
  return {.kind = Kind::kRelease, .source = what.source, .name = what.name};
}

sim::InputChange make_target(const std::string& joint, double value) {
  return {.kind = Kind::kTarget, .source = kTargets, .name = joint, .value = value};
}

}  // namespace

std::string Hands::drag(int viewer, const std::string& body, const Vec3d& point,
                        const Vec3d& target) {
  for (const Drag& other : drags_)
    if (other.viewer != viewer && other.change.name == body)
      return fmt::format("'{}' is held by viewer {}", body, other.viewer);
  auto own = std::find_if(drags_.begin(), drags_.end(),
                          [&](const Drag& drag) { return drag.viewer == viewer; });
  if (own != drags_.end() && own->change.name != body) {
    tell(make_release(own->change));
    drags_.erase(own);
    own = drags_.end();
  }
  if (own == drags_.end()) {
    drags_.push_back(
        {viewer,
         {.kind = Kind::kDrag, .source = fmt::format("{}{}", kViewer, viewer), .name = body}});
    own = drags_.end() - 1;
  }
  own->change.point = point, own->change.place = target;
  tell(own->change);
  return "";
}

// Several changes of one thing by one source between two steps are the last of them.
void Hands::tell(const sim::InputChange& change) {
  std::erase_if(pending_, [&](const sim::InputChange& old) {
    return old.source == change.source && old.name == change.name;
  });
  pending_.push_back(change);
}

void Hands::push(int viewer, const std::string& body, const Vec3d& point, const Vec3d& force,
                 double until) {
  const sim::InputChange change{.kind = Kind::kWrench,
                                .source = fmt::format("{}{} push", kViewer, viewer),
                                .name = body,
                                .point = point,
                                .force = force};
  std::erase_if(pushes_, [&](const Push& old) {
    return old.change.source == change.source && old.change.name == body;
  });
  pushes_.push_back({change, until});
  tell(change);
}

void Hands::release(int viewer) {
  for (const Drag& drag : drags_)
    if (drag.viewer == viewer) tell(make_release(drag.change));
  std::erase_if(drags_, [&](const Drag& drag) { return drag.viewer == viewer; });
}

void Hands::set_target(const std::string& joint, std::optional<double> value) {
  is_kept_ = false;
  if (value) {
    targets_[joint] = *value;
    tell(make_target(joint, *value));
  } else if (targets_.erase(joint) > 0) {
    tell(make_release(make_target(joint, 0.0)));
  }
}

void Hands::before_step(double time, std::vector<sim::InputChange>& changes) {
  for (const Push& push : pushes_)
    if (time >= push.until) tell(make_release(push.change));
  std::erase_if(pushes_, [&](const Push& push) { return time >= push.until; });
  changes.insert(changes.end(), pending_.begin(), pending_.end());
  pending_.clear();
}

void Hands::repeat() {
  pending_.clear();
  for (const auto& [joint, value] : targets_) pending_.push_back(make_target(joint, value));
  for (const Push& push : pushes_) pending_.push_back(push.change);
  for (const Drag& drag : drags_) pending_.push_back(drag.change);
}

void Hands::restart(const Targets& targets) {
  is_kept_ = is_kept_ && targets == targets_;
  targets_ = targets;
  drags_.clear(), pushes_.clear();
  repeat();
}

void Hands::forget(const std::function<bool(const std::string&)>& is_there) {
  const auto is_gone = [&](const auto& item) { return !is_there(item.change.name); };
  std::erase_if(drags_, is_gone);
  std::erase_if(pushes_, is_gone);
  std::erase_if(pending_, [&](const sim::InputChange& change) {
    const bool is_body = change.kind == Kind::kDrag || change.kind == Kind::kWrench;
    return is_body && !is_there(change.name);
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
