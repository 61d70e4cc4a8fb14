// How well a live simulation keeps its time: the humanoid at 1 kHz with a haptic device and
// viewers connected, one of whom pulls at a hand.

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
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
#include "stance/view/server.h"

#include "machine.h"
#include "options.h"
#include "progress.h"
#include "record.h"

namespace stance::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int kViewers = 4;
constexpr double kSettle = 2.0;  // s before bytes are counted
constexpr int kEmpty = 10000;    // steps that do nothing

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

  // A hand at the mouse: sixty messages a second, ten centimetres to and fro.
  void pull() {
    for (int k = 0; !is_done_; ++k) {
      const double y = 0.1 * std::sin(k / 30.0);
      const std::string text = fmt::format(
          R"({{"type": "drag", "id": {:8}, "body": "humanoid/right_hand", "point": [0.00, 0.00, 0.00], )"
          R"("target": [0.300, {:.4f}, 0.900], "about": "a hand at the mouse"}})",
          k, y - 0.25);
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
  view::Lateness late;
};

// How late steps begin that do nothing, with nobody connected: the machine's own share.
view::Lateness measure_machine() {
  view::Pacer pacer;
  std::thread thread([&] {
    sched_param param{};
    param.sched_priority = 20;
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);  // where permitted
    pacer.restart();
    for (int k = 0; k < kEmpty; ++k) pacer.wait(1'000'000);
  });
  thread.join();
  return pacer.lateness();
}

Figures measure(double seconds) {
  view::ServerOptions options;
  options.hub.version = "bench";
  options.hub.first.path = STANCE_SOURCE_DIR "/scenes/humanoid_stand.yaml";
  options.hub.first.label = "humanoid_stand.yaml";
  cli::LiveDevice device("emulator", 1, "", {}, [](const std::string&) {});
  options.hub.session.modules.push_back(device.module());
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
    Progress progress("realtime", static_cast<int>(std::ceil(seconds)));
    for (double left = seconds; left > 0.0; left -= 1.0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, 1.0)));
      progress.advance();
    }
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

}  // namespace

void run_realtime(const Options& options) {
  const double seconds = options.seconds;
  const view::Lateness machine = measure_machine();
  const Figures found = measure(seconds);
  const view::Lateness& late = found.late;
  if (options.json) {
    Json buckets = Json::array();
    for (std::size_t k = 0; k < late.count.size(); ++k)
      if (late.count[k] > 0)
        buckets.push_back(
            {{"below_us", std::exp2(static_cast<double>(k))}, {"steps", late.count[k]}});
    const Json out = {{"name", "humanoid_stand"},
                      {"seconds", seconds},
                      {"viewers", kViewers},
                      {"scheduling", found.scheduling},
                      {"steps", late.steps},
                      {"p999_us", late.quantile(0.999)},
                      {"worst_us", 1e-3 * static_cast<double>(late.worst)},
                      {"overruns", late.overruns},
                      {"machine_p999_us", machine.quantile(0.999)},
                      {"machine_worst_us", 1e-3 * static_cast<double>(machine.worst)},
                      {"real_time_factor", found.factor},
                      {"kilobytes_per_second", found.kilobytes},
                      {"frames_per_second", found.frames},
                      {"lateness", buckets}};
    fmt::print("{}", cli::print_json(out));
    return;
  }
  fmt::print(
      "scenes/humanoid_stand.yaml live at 1 kHz for {:g} s: an emulated device, {} viewers, one of "
      "whom pulls at a hand\n{}\n{}\n\n",
      seconds, kViewers, describe_machine(), found.scheduling);
  std::vector<std::vector<std::string>> rows = {
      {"steps began late by less than", "steps", "share"}};
  const auto all = static_cast<double>(late.steps);
  for (std::size_t k = 0; k < late.count.size(); ++k)
    if (late.count[k] > 0)
      rows.push_back({fmt::format("{:g} us", std::exp2(static_cast<double>(k))),
                      fmt::format("{}", late.count[k]),
                      fmt::format("{:.4f} %", 100.0 * static_cast<double>(late.count[k]) / all)});
  fmt::print("{}", cli::format_table(rows, 1, cli::find_style(stdout)));
  fmt::print(
      "\n99.9 % of {} steps began less than {:g} us late, the worst {:.3g} ms; {} when the one "
      "before was not over\n"
      "{:.4f} times real time; {:.1f} kB/s at {:.0f} frames a second for the viewer who got most\n",
      late.steps, late.quantile(0.999), 1e-6 * static_cast<double>(late.worst), late.overruns,
      found.factor, found.kilobytes, found.frames);
  fmt::print(
      "the machine itself, {} empty steps before: 99.9 % less than {:g} us late, the worst "
      "{:.3g} ms\n",
      kEmpty, machine.quantile(0.999), 1e-6 * static_cast<double>(machine.worst));
}

}  // namespace stance::bench
