// How well a live simulation keeps its time: the humanoid at 1 kHz with a haptic device and
// viewers connected, one of whom pulls at a hand.

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>

#include "stance/cli/live_device.h"
#include "stance/cli/robot_json.h"
#include "stance/cli/terminal.h"
#include "stance/io/scene.h"
#include "stance/view/server.h"

#include "machine.h"
#include "options.h"
#include "progress.h"
#include "record.h"
#include "view/live_tape.h"

namespace stance::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int kViewers = 4;
constexpr double kSettle = 2.0;  // s before bytes are counted
constexpr int kRepeats = 3;      // of the same steps on no clock
constexpr const char* kScene = STANCE_SOURCE_DIR "/scenes/humanoid_stand.yaml";
constexpr const char* kHand = "humanoid/right_hand";

// A viewer without a page: counts what comes; the first one pulls.
class Viewer {
 public:
  Viewer(std::uint16_t port, bool pulls) {
    stream_.next_layer().connect({asio::ip::make_address("127.0.0.1"), port});
    stream_.set_option(
        beast::websocket::stream_base::decorator([](beast::websocket::request_type& request) {
          request.set(beast::http::field::sec_websocket_protocol, "stance.v1");
        }));
    stream_.handshake("127.0.0.1:" + std::to_string(port), "/ws");
    reader_ = std::thread([this] { read(); });
    if (pulls) puller_ = std::thread([this] { pull(); });
  }
  ~Viewer() {
    is_done_ = true;
    if (puller_.joinable()) puller_.join();
    error_code ignored;
    stream_.next_layer().shutdown(tcp::socket::shutdown_both, ignored);
    reader_.join();
  }
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t states() const { return states_; }
  double time() const { return time_; }  // s, of the newest state

 private:
  void read() {
    beast::flat_buffer buffer;
    for (error_code error;; buffer.clear()) {
      stream_.read(buffer, error);
      if (error) return;
      bytes_ += buffer.size();
      const auto* bytes = static_cast<const std::byte*>(buffer.cdata().data());
      if (stream_.got_text() || buffer.size() < 16 || bytes[0] != std::byte(1)) continue;
      double time;
      std::memcpy(&time, bytes + 8, sizeof time);
      time_ = time;
      ++states_;
    }
  }

  // Sixty messages a second: ten centimetres to and fro.
  void pull() {
    for (int k = 0; !is_done_; ++k) {
      const kernel::Vec3d at = {0.3, 0.1 * std::sin(k / 30.0) - 0.25, 0.9};
      const std::string text =
          fmt::format(R"({{"type": "drag", "id": {:8}, "body": "{}", "point": [0.00, 0.00, 0.00], )"
                      R"("target": [{:.4f}, {:.4f}, {:.4f}], "about": "a hand at the mouse"}})",
                      k, kHand, at[0], at[1], at[2]);
      // a frame of its own making (128 to 65535 bytes, a mask of zeros): the stream belongs to the
      // thread that reads
      std::string frame = {char(0x81), char(0x80 | 126), char(text.size() >> 8), char(text.size())};
      frame.append(4, '\0');
      error_code error;
      asio::write(stream_.next_layer(), asio::buffer(frame + text), error);
      if (error) return;
      std::this_thread::sleep_for(std::chrono::microseconds(16667));
    }
  }

  asio::io_context io_;
  beast::websocket::stream<tcp::socket> stream_{io_};
  std::atomic<bool> is_done_{false};
  std::atomic<std::uint64_t> bytes_{0}, states_{0};
  std::atomic<double> time_{0.0};
  std::thread reader_, puller_;
};

struct Figures {
  double factor = 0.0;     // simulated over real time
  double kilobytes = 0.0;  // a second, of the viewer that got most
  double frames = 0.0;     // a second
  std::string scheduling;
  double stolen = 0.0;           // s of processors that the host of a virtual machine took
  view::Lateness late, machine;  // of the simulation; of empty steps, on the worst processor
};

// Steps that do nothing on one of the processors, beside those of the simulation and a little more
// urgent: how late the machine itself is, in the same minute.
class EmptySteps {
 public:
  explicit EmptySteps(int cpu) : thread_([this, cpu] { run(cpu); }) {}
  ~EmptySteps() { stop(); }
  EmptySteps(const EmptySteps&) = delete;
  EmptySteps& operator=(const EmptySteps&) = delete;

