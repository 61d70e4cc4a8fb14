#include "stance/sim/state_hash.h"

#include "stance/kernel/bit_hash.h"

namespace stance::sim {
namespace {

void add(const std::vector<Vec3d>& vectors, kernel::BitHash& hash) {
  hash.add(static_cast<std::uint64_t>(vectors.size()));
  for (const Vec3d& v : vectors)
    for (int k = 0; k < 3; ++k) hash.add(v[k]);
}

}  // namespace

std::uint64_t calc_state_hash(const State& x) {
  kernel::BitHash hash;
  hash.add(std::span<const double>(x.q)), hash.add(std::span<const double>(x.v)), hash.add(x.time);
  const contact::WarmStart& warm = x.warm;
  hash.add(static_cast<std::uint64_t>(warm.id.size()));
  for (const std::uint64_t id : warm.id) hash.add(id);
  add(warm.p, hash), add(warm.spin, hash), add(warm.stretch, hash);
  hash.add(std::span<const double>(warm.limit)), hash.add(std::span<const double>(warm.friction));
  hash.add(std::span<const double>(warm.mimic)), add(warm.loop, hash);
  for (const contact::RestPlan& plan : warm.rest)
    for (const int number : {plan.is_halfway ? 1 : 0, plan.wait, plan.span})
      hash.add(static_cast<std::uint64_t>(number));
  const EnergyAccount& e = x.energy;
  hash.add(static_cast<std::uint64_t>(e.is_open));
  hash.add(e.start), hash.add(e.contact), hash.add(e.joints), hash.add(e.input);
  for (const std::int8_t side : x.at_limit) hash.add(static_cast<std::uint64_t>(side));
  hash.add(std::span<const double>(x.memory));
  return hash.value();
}

}  // namespace stance::sim
