#include "client.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <gtest/gtest.h>

#include "stance/cli/live_recorder.h"

namespace stance::view::testing {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
constexpr auto kPatience = std::chrono::seconds(120);  // bounds what hangs

tcp::endpoint find_endpoint(std::uint16_t port) {
  return {asio::ip::make_address("127.0.0.1"), port};
}

}  // namespace

HttpReply ask_http(std::uint16_t port, const std::string& request) {
  asio::io_context io;
  tcp::socket socket(io);
  error_code error;
  socket.connect(find_endpoint(port), error);
  if (error) return {};
  asio::write(socket, asio::buffer(request), error);
  HttpReply out;
  asio::read(socket, asio::dynamic_buffer(out.text), error);
  if (out.text.starts_with("HTTP/1.1 ")) out.status = std::stoi(out.text.substr(9, 3));
  return out;
}

HttpReply get(std::uint16_t port, const std::string& target, const std::string& more,
              const std::string& host) {
  return ask_http(port, "GET " + target + " HTTP/1.1\r\nHost: " + host + ":" +
                            std::to_string(port) + "\r\nConnection: close\r\n" + more + "\r\n");
}

std::array<double, 3> SeenState::position(int body) const {
  std::array<double, 3> out{};
  for (std::size_t k = 0; k < 3; ++k)
    out[k] = get_at<float>(bytes.data(), 84 + 20 * static_cast<std::size_t>(body - 1) + 4 * k);
  return out;
}

struct Client::Socket {
  asio::io_context io;
  websocket::stream<tcp::socket> stream{io};
};

Client::Client(std::uint16_t port, Options options)
    : socket_(std::make_unique<Socket>()), keeps_texts_(options.keeps_texts) {
  auto& stream = socket_->stream;
  error_code error;
  stream.next_layer().connect(find_endpoint(port), error);
  if (error) throw std::runtime_error("no server");
  const std::string host = options.host + ":" + std::to_string(port);
  stream.set_option(websocket::stream_base::decorator([&](websocket::request_type& request) {
    request.set(beast::http::field::sec_websocket_protocol, "stance.v1");
    if (!options.origin.empty()) request.set(beast::http::field::origin, options.origin);
  }));
  stream.handshake(host, options.target, error);
  if (error) throw std::runtime_error("refused: " + error.message());
  if (options.reads) thread_ = std::thread([this] { read(); });
}

Client::~Client() {
  error_code ignored;
  socket_->stream.next_layer().shutdown(tcp::socket::shutdown_both, ignored);
  if (thread_.joinable()) thread_.join();
}

void Client::read() {
  for (;;) {
    beast::flat_buffer buffer;
    error_code error;
    socket_->stream.read(buffer, error);
    const std::lock_guard lock(mutex_);
    if (error) {
      is_closed_ = true;
      came_.notify_all();
      return;
    }
    const auto data = buffer.cdata();
    const auto* bytes = static_cast<const std::byte*>(data.data());
    bytes_ += data.size();
    if (socket_->stream.got_text()) {
      ++text_count_;
      if (keeps_texts_) texts_.push_back(json::parse(beast::buffers_to_string(data)));
    } else if (bytes[0] == std::byte(1)) {
      SeenState state;
      state.bytes.assign(bytes, bytes + data.size());
      state.flags = get_at<std::uint16_t>(bytes, 2), state.scene = get_at<std::uint32_t>(bytes, 4);
      state.time = get_at<double>(bytes, 8), state.step = get_at<std::uint32_t>(bytes, 16);
      state.speed = get_at<float>(bytes, 20);
      state.bodies = get_at<std::uint16_t>(bytes, 40);
      state.contacts = get_at<std::uint16_t>(bytes, 42);
      state.joints = get_at<std::uint16_t>(bytes, 44);
      const std::size_t corners = get_at<std::uint16_t>(bytes, 46);
      const std::size_t whole = 84 + 20 * static_cast<std::size_t>(state.bodies) +
                                32 * static_cast<std::size_t>(state.contacts) +
                                8 * (static_cast<std::size_t>(state.joints) + corners);
      if (whole != data.size()) texts_.push_back({{"type", "broken"}, {"size", data.size()}});
      if (states_.size() > 100) states_.erase(states_.begin(), states_.begin() + 50);
      states_.push_back(std::move(state));
      ++state_count_;
    } else {
      if (frames_.size() > 1000) frames_.erase(frames_.begin(), frames_.begin() + 500);
      frames_.emplace_back(bytes, bytes + data.size());
    }
    came_.notify_all();
  }
}

double Client::tell(json request) {
  const double id = next_id_++;
  request["id"] = id;
  send_raw(request.dump());
  return id;
}

