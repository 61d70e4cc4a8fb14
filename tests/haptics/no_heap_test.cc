// The device's loop asks for no memory once warm, whatever it is tied to.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "stance/haptics/check/emulator.h"
#include "stance/haptics/device_loop.h"
#include "stance/haptics/module.h"
#include "stance/io/scene.h"
#include "stance/run/simulation.h"

#include "heap_counter.h"

namespace stance::haptics {
namespace {

TEST(NoHeap, TicksOfTheDevice) {
  const scene::Scene scene = io::parse_scene(R"(
version: 1
step: 0.005
objects:
  block: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1.0, position: [0, 0, 0.05]}
environment:
  floor: {shape: {plane: {}}}
)",
                                             "block");
  for (const char* held : {"block", ""}) {
    EmulatedDevice device({}, [](double time) {
      return Intention{{0.02 * std::sin(9.0 * time), 0, 0.13 - 0.05 * std::min(1.0, time)}, {}};
    });
    Exchange exchange;
    HapticModule module({.hold = held}, exchange);
    module.set_step_cost(2e-3);  // on a simulated clock: the same ticks every time
    DeviceLoop loop(device, {}, exchange);
    run::Simulation run(scene);
    run.attach(module);
    long long calls = 0;
    double most = 0.0;
    for (int k = 0; k < 2000; ++k) {
      const long long in_tick = bench::count_heap_calls([&] { loop.tick(1e-3 * k); });
      if (k > 100) calls += in_tick;
      most = std::max(most, norm(loop.probe().force));
      if (k % 5 != 4) continue;
      run.advance();
    }
    EXPECT_EQ(calls, 0) << held;
    EXPECT_GT(most, 0.5) << held;
  }
}

}  // namespace
}  // namespace stance::haptics
