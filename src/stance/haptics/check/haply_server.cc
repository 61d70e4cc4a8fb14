#include "stance/haptics/check/haply_server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <deque>
#include <mutex>
#include <set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>

#include "stance/haptics/haply_protocol.h"
#include "stance/kernel/error.h"

namespace stance::haptics {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using beast::error_code;
using net::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr const char* kDevice = "0001";
constexpr std::size_t kMostWaiting = 1024;  // messages of a client

Clock::duration seconds(double s) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
}

}  // namespace

class HaplyServer::Service : public std::enable_shared_from_this<Service> {
 public:
  class Client;

  Service(const ServerOptions& options, Motion motion)
      : options_(options),
        hand_(options.hand, std::move(motion)),
        random_(options.hand.seed),
        acceptor_(io_) {
    error_code error;
    const tcp::endpoint here(net::ip::address_v4::loopback(),
                             static_cast<unsigned short>(options.port));
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(net::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(net::socket_base::max_listen_connections, error);
    if (error)
      throw Error(
          fmt::format("cannot listen on port {} of this machine: {}; is another one running?"
                      " --port takes another number",
                      options.port, error.message()));
  }

  int port() const { return acceptor_.local_endpoint().port(); }

  void run() {
    accept();
    net::signal_set signals(io_);
    if (options_.stop_on_signals) {
      signals.add(SIGINT), signals.add(SIGTERM);
      signals.async_wait([self = shared_from_this()](error_code error, int) {
        if (!error) self->stop();
      });
    }
    net::steady_timer end(io_);
    if (options_.duration > 0.0) {
      end.expires_after(seconds(options_.duration));
      end.async_wait([self = shared_from_this()](error_code error) {
        if (!error) self->stop();
      });
    }
    io_.run();
  }
  void stop() {
    net::post(io_, [self = shared_from_this()] {
      error_code ignored;
      self->acceptor_.close(ignored);
      self->drop_all();
      self->io_.stop();
    });
  }
  void drop_clients() {
    net::post(io_, [self = shared_from_this()] { self->drop_all(); });
  }
  void set_silent(bool is_silent) { is_silent_ = is_silent; }
  bool is_silent() const { return is_silent_; }
  HandReport report() {
    const std::lock_guard lock(mutex_);
    return report_;
  }

  void tell(const std::string& text) const {
    if (options_.tell) options_.tell(text);
  }
  void leave(const std::shared_ptr<Client>& client);

  double shake() {
    return options_.hand.latency +
           (options_.hand.jitter > 0.0 ? random_.uniform(0.0, options_.hand.jitter) : 0.0);
  }
  double period() const { return options_.rate > 0.0 ? 1.0 / options_.rate : 0.0; }

  // Handles a message: the force acts from now on, the answer has the state of now.
  void handle(const std::string& text, std::string& answer) {
    HaplyCommand command;
    std::string trouble;
    const bool is_fine = parse_haply_command(text, kDevice, command, trouble);
    if (!is_fine) tell("a client sent " + trouble + "; its force is dropped");
    advance();
    if (!is_fine || command.has_force) set_force(command.force);
    write_state(false, answer);
    const std::lock_guard lock(mutex_);
    ++report_.messages;
    report_.bad_messages += !is_fine;
  }

  void write_state(bool is_inventory, std::string& text) {
    advance();
    HaplyState state;
    state.session = "1", state.device = kDevice;
    state.position = hand_.position(), state.velocity = hand_.velocity();
    if (const double q = options_.hand.quantisation; q > 0.0)
      for (int k = 0; k < 3; ++k) state.position.set(k, q * std::round(state.position[k] / q));
    if (options_.button_from >= 0.0 && hand_.time() >= options_.button_from) state.buttons = 1;
    write_haply_state(state, is_inventory, text);
  }

 private:
  void accept() {
    acceptor_.async_accept([self = shared_from_this()](error_code error, tcp::socket socket) {
      if (error == net::error::operation_aborted) return;
      if (!error) self->welcome(std::move(socket));
      self->accept();
    });
  }
  void welcome(tcp::socket socket);
  void drop_all();

  // The hand up to now; a force that nobody has renewed for long is dropped on the way.
  void advance() {
    const double now = std::chrono::duration<double>(Clock::now() - began_).count();
    const double end = last_force_ + options_.hand.watchdog;
    if (end < now) {
      hand_.advance(end);
      hand_.set_force({});
    }
    hand_.advance(now);
    const std::lock_guard lock(mutex_);
    report_.time = now;
    report_.position = hand_.position(), report_.force = hand_.force();
    report_.drawn = hand_.drawn(), report_.burnt = hand_.burnt();
    report_.overdrawn = std::max(report_.overdrawn, hand_.drawn() - hand_.burnt());
  }

  void set_force(const Vec3d& force) {
    const double size = norm(force), most = options_.hand.max_force;
    hand_.set_force(size > most ? (most / size) * force : force);
    last_force_ = hand_.time();
  }

  ServerOptions options_;
  Hand hand_;
  kernel::Random random_;
  net::io_context io_;
  tcp::acceptor acceptor_;
  std::set<std::shared_ptr<Client>> clients_;
  Clock::time_point began_ = Clock::now();
  double last_force_ = -1e300;  // s
  std::atomic<bool> is_silent_{false};
  std::mutex mutex_;
  HandReport report_;
};

// One client: messages wait for their time, are handled, and answered in order.
class HaplyServer::Service::Client : public std::enable_shared_from_this<Client> {
 public:
  Client(std::shared_ptr<Service> service, tcp::socket socket)
      : service_(std::move(service)), timer_(service_->io_), socket_(std::move(socket)) {
    socket_.read_message_max(kMostHaplyBytes);
    error_code ignored;
    beast::get_lowest_layer(socket_).socket().set_option(tcp::no_delay(true), ignored);
  }

