#include "stance/kernel/names.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace stance::kernel {
namespace {

constexpr std::size_t kLongestName = 64;  // longer names are not typed by hand

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edit distance (Damerau-Levenshtein, adjacent letters may be swapped), letters compared without
// case; three rows of the table are enough.
std::size_t calc_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = above[j] + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      row[j + 1] = std::min({change, above[j + 1] + 1, row[j] + 1});
      const bool swapped =
          i > 0 && j > 0 && lower(a[i]) == lower(b[j - 1]) && lower(a[i - 1]) == lower(b[j]);
      if (swapped) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above.back();
}

}  // namespace

std::string_view find_nearest_name(std::string_view name,
                                   std::span<const std::string_view> candidates) {
  if (name.empty() || name.size() > kLongestName) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongestName) continue;
    const std::size_t distance = calc_distance(name, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggest_name(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string nearest(find_nearest_name(name, views));
  return nearest.empty() ? "" : ", did you mean '" + nearest + "'?";
}

bool matches(std::string_view pattern, std::string_view name) {
  // the usual two fingers: the last star, and where its match began
  std::size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, mark = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1, n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace stance::kernel
