#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/cli/app.h"
#include "stance/cli/arguments.h"
#include "stance/cli/commands.h"
#include "stance/cli/terminal.h"
#include "stance/haptics/check/figures.h"
#include "stance/haptics/check/haply_server.h"
#include "stance/haptics/check/live_check.h"
#include "stance/haptics/check/make_device.h"

namespace stance::cli {
namespace {

constexpr const char* kFooter =
    "\nExamples:\n"
    "  stance device-emulator                                 an Inverse3 on port 10001\n"
    "  stance device-emulator --latency 0.005 --jitter 0.001  over a slow network\n"
    "  stance device-emulator --motion press --duration 20    a hand that taps, for 20 s\n"
    "  stance device-emulator --check                         how stiff and how passive it is\n";

struct Options {
  haptics::ServerOptions server;
  std::string motion = "circle";
  double live = 0.0, most = 2000.0;
  bool check = false, json = false, quiet = false;
};

int print_figures(const Options& options) {
  std::vector<haptics::Figure> figures = haptics::measure_figures();
  if (options.live > 0.0) {
    const haptics::LiveResult live =
        haptics::hold_live(options.live, options.server.hand, options.most);
    if (!options.json) fmt::print("device thread {}\n", live.scheduling);
    const auto add = [&](const char* name, double value, const char* unit) {
      figures.push_back({std::string("WebSocket: ") + name, unit, "-", value, true});
    };
    add("stiffness, median", live.stiffness, "N/m");
    add("stiffness, least", live.softest, "N/m");
    add("period measured, median", 1e3 * live.period, "ms");
    add("delay measured, median", 1e3 * live.delay, "ms");
    add("force of 1 kg", live.force, "N");
    add("swing in the last quarter", live.swing, "m");
  }
  bool is_reached = true;
  nlohmann::json all = nlohmann::json::array();
  for (const haptics::Figure& figure : figures) {
    is_reached = is_reached && figure.is_reached;
    all.push_back({{"name", figure.name},
                   {"value", figure.value},
                   {"unit", figure.unit},
                   {"wanted", figure.wanted},
                   {"is_reached", figure.is_reached}});
    if (!options.json)
      fmt::print("{:<48} {:>12.5g} {:<4} wanted {:<28}{}\n", figure.name, figure.value, figure.unit,
                 figure.wanted, figure.is_reached ? "" : " MISSED");
  }
  if (options.json) fmt::print("{}\n", all.dump(2));
  return is_reached ? kExitOk : kExitUnmet;
}

int serve(const Options& options) {
  haptics::ServerOptions server = options.server;
  server.stop_on_signals = true;
  if (!options.quiet) server.tell = [](const std::string& text) { fmt::print("{}\n", text); };
  haptics::HaplyServer service(server, haptics::make_motion(options.motion));
  fmt::print("An emulated Inverse3 at ws://127.0.0.1:{} (Ctrl-C ends it)\n", service.port());
  std::fflush(stdout);
  service.run();
  const haptics::HandReport report = service.report();
  fmt::print(
      "{} messages, {} of them bad, from {} clients; the force did {:.4g} J, the damping "
      "took {:.4g} J\n",
      report.messages, report.bad_messages, report.clients, report.drawn, report.burnt);
  return kExitOk;
}

}  // namespace

void add_device_emulator(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("device-emulator",
                         "Emulate a haptic device: a simulated hand behind the protocol of the "
                         "Haply Inverse service");
  command->footer(kFooter);
  const auto options = std::make_shared<Options>();
  haptics::HandOptions& hand = options->server.hand;
  command->add_option("--port", options->server.port, "Port to listen on, on this machine only")
      ->check(whole_number_in(0, 65535))
      ->capture_default_str();
  const auto add = [&](const char* name, double& value, double low, double high,
                       const char* about) {
    command->add_option(name, value, about)->check(number_in(low, high))->capture_default_str();
  };
  add("--mass", hand.mass, 1e-3, 100.0, "Mass of handle and hand, kg");
  add("--stiffness", hand.stiffness, 0.0, 1e5, "Stiffness of the hand towards its goal, N/m");
  add("--damping", hand.damping, 0.0, 100.0, "Damping of the device, N s/m");
  add("--hand-damping", hand.hand_damping, 0.0, 1e3, "Additional damping of the hand, N s/m");
  add("--latency", hand.latency, 0.0, 1.0, "Delay from a message to its effect and answer, s");
  add("--jitter", hand.jitter, 0.0, 1.0, "Largest additional random delay, s");
  add("--quantisation", hand.quantisation, 0.0, 0.01, "Resolution of the encoders, m");
  add("--max-force", hand.max_force, 0.0, 1e3, "Greatest force, N");
  add("--rate", options->server.rate, 0.0, 1e5, "Most answers per second; 0: no limit");
  add("--button-from", options->server.button_from, -1.0, 1e9,
      "Time from which the button stays pressed, s; -1: never");
  add("--duration", options->server.duration, 0.0, 1e9, "Duration, s; 0: until Ctrl-C");
  command->add_option("--motion", options->motion, "Motion of the hand: still, circle, press")
      ->check(CLI::IsMember({"still", "circle", "press"}))
      ->capture_default_str();
  command->add_flag("--check", options->check,
                    "Measure the force feedback with this hand on a simulated clock: stiffness, "
                    "stability, energy, weight, loss");
  add("--live", options->live, 0.0, 3600.0,
      "With --check: also through a WebSocket in real time with the hand given here, for so "
      "many s");
  add("--most", options->most, 1.0, 1e5, "With --live: wanted stiffness, N/m");
  command->add_flag("--json", options->json, "With --check: print JSON");
  command->add_flag("--quiet", options->quiet, "Do not report clients and bad messages");
  command->callback([options, &status] {
    if (options->live > 0.0 && !options->check)
      throw CLI::ValidationError("--live", "it needs --check");
    status = options->check ? print_figures(*options) : serve(*options);
  });
}

}  // namespace stance::cli
