#include "stance/contact/law.h"

namespace stance::contact {
namespace {

constexpr std::string_view kNames[] = {
    "exact", "lcp", "penalty_fbl", "penalty_linear", "penalty_clipped", "penalty_hunt_crossley"};

}  // namespace

std::string_view contact_law_name(ContactLaw law) { return kNames[static_cast<int>(law)]; }

std::span<const std::string_view> contact_law_names() { return kNames; }

std::optional<ContactLaw> find_contact_law(std::string_view name) {
  for (int k = 0; k < static_cast<int>(std::size(kNames)); ++k)
    if (kNames[k] == name) return static_cast<ContactLaw>(k);
  return std::nullopt;
}

}  // namespace stance::contact
