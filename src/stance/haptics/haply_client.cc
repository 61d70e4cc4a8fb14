#include "stance/haptics/haply_client.h"

#include <array>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>

#include "stance/haptics/haply_protocol.h"

namespace stance::haptics {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using beast::error_code;
using net::ip::tcp;

constexpr double kRetry = 0.5;                 // s
constexpr double kSilence = 1.0;               // s without a message: the link is dead
constexpr std::uint64_t kMostUnanswered = 64;  // messages

}  // namespace

// One connection, from the attempt to its end.
class HaplyClient::Link : public std::enable_shared_from_this<Link> {
 public:
  Link() : resolver_(io_), socket_(io_) {}

  void start(const std::string& host, int port) {
    host_ = fmt::format("{}:{}", host, port);
    socket_.read_message_max(kMostHaplyBytes);
    beast::get_lowest_layer(socket_).expires_after(std::chrono::seconds(2));
    resolver_.async_resolve(host, std::to_string(port),
                            [self = shared_from_this()](error_code error, auto found) {
                              if (error) return self->fail("find", error);
                              self->connect(found);
                            });
  }

  // True when a message has come since the last call.
  bool poll() {
    io_.restart();
    io_.poll();
    return std::exchange(has_heard_, false);
  }

  // Nothing comes any more, though nobody has hung up.
  void give_up() {
    if (is_over_) return;
    if (trouble_.empty())
      trouble_ =
          fmt::format("the Haply service at {} has said nothing for {:g} s", host_, kSilence);
    end();
  }

  // Ends it without waiting for the other side; what is still to be called back finds it over.
  void stop() {
    is_over_ = true;
    error_code ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
    resolver_.cancel();
    poll();
  }

  bool is_over() const { return is_over_; }
  const std::string& trouble() const { return trouble_; }

  // The newest state since the last call.
  bool take(HaplyState& state, std::uint64_t& answered) {
    if (!is_fresh_) return false;
    state = state_, answered = answered_;
    is_fresh_ = false;
    return true;
  }

  void send(const DeviceForce& force) {
    if (!is_open_ || is_over_ || is_writing_ || sent_ - replies_ >= kMostUnanswered) return;
    write_haply_force(device_, force.force, out_);
    numbers_[sent_++ % kMostUnanswered] = force.number;
    is_writing_ = true;
    socket_.async_write(net::buffer(out_),
                        [self = shared_from_this()](error_code error, std::size_t) {
                          self->is_writing_ = false;
                          if (error) self->fail("write to", error);
                        });
  }

 private:
  void connect(const tcp::resolver::results_type& found) {
    if (is_over_) return;
    beast::get_lowest_layer(socket_).async_connect(
        found, [self = shared_from_this()](error_code error, const tcp::endpoint&) {
          if (error) return self->fail("reach", error);
          self->greet();
        });
  }

  void greet() {
    if (is_over_) return;
    error_code ignored;
    beast::get_lowest_layer(socket_).socket().set_option(tcp::no_delay(true), ignored);
    beast::get_lowest_layer(socket_).expires_never();
    websocket::stream_base::timeout patience =
        websocket::stream_base::timeout::suggested(beast::role_type::client);
    patience.handshake_timeout = std::chrono::seconds(2);
    socket_.set_option(patience);
    socket_.async_handshake(host_, "/", [self = shared_from_this()](error_code error) {
      if (error) return self->fail("greet", error);
      self->listen();
    });
  }

  void listen() {
    if (is_over_) return;
    socket_.async_read(in_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->fail("read from", error);
      self->hear();
      self->listen();
    });
  }

  void hear() {
    has_heard_ = true;
    text_.assign(static_cast<const char*>(in_.data().data()), in_.size());
    in_.consume(in_.size());
    // the first message is the inventory, every other one answers one of ours
    if (is_open_ && replies_ < sent_) answered_ = numbers_[replies_++ % kMostUnanswered];
    HaplyState state;
    std::string trouble;
    if (!parse_haply_state(text_, state, trouble)) {
      trouble_ = "the Haply service sent " + trouble;
      return;
    }
    if (!state.device.empty()) device_ = state.device;
    is_open_ = is_open_ || !device_.empty();
    if (!state.has_device) {
      if (device_.empty()) trouble_ = "the Haply service has no Inverse3";
      return;
    }
    trouble_.clear();
    state_ = state;
    is_fresh_ = true;
  }

  void fail(const char* what, error_code error) {
    if (is_over_) return;
    trouble_ = fmt::format("cannot {} the Haply service at {}: {}", what, host_, error.message());
    end();
  }

  void end() {
    is_over_ = true;
    error_code ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
  }

  net::io_context io_;
  tcp::resolver resolver_;
  websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer in_;
  std::string host_, out_, text_, device_, trouble_;
  HaplyState state_;
  bool is_open_ = false, is_over_ = false, is_writing_ = false, is_fresh_ = false;
  bool has_heard_ = false;
  std::uint64_t sent_ = 0, replies_ = 0;
  std::uint64_t answered_ = 0;  // number of a force of this link; 0: none of it yet
  std::array<std::uint64_t, kMostUnanswered> numbers_{};
};

HaplyClient::HaplyClient(const HaplyOptions& options) : options_(options) {
  facts_.name = "haply";
  facts_.damping = options.damping;
  facts_.max_force = options.max_force;
  facts_.workspace = 0.1;
}

HaplyClient::~HaplyClient() {
  if (link_) link_->stop();
}

std::string HaplyClient::trouble() const { return trouble_; }

Reading HaplyClient::read(double now, DeviceSample& sample) {
  if (link_ && link_->is_over()) {
    trouble_ = link_->trouble();
    link_->stop();
    link_.reset();
  }
  if (!link_) {
    if (now < retry_ + kRetry) return Reading::kLost;
    retry_ = heard_ = now;
    link_ = std::make_shared<Link>();
    link_->start(options_.host, options_.port);
  }
  if (link_->poll()) heard_ = now;
  if (now - heard_ > kSilence) link_->give_up();
  HaplyState state;
  std::uint64_t answered = 0;
  if (!link_->take(state, answered)) {
    if (!link_->trouble().empty()) trouble_ = link_->trouble();
    return Reading::kNothing;
  }
  trouble_.clear();
  facts_.has_orientation = state.has_orientation;
  sample.position = state.position, sample.velocity = state.velocity;
  sample.orientation = state.orientation;
  sample.buttons = state.buttons;
  // the service sets the force and looks at the state right away
  sample.applied = answered, sample.since = 0.0;
  return Reading::kFresh;
}

void HaplyClient::write(double now, const DeviceForce& force) {
  if (!link_) return;
  link_->send(force);
  if (link_->poll()) heard_ = now;
}

}  // namespace stance::haptics
