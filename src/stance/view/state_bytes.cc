#include "stance/view/state_bytes.h"

namespace stance::view {
namespace {

// Every member of the State, once, for both directions. One that is added there belongs here too:
// the sizes tell.
static_assert(sizeof(contact::WarmStart) == 9 * sizeof(std::vector<int>));
static_assert(sizeof(sim::State) == 2 * sizeof(std::vector<int>) + sizeof(double) +
                                        sizeof(contact::WarmStart) + sizeof(sim::EnergyAccount) +
                                        2 * sizeof(std::vector<int>));
template <class State, class F>
void for_each_member(State& state, F&& f) {
  f(state.q), f(state.v);
  auto& warm = state.warm;
  f(warm.id), f(warm.p), f(warm.spin), f(warm.stretch);
  f(warm.limit), f(warm.friction), f(warm.mimic), f(warm.loop), f(warm.rest);
  f(state.at_limit), f(state.memory);
}

}  // namespace

void write_state(const sim::State& state, Bytes& out) {
  const auto append = [&out](const void* from, std::size_t bytes) {
    const std::size_t at = out.size();
    out.resize(at + bytes);
    if (bytes > 0) std::memcpy(out.data() + at, from, bytes);
  };
  append(&state.time, sizeof state.time);
  append(&state.energy, sizeof state.energy);
  for_each_member(state, [&](const auto& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    static_assert(std::is_trivially_copyable_v<T>);
    const std::uint64_t size = values.size();
    append(&size, sizeof size);
    append(values.data(), size * sizeof(T));
  });
}

void read_state(std::span<const std::byte> bytes, sim::State& state) {
  const std::byte* from = bytes.data();
  const auto take = [&from](void* to, std::size_t count) {
    if (count > 0) std::memcpy(to, from, count);
    from += count;
  };
  take(&state.time, sizeof state.time);
  take(&state.energy, sizeof state.energy);
  for_each_member(state, [&](auto& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    std::uint64_t size = 0;
    take(&size, sizeof size);
    values.resize(size);
    take(values.data(), size * sizeof(T));
  });
}

}  // namespace stance::view
