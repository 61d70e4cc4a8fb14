#include "stance/sim/state_hash.h"

#include "stance/kernel/bit_hash.h"
#include "stance/sim/state_members.h"

namespace stance::sim {
namespace {

using kernel::BitHash;

template <class T>
void add(const T& element, BitHash& hash) {
  for (const std::uint64_t word : to_words(element)) hash.add(word);
}
template <class T>
void add(const std::vector<T>& elements, BitHash& hash) {
  for (const T& element : elements) add(element, hash);
}
void add(const std::vector<double>& values, BitHash& hash) {
  hash.add(std::span<const double>(values));
}
void add(const ControllerMemory& memory, BitHash& hash) { add(memory.values, hash); }

template <class T>
std::uint64_t count(const T&) {
  return 1;
}
template <class T>
std::uint64_t count(const std::vector<T>& values) {
  return values.size();
}

}  // namespace

std::uint64_t calc_state_hash(const State& x) {
  BitHash hash;
  for_each_member(x, [&](const auto& member) {
    // rows of numbers tell their length themselves
    if (member.per == Per::kContact || member.per == Per::kLoop) hash.add(count(member.values));
    add(member.values, hash);
  });
  return hash.value();
}

}  // namespace stance::sim
