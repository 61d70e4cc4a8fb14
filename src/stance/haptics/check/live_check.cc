#include "stance/haptics/check/live_check.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "stance/haptics/check/haply_server.h"
#include "stance/haptics/device_thread.h"
#include "stance/haptics/haply_client.h"
#include "stance/haptics/module.h"
#include "stance/io/scene.h"
#include "stance/run/simulation.h"

namespace stance::haptics {
namespace {

constexpr std::int64_t kPatience = 120'000;  // steps, of 1 ms each: what takes longer hangs

double find_middle(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

LiveResult hold_live(double duration, const HandOptions& hand, double most) {
  ServerOptions server;
  server.port = 0, server.hand = hand;
  HaplyServer service(server, [](double) { return Intention{{0, 0, 0.5}, {}}; });
  std::thread serving([&] { service.run(); });

  run::Simulation run(io::parse_scene(
      "version: 1\nobjects:\n  body: {shape: {sphere: {radius: 0.05}}, mass: 1, position: "
      "[0, 0, 0.5]}\n",
      "live check"));
  LiveResult out;
  std::vector<double> stiffness, period, delay, force;
  double low = 1e300, high = -1e300;
  {
    Exchange exchange;
    HapticModule module({.hold = "body"}, exchange);
    HaplyOptions client;
    client.port = service.port();
    client.damping = hand.damping, client.max_force = hand.max_force;
    LoopOptions loop;
    loop.stiffness = most;
    DeviceThread device(std::make_unique<HaplyClient>(client), loop, exchange);
    out.scheduling = device.scheduling();

    run.attach(module);
    const auto began = std::chrono::steady_clock::now();
    const auto steps = static_cast<std::int64_t>(duration / run.spec().step);
    // on a busy machine it may take longer until anything is heard
    for (std::int64_t k = 0; k < steps || (force.empty() && k < steps + kPatience); ++k) {
      std::this_thread::sleep_until(began + std::chrono::microseconds(1000 * k));
      run.advance();
      const ProbeView& view = module.view();
      if (!view.is_present) continue;
      if (k > steps / 4) {
        stiffness.push_back(view.stiffness);
        period.push_back(view.period), delay.push_back(view.delay);
      }
      if (k > steps / 2) force.push_back(-view.force[2]);
      if (k > 3 * steps / 4) {
        low = std::min(low, view.probe[2]), high = std::max(high, view.probe[2]);
      }
    }
    run.detach(module);
  }
  const HandReport report = service.report();
  service.stop();
  serving.join();
  out.stiffness = find_middle(stiffness);
  out.softest = stiffness.empty() ? 0.0 : *std::min_element(stiffness.begin(), stiffness.end());
  out.period = find_middle(period), out.delay = find_middle(delay);
  out.force = find_middle(force);
  out.swing = high > low ? high - low : 0.0;
  out.bad_messages = report.bad_messages;
  return out;
}

}  // namespace stance::haptics
