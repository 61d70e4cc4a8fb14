#include "record.h"

#include <algorithm>

#include <fmt/format.h>

#include "heap_counter.h"

namespace stance::bench {

std::optional<double> Record::find_peer(const std::string& peer) const {
  for (const auto& [name_of_peer, us] : peers)
    if (name_of_peer == peer) return us;
  return std::nullopt;
}

std::optional<double> Record::calc_ratio() const {
  if (peers.empty()) return std::nullopt;
  double best = peers.front().second;
  for (const auto& peer : peers) best = std::min(best, peer.second);
  return ours_us / best;
}

Json to_json(const Record& record) {
  Json json = {{"name", record.name}, {"ours_us", record.ours_us}, {"peers", Json::object()}};
  for (const auto& [peer, us] : record.peers) json["peers"][peer] = us;
  const std::optional<double> ratio = record.calc_ratio();
  json["ratio_to_best"] = ratio ? Json(*ratio) : Json();
  json["heap_calls"] = record.heap_calls;
  json.update(record.extra);
  return json;
}

std::string format_us(double us) {
  return fmt::format("{:.{}f}", us, us < 10 ? 2 : us < 1000 ? 1 : 0);
}

std::string format_us(const std::optional<double>& us) { return us ? format_us(*us) : "-"; }

std::string format_ratio(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "-";
}

long long count_heap_per_run(const std::function<void()>& run) {
  for (int i = 0; i < 3; ++i) run();
  long long most = 0;
  for (int i = 0; i < 100; ++i) most = std::max(most, count_heap_calls(run));
  return most;
}

}  // namespace stance::bench
