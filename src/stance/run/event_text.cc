#include "stance/run/event_text.h"

#include <fmt/format.h>

namespace stance::run {

std::string event_text(const sim::Event& event) {
  using Kind = sim::Event::Kind;
  switch (event.kind) {
    case Kind::kFall: return fmt::format("{} falls", event.what);
    case Kind::kSlip: return fmt::format("{} slips", event.what);
    case Kind::kLimit:
      return fmt::format("{} reaches its limit at {:.4g}", event.what, event.value);
    case Kind::kNotConverged: return fmt::format("not converged, residual {:.1e}", event.value);
    case Kind::kOverflow: return "more contact points than contact.capacity; some are left out";
    case Kind::kMissed:
      return fmt::format("{} not in the contact problem in time",
                         event.what.empty() ? "a contact was" : event.what + " was");
    case Kind::kImmobile:
      return fmt::format("{} along which nothing can move, left out",
                         event.what.empty() ? "a contact" : event.what);
    case Kind::kAppears: return fmt::format("{} appears", event.what);
    case Kind::kDisappears: return fmt::format("{} disappears", event.what);
    case Kind::kTouch: return fmt::format("someone touches {}", event.what);
    case Kind::kNotFinite:
      return fmt::format("{} has no finite place or speed any more", event.what);
  }
  return "";
}

}  // namespace stance::run
