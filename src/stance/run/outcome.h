#pragma once

// What a run came to.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "stance/contact/law.h"
#include "stance/run/expectations.h"

namespace stance::run {

// How often a run was wrong in a way that its numbers do not show, and how often it may be.
struct TrustCount {
  const char* name;  // "not_converged", "contacts_dropped", "contacts_missed"
  std::int64_t count = 0, allowed = 0;
  bool holds() const { return count <= allowed; }
};

struct Outcome {
  sim::RunSummary summary{};
  std::vector<sim::Event> events{};
  std::int64_t events_left_out = 0;
  double simulated = 0.0;  // s
  std::vector<ExpectationResult> expect{};
  sim::EventCounts event_counts{};
  contact::ContactLaw law = contact::ContactLaw::kExact;
  std::array<TrustCount, 3> trust{};

  bool holds() const {
    for (const ExpectationResult& result : expect)
      if (!result.holds) return false;
    return true;
  }
  bool is_trusted() const {
    for (const TrustCount& count : trust)
      if (!count.holds()) return false;
    return !summary.is_lost;
  }
};

// What a run counted, against what its scene allows: none, unless it says so.
std::array<TrustCount, 3> count_trust(const sim::RunSummary& summary,
                                      const scene::ExpectSpec& expect);

// "every step converged, no contact was dropped or missed", or "12 of 1000 steps did not converge,
// 3 contacts were missed".
std::string trust_text(const sim::RunSummary& summary);

// "worst residual 3.1e-11", and that of drift correction where there was one: it counts, too.
std::string residual_text(const sim::RunSummary& summary);

// So far, with the expectations of the scene.
Outcome make_outcome(const Simulation& simulation);

}  // namespace stance::run
