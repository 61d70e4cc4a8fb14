#pragma once

// Names of contact laws as users write them.

#include <string_view>

#include "stance/contact/law.h"
#include "stance/kernel/error.h"

namespace stance::io {

// The law of a name; an unknown one is an Error that says which was probably meant.
contact::ContactLaw parse_contact_law(std::string_view name, const Place& place = {});

}  // namespace stance::io