  void stop() {
    is_done_ = true;
    if (thread_.joinable()) thread_.join();
  }
  const view::Lateness& lateness() const { return pacer_.lateness(); }  // after stop()

 private:
  void run(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(cpu), &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    sched_param param{};
    param.sched_priority = 21;
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);  // where permitted
    pacer_.restart();
    while (!is_done_) pacer_.wait(1'000'000);
  }

  view::Pacer pacer_{view::wall_clock()};
  std::atomic<bool> is_done_{false};
  std::thread thread_;
};

std::vector<std::unique_ptr<EmptySteps>> start_empty_steps() {
  std::vector<std::unique_ptr<EmptySteps>> out;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return out;
  for (int cpu = 0; cpu < CPU_SETSIZE && out.size() < 16; ++cpu)
    if (CPU_ISSET(static_cast<unsigned>(cpu), &allowed))
      out.push_back(std::make_unique<EmptySteps>(cpu));
  return out;
}

// Seconds of processors that the host of a virtual machine has taken so far, where it tells.
double read_stolen() {
  std::ifstream stat("/proc/stat");
  std::string word;
  double ticks = 0.0;
  stat >> word;
  for (int k = 0; k < 8; ++k) stat >> ticks;  // user nice system idle iowait irq softirq steal
  return stat ? ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0.0;
}

Figures measure(double seconds, std::shared_ptr<LiveTape> tape) {
  view::ServerOptions options;
  options.hub.version = "bench";
  options.hub.first.settings.file = kScene;
  options.hub.first.label = "humanoid_stand.yaml";
  cli::LiveDevice device("emulator", 1, "", {}, [](const std::string&) {});
  options.hub.session.modules.push_back(device.module());
  options.hub.session.modules.push_back(std::move(tape));
  view::Server server(std::move(options));
  std::thread thread([&] { server.run(); });
  Figures out;
  {
    std::vector<std::unique_ptr<Viewer>> viewers;
    for (int k = 0; k < kViewers; ++k)
      viewers.push_back(std::make_unique<Viewer>(server.port(), k == 0));
    std::this_thread::sleep_for(std::chrono::duration<double>(kSettle));
    const auto began = std::chrono::steady_clock::now();
    const double from = viewers[0]->time();
    std::vector<std::uint64_t> before;
    for (const auto& viewer : viewers) before.push_back(viewer->bytes());
    const std::uint64_t states = viewers[0]->states();
    auto empty = start_empty_steps();
    const double stolen = read_stolen();
    Progress progress("realtime", static_cast<int>(std::ceil(seconds)));
    for (double left = seconds; left > 0.0; left -= 1.0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, 1.0)));
      progress.advance();
    }
    for (const auto& steps : empty) {
      steps->stop();
      if (steps->lateness().quantile(0.999) >= out.machine.quantile(0.999))
        out.machine = steps->lateness();
    }
    out.stolen = read_stolen() - stolen;
    const double wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    out.factor = (viewers[0]->time() - from) / wall;
    out.frames = static_cast<double>(viewers[0]->states() - states) / wall;
    for (int k = 0; k < kViewers; ++k)
      out.kilobytes = std::max(
          out.kilobytes,
          1e-3 * static_cast<double>(viewers[k]->bytes() - before[static_cast<std::size_t>(k)]) /
              wall);
  }
  server.stop();
  thread.join();
  out.late = server.hub().session().lateness();
  out.scheduling = server.hub().session().scheduling();
  return out;
}

// The histogram by octaves: the upper edge in us, and how many.
std::vector<std::pair<double, std::int64_t>> list_octaves(const view::Lateness& late) {
  std::vector<std::pair<double, std::int64_t>> out;
  for (std::size_t k = 0; k < late.count.size(); ++k) {
    const double edge = std::exp2(std::ceil(std::log2(view::Lateness::find_edge(k))));
    if (late.count[k] == 0) continue;
    if (out.empty() || out.back().first != edge) out.emplace_back(edge, 0);
    out.back().second += late.count[k];
  }
  return out;
}

Json make_json(const view::Lateness& late) {
  Json buckets = Json::array();
  for (const auto& [edge, steps] : list_octaves(late))
    buckets.push_back({{"below_us", edge}, {"steps", steps}});
  return {{"steps", late.steps},
          {"p999_us", late.quantile(0.999)},
          {"worst_us", 1e-3 * static_cast<double>(late.worst)},
          {"longest_step_us", 1e-3 * static_cast<double>(late.longest)},
          {"longest_step", late.longest_at},
          {"overruns", late.overruns},
          {"too_late",
           {{"work", late.too_late[view::Lateness::kWork]},
            {"processor_taken", late.too_late[view::Lateness::kTaken]},
            {"woken_late", late.too_late[view::Lateness::kSleep]}}},
          {"lateness", buckets}};
}

}  // namespace

