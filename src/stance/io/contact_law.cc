#include "stance/io/contact_law.h"

#include <fmt/format.h>

#include "stance/kernel/names.h"

namespace stance::io {

contact::ContactLaw parse_contact_law(std::string_view name, const Place& place) {
  if (const auto law = contact::find_contact_law(name)) return *law;
  const std::span<const std::string_view> names = contact::contact_law_names();
  const std::string_view nearest = kernel::find_nearest_name(name, names);
  throw Error(place,
              fmt::format("there is no contact law '{}'{}; there are {}", name,
                          nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
                          fmt::join(names, ", ")));
}

}  // namespace stance::io
