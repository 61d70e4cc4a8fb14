#pragma once

// One line of a comparison: our time beside those of others.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace stance::bench {

using Json = nlohmann::ordered_json;

struct Record {
  std::string name;
  double ours_us = 0.0;
  std::vector<std::pair<std::string, double>> peers = {};  // name and microseconds
  long long heap_calls = 0;                                // of one run of ours, after warm-up
  Json extra = Json::object();                             // further keys of a bench

  std::optional<double> find_peer(const std::string& peer) const;

  // Ours over the fastest peer; nothing without peers.
  std::optional<double> calc_ratio() const;
};

Json to_json(const Record& record);

// Text of a number of microseconds: three or four digits that matter.
std::string format_us(double us);
std::string format_us(const std::optional<double>& us);  // "-" for nothing
std::string format_ratio(const std::optional<double>& ratio);

// The largest number of heap calls seen in one of a hundred runs, after warm-up.
long long count_heap_per_run(const std::function<void()>& run);

}  // namespace stance::bench
