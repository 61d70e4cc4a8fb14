#pragma once

// The contact laws, by one flag of a scene (docs/contact_laws.md).

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace stance::contact {

// docs/contact_laws.md says more of each.
enum class ContactLaw : std::uint8_t {
  kExact,                // Signorini and Coulomb's cone as they are
  kLcp,                  // the same with pyramids for cones, by Lemke's method
  kPenaltyFbl,           // feedback linearisation: desired accelerations
  kPenaltyLinear,        // spring and damper, may pull
  kPenaltyClipped,       // spring and damper, never pulls
  kPenaltyHuntCrossley,  // k d^n (1 + c d'), may pull
};

// "exact", "lcp", "penalty_fbl", "penalty_linear", "penalty_clipped", "penalty_hunt_crossley".
std::string_view contact_law_name(ContactLaw law);

// All of them, in the order of the enum.
std::span<const std::string_view> contact_law_names();

// The law of a name, or nothing; io/contact_law.h has the one that tells a user what was meant.
std::optional<ContactLaw> find_contact_law(std::string_view name);

// True for the laws that give forces from gaps and velocities, without a problem to solve.
inline bool is_penalty(ContactLaw law) { return law >= ContactLaw::kPenaltyFbl; }

}  // namespace stance::contact