void run_realtime(const Options& options) {
  const double seconds = options.seconds;
  const auto tape = std::make_shared<LiveTape>(kSettle + seconds + 10.0);
  const Figures found = measure(seconds, tape);
  const TapeWork work = run_again(io::load_scene(kScene), *tape, kRepeats);
  const double longest = work.least.empty() ? 0.0 : work.least[work.longest];
  const view::Lateness& late = found.late;
  if (options.json) {
    Json out = {{"name", "humanoid_stand"},
                {"seconds", seconds},
                {"viewers", kViewers},
                {"scheduling", found.scheduling},
                {"real_time_factor", found.factor},
                {"kilobytes_per_second", found.kilobytes},
                {"frames_per_second", found.frames}};
    out.update(make_json(late));
    out["again"] = {{"steps", work.least.size()},
                    {"same_bits", work.is_same},
                    {"p999_us", work.p999},
                    {"longest_step_us", longest},
                    {"longest_step", work.longest + 1},
                    {"long_live_steps", work.live_long},
                    {"of_these_us", work.longest_again},
                    {"late_p999_us", work.late_p999}};
    out["stolen_s"] = found.stolen;
    out["empty_steps"] = make_json(found.machine);
    fmt::print("{}", cli::print_json(out));
    return;
  }
  fmt::print(
      "scenes/humanoid_stand.yaml live at 1 kHz for {:g} s: an emulated device, {} viewers, one of "
      "whom pulls at a hand\n{}\n{}\n\n",
      seconds, kViewers, describe_machine(), found.scheduling);
  std::vector<std::vector<std::string>> rows = {
      {"steps began late by less than", "steps", "share"}};
  for (const auto& [edge, steps] : list_octaves(late))
    rows.push_back({fmt::format("{:g} us", edge), fmt::format("{}", steps),
                    fmt::format("{:.4f} %", 100.0 * static_cast<double>(steps) /
                                                static_cast<double>(late.steps))});
  fmt::print("{}", cli::format_table(rows, 1, cli::find_style(stdout)));
  fmt::print(
      "\n99.9 % of {} steps began less than {:g} us late, the worst {:.3g} ms\n"
      "the longest, number {}, took {:.3g} ms of the processor; {} ended after the next was due\n"
      "more than 1 ms late: {} after steps that took too long, {} because the processor was taken "
      "away, {} woken too late\n"
      "{:.4f} times real time; {:.1f} kB/s at {:.0f} frames a second for the viewer who got most\n",
      late.steps, late.quantile(0.999), 1e-6 * static_cast<double>(late.worst), late.longest_at,
      1e-6 * static_cast<double>(late.longest), late.overruns, late.too_late[view::Lateness::kWork],
      late.too_late[view::Lateness::kTaken], late.too_late[view::Lateness::kSleep], found.factor,
      found.kilobytes, found.frames);
  const view::Lateness& machine = found.machine;
  fmt::print(
      "the work itself, the same {} steps again on no clock, each one's best of {}: 99.9 % less "
      "than {:.0f} us, the longest, number {}, {:.0f} us; {}\n",
      work.least.size(), kRepeats, work.p999, work.longest + 1, longest,
      work.is_same ? "the same bits" : "NOT the same bits");
  if (work.live_long > 0)
    fmt::print(
        "of the {} steps that used more than 1 ms of the processor live none takes more than "
        "{:.0f} us then\n",
        work.live_long, work.longest_again);
  fmt::print(
      "the machine itself, {} empty steps beside them on its worst processor: 99.9 % less than "
      "{:g} us late, the worst {:.3g} ms; its host took {:.2f} s of the processors\n\n",
      machine.steps, machine.quantile(0.999), 1e-6 * static_cast<double>(machine.worst),
      found.stolen);
  fmt::print(
      "less than 1 ms late at 99.9 %: {}; the work alone {:.0f} us, the machine alone {:g} us\n",
      late.quantile(0.999) < 1000.0 ? "yes" : "NO", work.late_p999, machine.quantile(0.999));
}

}  // namespace stance::bench
