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
    case Kind::kNotConverged:
      if (event.value == 0.0)
        return fmt::format("not converged: {} keeps neither its law nor its limit", event.what);
      return fmt::format("not converged: {}, {} {:.1e}", event.what,
                         event.what.rfind("velocities", 0) == 0 ? "difference" : "residual",
                         event.value);
    case Kind::kOverflow:
      return fmt::format("{:.0f} contact points left out: there is no room for more", event.value);
    case Kind::kMissed: return fmt::format("{}: contact missed", event.what);
    case Kind::kAppears: return fmt::format("{} appears", event.what);
    case Kind::kDisappears: return fmt::format("{} disappears", event.what);
    case Kind::kTouch: return fmt::format("someone touches {}", event.what);
    case Kind::kImmobile:
      return fmt::format("{}: neither can move along their contact; it is left out", event.what);
    case Kind::kNotFinite:
      return fmt::format("{} has no finite place or speed any more", event.what);
  }
  return "";
}

}  // namespace stance::run
