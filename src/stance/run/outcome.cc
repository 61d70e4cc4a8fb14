#include "stance/run/outcome.h"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stance::run {

std::array<TrustCount, 3> count_trust(const sim::RunSummary& summary,
                                      const scene::ExpectSpec& expect) {
  // a scene that expects steps that do not converge is about them
  const std::int64_t unconverged = expect.converged == std::optional(false)
                                       ? std::numeric_limits<std::int64_t>::max()
                                       : expect.max_unconverged.value_or(0);
  return {{{"not_converged", summary.unconverged, unconverged},
           {"contacts_dropped", summary.contacts_dropped, expect.max_dropped.value_or(0)},
           {"contacts_missed", summary.contacts_missed, expect.max_missed.value_or(0)}}};
}

// " (contacts 3, drives 2)" where contacts are not the only reason.
static std::string tell_reasons(const sim::RunSummary& summary) {
  std::vector<std::string> reasons;
  bool are_contacts = true;
  for (std::size_t k = 0; k < sim::kUnsolvedKinds; ++k) {
    const auto why = static_cast<sim::Unsolved>(k);
    if (summary.unconverged_by[k] == 0) continue;
    reasons.push_back(fmt::format("{} {}", unsolved_name(why), summary.unconverged_by[k]));
    are_contacts = are_contacts && why == sim::Unsolved::kContacts;
  }
  return are_contacts ? "" : fmt::format(" ({})", fmt::join(reasons, ", "));
}

std::string trust_text(const sim::RunSummary& summary) {
  std::vector<std::string> wrong;
  if (summary.unconverged > 0)
    wrong.push_back(fmt::format("{} of {} steps did not converge{}", summary.unconverged,
                                summary.steps, tell_reasons(summary)));
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0)
      wrong.push_back(fmt::format("{} contact{} {}", count, count == 1 ? " was" : "s were", what));
  };
  add(summary.contacts_dropped, "dropped");
  add(summary.contacts_missed, "missed");
  if (!wrong.empty()) return fmt::format("{}", fmt::join(wrong, ", "));
  return summary.steps > 0 ? "every step converged, no contact was dropped or missed"
                           : "no step was taken";
}

Outcome make_outcome(const Simulation& simulation) {
  const sim::Monitor& monitor = simulation.monitor();
  const sim::RunSummary summary = summarize(simulation);
  return {.summary = summary,
          .events = monitor.events(),
          .events_left_out = monitor.events_left_out(),
          .simulated = simulation.time() - simulation.began(),
          .expect = judge(simulation),
          .event_counts = monitor.event_counts(),
          .law = simulation.part().scene.world.contact.law,
          .trust = count_trust(summary, simulation.spec().expect)};
}

}  // namespace stance::run
