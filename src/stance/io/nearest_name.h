#pragma once

#include <span>
#include <string_view>

namespace stance::io {

// The candidate that a misspelt name was probably meant to be, by edit distance; empty when none
// is close (more than a third of the letters would have to change).
std::string_view find_nearest_name(std::string_view name,
                                   std::span<const std::string_view> candidates);

}  // namespace stance::io