// A frame of its own making: the stream belongs to the thread that reads.
void Client::send_raw(const std::string& text, bool is_text) {
  std::string frame(1, static_cast<char>(is_text ? 0x81 : 0x82));
  const std::size_t size = text.size();
  const int bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
  frame += static_cast<char>(0x80 | (bytes == 0 ? size : bytes == 2 ? 126 : 127));
  for (int k = bytes - 1; k >= 0; --k) frame += static_cast<char>(size >> (8 * k));
  frame.append(4, '\0');  // a mask that changes nothing
  frame += text;
  error_code ignored;
  asio::write(socket_->stream.next_layer(), asio::buffer(frame), ignored);
}

json Client::ask(json request) {
  const double id = tell(std::move(request));
  return wait_text([&](const json& m) {
    return (m["type"] == "ok" || m["type"] == "error") && m.contains("re") && m["re"] == id;
  });
}

json Client::wait_text(const std::function<bool(const json&)>& fits, std::size_t from) {
  std::unique_lock lock(mutex_);
  std::size_t at = from;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    for (; at < texts_.size(); ++at)
      if (fits(texts_[at])) return texts_[at];
    if (is_closed_) throw std::runtime_error("the server closed the connection");
    if (came_.wait_until(lock, end) == std::cv_status::timeout)
      throw std::runtime_error("waited in vain; the last message: " +
                               (texts_.empty() ? "none" : texts_.back().dump().substr(0, 300)));
  }
}

json Client::wait_type(const std::string& type, std::size_t from) {
  return wait_text([&](const json& m) { return m["type"] == type; }, from);
}

std::size_t Client::text_count() {
  const std::lock_guard lock(mutex_);
  return text_count_;
}

json Client::scene() {
  wait_type("scene");
  const std::lock_guard lock(mutex_);
  json out;
  for (const json& message : texts_)
    if (message["type"] == "scene") out = message;
  return out;
}

SeenState Client::wait_state(const std::function<bool(const SeenState&)>& fits) {
  std::unique_lock lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    if (!states_.empty() && fits(states_.back())) return states_.back();
    if (is_closed_) throw std::runtime_error("the server closed the connection");
    if (came_.wait_until(lock, end) == std::cv_status::timeout)
      throw std::runtime_error("waited in vain for a state");
  }
}

SeenState Client::next_state() {
  std::size_t before = 0;
  {
    const std::lock_guard lock(mutex_);
    before = state_count_;
  }
  return wait_state([&](const SeenState&) { return state_count_ > before; });
}

Bytes Client::wait_frame(int kind, const std::function<bool(const Bytes&)>& fits) {
  std::unique_lock lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    for (auto it = frames_.rbegin(); it != frames_.rend(); ++it)
      if ((*it)[0] == std::byte(kind) && fits(*it)) return *it;
    if (is_closed_) throw std::runtime_error("the server closed the connection");
    if (came_.wait_until(lock, end) == std::cv_status::timeout)
      throw std::runtime_error("waited in vain for a frame");
  }
}

bool Client::is_closed() {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

std::size_t Client::bytes_received() {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

// ---- the server ---------------------------------------------------------------------------------

RunningServer::RunningServer(const Scenes& scenes, std::function<void(ServerOptions&)> change) {
  std::string pattern = (std::filesystem::temp_directory_path() / "stance_view_XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  ServerOptions options;
  HubOptions& hub = options.hub;
  hub.version = "test";
  for (const auto& [name, text] : scenes) {
    const std::string path = folder_ + "/" + name;
    if (!text.empty()) std::ofstream(path) << text;
    const std::string real = text.empty() ? STANCE_SOURCE_DIR "/scenes/" + name : path;
    hub.scenes.push_back({{"scenes/" + name, ""}, real});
  }
  hub.first.label = hub.scenes.front().entry.file;
  hub.first.settings.file = hub.scenes.front().path;
  hub.make_recording = cli::make_live_recordings(folder_);
  hub.session.timeline_bytes = std::size_t{32} << 20;
  if (change) change(options);
  server_ = std::make_unique<Server>(std::move(options));
  thread_ = std::thread([this] { server_->run(); });
}

std::string RunningServer::fetch_recording() const {
  const HttpReply reply = get(port(), "/recording.h5");
  EXPECT_EQ(reply.status, 200);
  const std::string file = folder_ + "/got.h5";
  std::ofstream(file, std::ios::binary) << reply.text.substr(reply.text.find("\r\n\r\n") + 4);
  return file;
}

void RunningServer::stop() {
  if (!thread_.joinable()) return;
  server_->stop();
  thread_.join();
}

RunningServer::~RunningServer() {
  stop();
  server_.reset();
  std::error_code code;
  std::filesystem::remove_all(folder_, code);
}

}  // namespace stance::view::testing
