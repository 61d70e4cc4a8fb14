// What others may try: the simulation goes on, memory does not grow, nothing is given away.

#include <fstream>

#include <gtest/gtest.h>

#include "stance/kernel/random.h"

#include "client.h"
#include "support/slow.h"

namespace stance::view::testing {
namespace {

constexpr const char* kBall =
    "version: 1\n"
    "environment: {floor: {shape: {plane: {}}}}\n"
    "objects: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 0.1]}}\n";

bool is_refused(std::uint16_t port, const Client::Options& options) {
  try {
    Client client(port, options);
    return false;
  } catch (const std::runtime_error&) {
    return true;
  }
}

// The simulation goes on at its speed.
void expect_alive(std::uint16_t port) {
  Client client(port);
  const SeenState before = client.next_state();
  client.wait_state([&](const SeenState& s) { return s.time > before.time + 0.1; });
}

double read_memory() {  // MB in use
  std::ifstream stream("/proc/self/statm");
  double all = 0.0, resident = 0.0;
  stream >> all >> resident;
  return resident * 4096e-6;
}

TEST(ViewHostile, OtherHostsAndOriginsAreRefused) {
  RunningServer server(Scenes{{"ball.yaml", kBall}});
  const std::uint16_t port = server.port();
  EXPECT_EQ(get(port, "/").status, 200);
  EXPECT_EQ(get(port, "/", "", "evil.example").status, 403);
  EXPECT_EQ(get(port, "/", "Origin: http://evil.example\r\n").status, 403);
  EXPECT_TRUE(is_refused(port, {"/ws", "evil.example", ""}));
  EXPECT_TRUE(is_refused(port, {"/ws", "localhost", "http://evil.example"}));
  EXPECT_TRUE(is_refused(port, {"/ws", "localhost", "http://localhost:1"}));
  EXPECT_TRUE(is_refused(port, {"/", "localhost", ""}));
  EXPECT_FALSE(is_refused(port, {"/ws", "localhost", "http://localhost:" + std::to_string(port)}));
  expect_alive(port);
}

TEST(ViewHostile, ATokenIsAskedForEverywhere) {
  RunningServer server(Scenes{{"ball.yaml", kBall}},
                       [](ServerOptions& options) { options.asks_for_token = true; });
  const std::uint16_t port = server.port();
  const std::string token = server.server().token();
  ASSERT_EQ(token.size(), 32u);
  for (const char* path : {"/", "/stance.js", "/mesh/0", "/recording.h5"})
    EXPECT_EQ(get(port, path).status, 403) << path;
  EXPECT_TRUE(is_refused(port, {"/ws", "localhost", ""}));
  const std::string other = (token[0] == '0' ? "1" : "0") + token.substr(1);
  EXPECT_TRUE(is_refused(port, {"/ws?token=" + other, "localhost", ""}));
  EXPECT_FALSE(is_refused(port, {"/ws?token=" + token, "localhost", ""}));
  const HttpReply page = get(port, "/?token=" + token);
  EXPECT_EQ(page.status, 200);
  // its script can be had as the page asks for it
  if (const std::size_t at = page.text.find("./stance.js?token="); at != std::string::npos) {
    const std::string script = page.text.substr(at + 1, page.text.find('"', at) - at - 1);
    EXPECT_EQ(get(port, script).status, 200) << script;
  }
}

TEST(ViewHostile, NoFileOfTheDiskCanBeRead) {
  RunningServer server(Scenes{{"ball.yaml", kBall}});
  const std::uint16_t port = server.port();
  for (const char* path :
       {"/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/ball.yaml",
        "/scenes/ball.yaml", "/mesh/../../etc/passwd", "/mesh/-1", "/mesh/0x0", "/mesh/",
        "/mesh/99999999999999999999", "/index.html/..", "/stance.js%00.html"})
    EXPECT_NE(get(port, path).status, 200) << path;
  EXPECT_EQ(get(port, "/%00").status, 404);
}

TEST(ViewHostile, OddHttpGetsShortAnswers) {
  RunningServer server(Scenes{{"ball.yaml", kBall}});
  const std::uint16_t port = server.port();
  const std::string host = "Host: localhost\r\n";
  EXPECT_EQ(ask_http(port, "POST / HTTP/1.1\r\nConnection: close\r\n" + host + "\r\n").status, 405);
  EXPECT_EQ(ask_http(port, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n").status, 403);
  for (const std::string& request :
       {std::string("\r\n\r\n\r\n"), std::string("GET"), std::string(100000, 'A'),
        "GET / HTTP/1.1\r\n" + host + "X: " + std::string(100000, 'b') + "\r\n\r\n",
        "POST / HTTP/1.1\r\n" + host + "Content-Length: 1000000000\r\n\r\nabc",
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11)}) {
    if (request == "GET") continue;  // waits for the rest, see below
    EXPECT_NE(ask_http(port, request).status, 200);
  }
  const HttpReply head = ask_http(port, "HEAD / HTTP/1.1\r\nConnection: close\r\n" + host + "\r\n");
  EXPECT_EQ(head.status, 200);
  EXPECT_TRUE(head.text.ends_with("\r\n\r\n"));
  EXPECT_NE(head.text.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
  EXPECT_NE(head.text.find("X-Content-Type-Options: nosniff"), std::string::npos);
  expect_alive(port);
}

TEST(ViewHostile, NonsenseIsAnsweredAndChangesNothing) {
  RunningServer server(Scenes{{"ball.yaml", kBall}});
  Client client(server.port());
  client.scene();
  kernel::Random random(7);
  const std::string message =
      R"({"type":"drag","id":1,"body":"ball","point":[0,0,0],"target":[0,0,1]})";
  for (int k = 0; k < 60; ++k) {
    std::string text = message;
    if (k % 3 == 0) text.resize(static_cast<std::size_t>(random.uniform(0.0, 1.0) * text.size()));
    for (int n = 0; n < k % 5; ++n)
      if (!text.empty())
        text[static_cast<std::size_t>(random.uniform(0.0, 0.999) * text.size())] =
            static_cast<char>(random.uniform(1.0, 127.0));
    client.send_raw(text);
  }
  client.send_raw(std::string(50000, '{'));
  client.send_raw(std::string("\x00\xff", 2), false);
  client.wait_text([](const json& m) { return m["type"] == "error"; });
  EXPECT_EQ(client.ask({{"type", "release"}})["type"], "ok");
  expect_alive(server.port());
}

TEST(ViewHostile, WhoSendsTooMuchNonsenseIsDisconnected) {
  RunningServer server(Scenes{{"ball.yaml", kBall}});
  Client client(server.port());
  for (int k = 0; k < 1'000'000 && !client.is_closed(); ++k) client.send_raw("nonsense");
  EXPECT_THROW(client.wait_type("never"), std::runtime_error);
  EXPECT_TRUE(client.is_closed());
  Client huge(server.port());
  huge.send_raw(std::string(1 << 20, ' '));
  EXPECT_THROW(huge.wait_type("never"), std::runtime_error);
  EXPECT_TRUE(huge.is_closed());
  expect_alive(server.port());
}

// Ten thousand messages a second are slowed down to a thousand; others notice nothing. However long
// that takes on a busy machine, there are no more answers than that time allows.
TEST(ViewHostile, AFloodIsSlowedDown) {
  RunningServer server(Scenes{{"ball.yaml", kBall}});
  Client watcher(server.port());
  const SeenState before = watcher.next_state();
  Client::Options options;
  options.keeps_texts = false;
  const auto clock = std::chrono::steady_clock::now();
  Client client(server.port(), options);
  std::atomic<bool> is_done{false};
  std::atomic<int> sent{0};
  std::thread flood([&] {
    while (!is_done) client.send_raw(R"({"type":"release","id":1})"), ++sent;
  });
  const double memory = read_memory();
  watcher.wait_state([&](const SeenState& s) { return s.time > before.time + 2.0; });
  const auto heard = static_cast<double>(client.text_count());
  const double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  // a quarter of a second's messages at once, and what everybody is told
  EXPECT_LT(heard, 1000.0 * (passed + 0.25) + 10.0 * passed + 100.0);
  // the address sanitizer keeps what was given back
  if (!test::kIsSlow) {
    EXPECT_LT(read_memory() - memory, 40.0);
  }
  is_done = true;
  server.stop();  // unblocks the flood
  flood.join();
  EXPECT_GT(sent, 1000);
}

TEST(ViewHostile, AViewerThatTakesNothingCostsLittle) {
  RunningServer server(Scenes{{"ball.yaml", kBall}});
  Client::Options options;
  options.reads = false;
  Client deaf(server.port(), options);
  deaf.send_raw(
      R"({"type":"watch","id":1,"channels":["ball/position","ball/velocity"],"joints":true})");
  Client watcher(server.port());
  watcher.next_state();
  const double memory = read_memory();
  EXPECT_EQ(watcher.ask({{"type", "speed"}, {"factor", 0}})["type"], "ok");
  for (int k = 0; k < 120; ++k) watcher.next_state();
  if (!test::kIsSlow) {
    EXPECT_LT(read_memory() - memory, 60.0);
  }
}

TEST(ViewHostile, ConnectionsAreBounded) {
  RunningServer server(Scenes{{"ball.yaml", kBall}});
  std::vector<std::unique_ptr<Client>> clients;
  int refused = 0;
  for (int k = 0; k < 40; ++k) {
    try {
      clients.push_back(std::make_unique<Client>(server.port()));
    } catch (const std::runtime_error&) {
      ++refused;
    }
  }
  EXPECT_EQ(clients.size(), 32u);
  EXPECT_EQ(refused, 8);
  clients.back()->next_state();
  clients.clear();
  // those that left make room
  for (int tries = 0; tries < 1200; ++tries) {
    try {
      expect_alive(server.port());
      return;
    } catch (const std::runtime_error&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  FAIL();
}

}  // namespace
}  // namespace stance::view::testing