  void start() {
    socket_.async_accept([self = shared_from_this()](error_code error) {
      if (error) return self->end();
      self->service_->tell("a client has come");
      self->answers_.emplace_back();
      self->service_->write_state(true, self->answers_.back());
      self->write();
      self->read();
    });
  }

  void end() {
    if (is_over_) return;
    is_over_ = true;
    error_code ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
    timer_.cancel();
    service_->leave(shared_from_this());
  }

 private:
  struct Waiting {
    Clock::time_point due;
    std::string text;
  };

  void read() {
    socket_.async_read(in_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->end();
      Clock::time_point due = Clock::now() + seconds(self->service_->shake());
      due = std::max(due, self->last_due_ + seconds(self->service_->period()));
      self->last_due_ = due;
      self->waiting_.push_back(
          {due, std::string(static_cast<const char*>(self->in_.data().data()), self->in_.size())});
      self->in_.consume(self->in_.size());
      if (self->waiting_.size() == 1) self->wait();
      // one that never listens is not listened to either
      if (self->waiting_.size() + self->answers_.size() < kMostWaiting)
        self->read();
      else
        self->is_deaf_ = true;
    });
  }

  void wait() {
    if (waiting_.front().due <= Clock::now()) return handle();
    timer_.expires_at(waiting_.front().due);
    timer_.async_wait([self = shared_from_this()](error_code error) {
      if (!error && !self->is_over_) self->handle();
    });
  }

  void handle() {
    while (!waiting_.empty() && waiting_.front().due <= Clock::now()) {
      answers_.emplace_back();
      service_->handle(waiting_.front().text, answers_.back());
      if (service_->is_silent()) answers_.pop_back();
      waiting_.pop_front();
    }
    if (!waiting_.empty()) wait();
    if (!is_writing_) write();
  }

  void write() {
    if (answers_.empty() || is_over_) return;
    is_writing_ = true;
    socket_.async_write(net::buffer(answers_.front()),
                        [self = shared_from_this()](error_code error, std::size_t) {
                          self->is_writing_ = false;
                          if (error) return self->end();
                          self->answers_.pop_front();
                          if (self->is_deaf_ && self->answers_.size() < kMostWaiting / 2) {
                            self->is_deaf_ = false;
                            self->read();
                          }
                          self->write();
                        });
  }

  std::shared_ptr<Service> service_;
  net::steady_timer timer_;
  websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer in_;
  std::deque<Waiting> waiting_;
  std::deque<std::string> answers_;
  Clock::time_point last_due_{};
  bool is_over_ = false, is_writing_ = false, is_deaf_ = false;
};

void HaplyServer::Service::welcome(tcp::socket socket) {
  const auto client = std::make_shared<Client>(shared_from_this(), std::move(socket));
  clients_.insert(client);
  {
    const std::lock_guard lock(mutex_);
    ++report_.clients;
  }
  client->start();
}

void HaplyServer::Service::leave(const std::shared_ptr<Client>& client) {
  if (clients_.erase(client) == 0) return;
  tell("a client has gone");
  advance();
  hand_.set_force({});  // whoever else pushes says so again within a millisecond
  const std::lock_guard lock(mutex_);
  report_.force = {};
}

void HaplyServer::Service::drop_all() {
  const std::set<std::shared_ptr<Client>> all = clients_;
  for (const auto& client : all) client->end();
}

HaplyServer::HaplyServer(const ServerOptions& options, Motion motion)
    : service_(std::make_shared<Service>(options, std::move(motion))) {}
HaplyServer::~HaplyServer() = default;
int HaplyServer::port() const { return service_->port(); }
void HaplyServer::run() { service_->run(); }
void HaplyServer::stop() { service_->stop(); }
void HaplyServer::drop_clients() { service_->drop_clients(); }
void HaplyServer::set_silent(bool is_silent) { service_->set_silent(is_silent); }
HandReport HaplyServer::report() const { return service_->report(); }

}  // namespace stance::haptics
