#include "stance/scene/sources.h"

namespace stance::scene {
namespace {

constexpr char kBetween = '\x1f';  // stands in no name

std::string join(const Path& path) {
  std::string out;
  for (const std::string_view word : path.words) out.append(word), out += kBetween;
  return out;
}

}  // namespace

void Sources::enter(std::string_view word) { here_.append(word), here_ += kBetween; }

void Sources::leave() {
  here_.pop_back();
  here_.erase(here_.rfind(kBetween) + 1);  // npos + 1 is 0
}

void Sources::add(std::string_view word, Place place) {
  enter(word);
  set_here(std::move(place));
  leave();
}

void Sources::set_here(Place place) { places_.insert_or_assign(here_, std::move(place)); }

Place Sources::find(const Path& path) const {
  std::string key = join(path);
  while (!key.empty()) {
    if (const auto it = places_.find(key); it != places_.end()) return it->second;
    key.pop_back();
    key.erase(key.rfind(kBetween) + 1);
  }
  return whole_;
}

bool Sources::has(const Path& path) const { return places_.count(join(path)) > 0; }

void Sources::merge(const Sources& other) {
  for (const auto& [key, place] : other.places_) places_.insert_or_assign(key, place);
}

Error make_error(const Sources& sources, const Path& path, const std::string& what) {
  Place place = sources.find(path);
  if (!place.text().empty()) return {place, what};
  std::string words;
  for (const std::string_view word : path.words)
    words.append(words.empty() ? "" : ".").append(word);
  place.element = std::move(words);
  return {place, what};
}

}  // namespace stance::scene
