#pragma once

// Impulses of the last step as the start of this one.

#include "stance/contact/contact_system.h"

namespace stance::contact {

// Gives points and loops the impulses that the same ones had; joint rows find theirs by themselves.
void take_warm_start(const WarmStart& warm, ContactScratch& scratch);

}  // namespace stance::contact
