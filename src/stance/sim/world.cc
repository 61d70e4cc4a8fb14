#include "stance/sim/world.h"

#include <utility>

#include "stance/sim/drives.h"
#include "stance/sim/free_velocity.h"

namespace stance::sim {

std::span<const double> ControllerMemory::find(std::string_view name) const {
  std::span<const double> rest = values;
  for (const Part& part : parts) {
    if (part.name == name) return rest.first(part.size);
    rest = rest.subspan(part.size);
  }
  return {};
}

State::State(const World& world)
    : q(model::make_neutral(world.model)),
      v(world.model.nv),
      gain(world.model.nv),
      pushed(world.model.nv),
      at_limit(world.model.nv) {
  warm.id.reserve(world.contact.capacity);
  warm.p.reserve(world.contact.capacity);
  warm.spin.reserve(world.contact.capacity);
  warm.stretch.reserve(world.contact.capacity);
  warm.limit.resize(world.model.nv);
  warm.friction.resize(world.model.nv);
  warm.mimic.resize(world.model.mimics.size());
  warm.loop.resize(2 * world.loops.size());
  warm.rest.resize(world.model.ntree);
}

Scratch::Scratch(const World& world)
    : start(world.model),
      end(world.model),
      frame(world.model),
      mean(world.model),
      free(world.model),
      after(world.model),
      moving(world.model),
      bias(world.model.nbody),
      art(world.model),
      forward(world.model),
      v_start(world.model.nv),
      v_mean(world.model.nv),
      q_frame(world.model.nq),
      lag(world.model.nv),
      lightest(calc_lightest(world.model)),
      loose(find_loose(world.model)),
      tau(world.model.nv),
      diagonal(world.model.nv),
      vdot(world.model.nv),
      v_free(world.model.nv),
      v_next(world.model.nv),
      q_next(world.model.nq),
      move(world.model.nv),
      part_of_way(world.model.ntree),
      drive(world.model.nv),
      external(world.model.nv),
      at_limit(world.model.nv),
      wrenches(world.model.nbody),
      contact(world.model, world.shapes, world.loops, world.contact) {
  constexpr std::size_t kWrenches = 64;  // room for, before memory is asked for
  added.reserve(kWrenches), pushes.reserve(kWrenches);
}

const dynamics::Bodies& update_start(const World& world, const State& state, Scratch& scratch) {
  if (scratch.start.is_of(state.q, state.v)) return scratch.start;
  if (scratch.end.is_of(state.q, state.v))
    std::swap(scratch.start, scratch.end);
  else
    scratch.start.update(world.model, state.q, state.v);
  return scratch.start;
}

}  // namespace stance::sim
