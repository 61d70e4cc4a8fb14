#pragma once

// Names that people type: misspelt ones, and patterns.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stance::kernel {

// The candidate that a misspelt name was probably meant to be, by edit distance; empty when none
// is close (more than a third of the letters would have to change).
std::string_view find_nearest_name(std::string_view name,
                                   std::span<const std::string_view> candidates);

// ", did you mean 'ball'?", or nothing.
std::string suggest_name(std::string_view name, const std::vector<std::string>& known);

// Whether a name fits a pattern; `*` stands for any letters.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace stance::kernel
