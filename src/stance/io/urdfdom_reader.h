#pragma once

// urdfdom with the edges taken off: its messages are caught instead of printed, its exceptions turn
// into ours, and its tree of shared pointers is taken apart link by link, since the destructor of
// a long chain would otherwise call itself once per link and run out of stack.

#include <memory>
#include <string>

#include <urdf_model/model.h>

#include "stance/kernel/error.h"

namespace stance::io {

// Parses plain URDF. Throws at `place` with urdfdom's own words when it refuses.
std::shared_ptr<const urdf::ModelInterface> read_with_urdfdom(const std::string& text,
                                                              const Place& place);

}  // namespace stance::io
