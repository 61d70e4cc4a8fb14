// Mutations that keep XML whole, so that the fuzzer gets past the parser: values of attributes are
// exchanged, tags copied, moved and dropped. Half of the time libFuzzer's own mutations of bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Random = std::minstd_rand;
using Span = std::pair<std::size_t, std::size_t>;  // start and length

constexpr std::string_view kValues[] = {"0",
                                        "1",
                                        "-1",
                                        "0.5",
                                        "1e15",
                                        "-1e15",
                                        "1e-15",
                                        "1e-14",
                                        "1e-29",
                                        "1e-31",
                                        "1e-99",
                                        "1e-101",
                                        "1e300",
                                        "1e-320",
                                        "1e12",
                                        "9e11",
                                        "nan",
                                        "-inf",
                                        "1e999",
                                        "3.1415927",
                                        "90",
                                        "",
                                        " ",
                                        "0 0 1",
                                        "0 0 0",
                                        "1 1 1",
                                        "1e15 0 0",
                                        "-1e15 1e15 1e15",
                                        "1e-13 0 0",
                                        "0 1e-11 0",
                                        "1e15 1e15 1e15",
                                        "1 0 0 1",
                                        "revolute",
                                        "continuous",
                                        "prismatic",
                                        "planar",
                                        "floating",
                                        "fixed",
                                        "spherical",
                                        "world",
                                        "package://a/b",
                                        "file:///dev/zero"};

std::size_t pick(Random& random, std::size_t count) { return random() % count; }

// What stands between quotes.
std::vector<Span> find_values(std::string_view text) {
  std::vector<Span> values;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at)) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) break;
    values.push_back({at + 1, end - at - 1});
    at = end + 1;
  }
  return values;
}

// From each '<' to its '>'.
std::vector<Span> find_tags(std::string_view text) {
  std::vector<Span> tags;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) break;
    tags.push_back({at, end + 1 - at});
    at = end + 1;
  }
  return tags;
}

void change_value(std::string& text, Random& random) {
  const std::vector<Span> values = find_values(text);
  if (values.empty()) return;
  const Span to = values[pick(random, values.size())];
  const Span from = values[pick(random, values.size())];
  const std::string value(pick(random, 2) ? kValues[pick(random, std::size(kValues))]
                                          : std::string_view(text).substr(from.first, from.second));
  text.replace(to.first, to.second, value);
}

// Copies or moves what lies between two tags, or drops it.
void change_tags(std::string& text, Random& random) {
  const std::vector<Span> tags = find_tags(text);
  if (tags.empty()) return;
  const std::size_t first = pick(random, tags.size());
  const std::size_t last = std::min(tags.size() - 1, first + pick(random, 8));
  const Span to = tags[pick(random, tags.size())];
  const std::size_t length = tags[last].first + tags[last].second - tags[first].first;
  const std::string part = text.substr(tags[first].first, length);
  switch (pick(random, 3)) {
    case 0: text.erase(tags[first].first, length); break;
    case 1: text.insert(to.first, part); break;
    default:
      text.insert(to.first, part);
      text.erase(tags[first].first + (to.first <= tags[first].first ? length : 0), length);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  Random random(seed);
  if (pick(random, 2)) return LLVMFuzzerMutate(data, size, max_size);
  std::string text(reinterpret_cast<const char*>(data), size);
  for (std::size_t n = 1 + pick(random, 3); n > 0; --n)
    pick(random, 3) ? change_value(text, random) : change_tags(text, random);
  const std::size_t length = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), length);
  return length;
}
