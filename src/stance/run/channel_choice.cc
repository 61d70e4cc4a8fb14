#include "stance/run/channel_choice.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stance/kernel/names.h"

namespace stance::run {
namespace {

using kernel::find_nearest_name;
using kernel::matches;

bool is_impulse(const std::string& name) { return name.ends_with("impulse"); }

bool is_wanted(const std::string& name, std::span<const std::string> patterns) {
  if (patterns.empty()) return !is_impulse(name);
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, name); });
}

// In a file channels are data sets below groups: a name cannot be both.
void check_names(const std::vector<sim::Channel>& channels) {
  std::set<std::string> names;
  for (const sim::Channel& channel : channels)
    if (!names.insert(channel.name).second)
      throw Error(fmt::format("two channels are named '{}'; give what they belong to other names",
                              channel.name));
  for (const std::string& name : names) {
    for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1))
      if (names.count(name.substr(0, at)))
        throw Error(
            fmt::format("the channels '{}' and '{}' cannot stand in one file; give what "
                        "they belong to other names",
                        name.substr(0, at), name));
    if (name.empty() || name.front() == '/' || name.back() == '/' ||
        name.find("//") != std::string::npos || ("/" + name).find("/./") != std::string::npos)
      throw Error(fmt::format("a channel cannot be named '{}'", name));
  }
}

}  // namespace

std::string suggest_channel(std::string_view name, std::span<const std::string> known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  if (const std::string_view nearest = find_nearest_name(name, names); !nearest.empty())
    return fmt::format(", did you mean '{}'?", nearest);
  // people leave the robot out
  std::vector<std::string_view> ends;
  for (const std::string_view full : names) ends.push_back(full.substr(full.rfind('/') + 1));
  if (const std::string_view nearest = find_nearest_name(name, ends); !nearest.empty())
    for (std::size_t k = 0; k < names.size(); ++k)
      if (ends[k] == nearest) return fmt::format(", did you mean '{}'?", names[k]);
  std::vector<std::string_view> alike;
  std::string word(name);
  word.erase(std::remove(word.begin(), word.end(), '*'), word.end());
  for (const std::string_view candidate : names)
    if (!word.empty() && candidate.find(word) != std::string_view::npos) alike.push_back(candidate);
  const auto& shown = alike.empty() ? names : alike;
  constexpr std::size_t kShown = 8;
  if (shown.empty()) return "; there are none";
  return fmt::format(
      "; there {} {}{}", shown.size() == 1 ? "is" : "are",
      fmt::join(shown.begin(), shown.begin() + std::min(kShown, shown.size()), ", "),
      shown.size() > kShown ? fmt::format(" and {} more", shown.size() - kShown) : "");
}

std::vector<sim::Channel> choose_channels(std::span<const sim::Channel> offered,
                                          std::span<const std::string> patterns,
                                          std::span<const Place> places) {
  std::vector<std::string> known;
  for (const sim::Channel& channel : offered) known.push_back(channel.name);
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    const auto fits = [&](const std::string& name) { return matches(patterns[k], name); };
    if (std::none_of(known.begin(), known.end(), fits))
      throw Error(k < places.size() ? places[k] : Place{},
                  fmt::format("there is no channel '{}'{}", patterns[k],
                              suggest_channel(patterns[k], known)));
  }
  std::vector<sim::Channel> out;
  for (const sim::Channel& channel : offered)
    if (is_wanted(channel.name, patterns)) out.push_back(channel);
  check_names(out);
  return out;
}

}  // namespace stance::run
