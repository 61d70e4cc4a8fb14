#include "stance/view/server.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <iterator>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>

#include "stance/view/http_answer.h"

namespace stance::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

constexpr int kMostConnections = 64, kMostViewers = 32;
constexpr auto kRequestTime = seconds(10);  // for a request to come whole, or for the next one
constexpr auto kAnswerTime = seconds(60);   // for an answer to be taken
constexpr auto kDownloadTime = seconds(3600);
constexpr std::size_t kLongestHead = 16 << 10;
constexpr std::size_t kMostWaiting = std::size_t{4} << 20;  // bytes for a viewer: samples dropped
constexpr std::size_t kTooMuch = std::size_t{16} << 20;     // ... and here it is disconnected
constexpr double kMostMessages = 1000.0;                    // a second
constexpr int kMostErrors = 100;                            // likewise

}  // namespace

// ---- what connections share ---------------------------------------------------------------------

struct Server::Impl {
  explicit Impl(ServerOptions options);

  void listen(const ServerOptions& options);
  void accept();
  void wait_for_wake();
  void tick();
  void stop();

  asio::io_context io{1};
  AccessRules access;
  tcp::acceptor acceptor{io};
  asio::steady_timer timer{io};
  asio::signal_set signals{io};
  int wake_fd = -1;
  asio::posix::stream_descriptor wake{io};
  std::uint64_t wake_count = 0;
  int connections = 0;
  bool is_stopping = false;
  std::function<void()> close_all;  // connections, by whoever knows them
  std::vector<std::weak_ptr<class Connection>> open;
  std::unique_ptr<Hub> hub;
};

// ---- a connection -------------------------------------------------------------------------------

// HTTP first; a request for /ws makes it a viewer.
class Connection final : public std::enable_shared_from_this<Connection>, public ViewerLink {
 public:
  Connection(Server::Impl& server, tcp::socket socket)
      : server_(server), stream_(std::move(socket)), pause_(server.io) {
    ++server_.connections;
  }
  ~Connection() override {
    --server_.connections;
    if (viewer_ > 0) server_.hub->leave(viewer_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() { read_request(); }

  void close() {
    is_closed_ = true;
    error_code ignored;
    auto& socket = socket_ ? beast::get_lowest_layer(*socket_) : stream_;
    socket.socket().shutdown(tcp::socket::shutdown_both, ignored);
    socket.close();
    pause_.cancel();
    leave();
  }

  // ---- HTTP
 private:
  void read_request() {
    parser_.emplace();
    parser_->header_limit(kLongestHead);
    parser_->body_limit(0);
    stream_.expires_after(kRequestTime);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (error) return self->close();
                       self->answer_request();
                     });
  }

  void answer_request() {
    const auto& request = parser_->get();
    const auto view = [&](http::field field) {
      const auto value = request[field];
      return std::string_view(value.data(), value.size());
    };
    HttpRequest asked;
    asked.method = {request.method_string().data(), request.method_string().size()};
    asked.target = {request.target().data(), request.target().size()};
    asked.host = view(http::field::host), asked.origin = view(http::field::origin);
    asked.etag = view(http::field::if_none_match);
    const auto encodings = view(http::field::accept_encoding);
    asked.takes_gzip = encodings.find("gzip") != std::string_view::npos;

    const bool is_socket = websocket::is_upgrade(request) && find_path(asked.target) == "/ws";
    if (is_socket && is_allowed(server_.access, asked) &&
        server_.hub->viewer_count() < kMostViewers)
      return become_viewer();
    HttpAnswer answer = answer_http(server_.access, *server_.hub, asked);
    if (is_socket && answer.status == 200) answer = {503, "text/plain", "too many viewers\n"};
    send(std::move(answer), asked.method == "HEAD", request.keep_alive());
  }

  void send(HttpAnswer answer, bool is_head, bool stays) {
    if (answer.file.empty()) {
      auto response = std::make_shared<http::response<http::string_body>>();
      response->body() = std::move(answer.body);
      response->content_length(response->body().size());
      if (is_head) response->body().clear();
      return send(response, answer, is_head, stays);
    }
    // piece by piece: recordings can be larger than the memory at hand
    auto response = std::make_shared<http::response<http::file_body>>();
    error_code error;
    response->body().open(answer.file.c_str(), beast::file_mode::scan, error);
    if (error) return send({404, "text/plain", "the file is gone\n"}, is_head, stays);
    response->content_length(response->body().size());
    send(response, answer, is_head, stays);
  }

  template <class Body>
  void send(const std::shared_ptr<http::response<Body>>& response, const HttpAnswer& answer,
            bool is_head, bool stays) {
    response->result(static_cast<unsigned>(answer.status));
    response->version(11);
    for (const auto& [name, value] : answer.headers) response->set(name, value);
    response->set(http::field::content_type, answer.type);
    response->keep_alive(stays);
    stream_.expires_after(answer.file.empty() ? kAnswerTime : kDownloadTime);
    const auto serializer = std::make_shared<http::response_serializer<Body>>(*response);
    const auto done = [self = shared_from_this(), response, serializer, stays](error_code error,
                                                                               std::size_t) {
      if (error || !stays) return self->close();
      self->read_request();
    };
    if (is_head)
      http::async_write_header(stream_, *serializer, done);
    else
      http::async_write(stream_, *serializer, done);
  }

  // ---- WebSocket

  void become_viewer() {
    stream_.expires_never();
    socket_.emplace(std::move(stream_));
    websocket::stream_base::timeout times{};
    times.handshake_timeout = kRequestTime;
    times.idle_timeout = seconds(20);
    times.keep_alive_pings = true;
    socket_->set_option(times);
    socket_->set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
      response.set(http::field::sec_websocket_protocol,
                   boost::string_view(kSubprotocol.data(), kSubprotocol.size()));
    }));
    socket_->read_message_max(kLongestMessage);
    error_code ignored;
    beast::get_lowest_layer(*socket_).socket().set_option(tcp::no_delay(true), ignored);
    socket_->async_accept(parser_->get(), [self = shared_from_this()](error_code error) {
      self->parser_.reset();
      if (error) return self->close();
      self->viewer_ = self->server_.hub->join(*self);
      self->read_message();
    });
  }

  void read_message() {
    if (is_closed_) return;
    socket_->async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->close();
      self->take_message();
    });
  }

  void take_message() {
    const SteadyClock::time_point now = SteadyClock::now();
    const auto bytes = buffer_.cdata();
    const bool is_fine =
        socket_->got_text() &&
        server_.hub->take(viewer_, {static_cast<const char*>(bytes.data()), bytes.size()});
    buffer_.consume(buffer_.size());
    if (is_closed_) return;
    if (now - window_ > seconds(1)) window_ = now, errors_ = 0;
    if (!is_fine && ++errors_ > kMostErrors) return close();
    // a bucket that holds a quarter of a second
    const double passed = std::chrono::duration<double>(now - last_).count();
    allowance_ = std::min(kMostMessages / 4, allowance_ + kMostMessages * passed) - 1.0;
    last_ = now;
    if (allowance_ >= 0.0) return read_message();
    pause_.expires_after(milliseconds(1 + static_cast<int>(-1e3 * allowance_ / kMostMessages)));
    pause_.async_wait([self = shared_from_this()](error_code error) {
      if (!error) self->read_message();
    });
  }

  void leave() {
    if (viewer_ == 0) return;
    server_.hub->leave(std::exchange(viewer_, 0));
    queue_.clear(), waiting_ = 0;
    state_.reset(), drags_.reset();
  }

 public:
  // ---- ViewerLink

  void send_text(Text text) override { add({std::move(text), nullptr}); }
  void send_samples(Frame frame) override {
    if (waiting_ <= kMostWaiting) add({nullptr, std::move(frame)});
  }
  void send_state(Frame frame) override { state_ = std::move(frame), write(); }
  void send_drags(Frame frame) override { drags_ = std::move(frame), write(); }

 private:
  struct Item {
    Text text;
    Frame frame;
    std::size_t size() const { return text ? text->size() : frame->size(); }
  };

  void add(Item item) {
    if (is_closed_) return;
    waiting_ += item.size();
    queue_.push_back(std::move(item));
    if (waiting_ > kTooMuch) {
      // not here: whoever sends goes through the viewers
      asio::post(server_.io, [self = shared_from_this()] { self->close(); });
      return;
    }
    write();
  }

  // One thing at a time: what must arrive first, then the newest state and the newest drags, in
  // turn where the way is slow.
  void write() {
    if (is_writing_ || is_closed_) return;
    if (!queue_.empty())
      current_ = std::move(queue_.front()), queue_.pop_front(), waiting_ -= current_.size();
    else if (state_ && !(drags_ && was_state_))
      current_ = {nullptr, std::exchange(state_, nullptr)}, was_state_ = true;
    else if (drags_)
      current_ = {nullptr, std::exchange(drags_, nullptr)}, was_state_ = false;
    else
      return;
    is_writing_ = true;
    socket_->text(current_.text != nullptr);
    const asio::const_buffer bytes =
        current_.text ? asio::buffer(*current_.text)
                      : asio::const_buffer(current_.frame->data(), current_.frame->size());
    socket_->async_write(bytes, [self = shared_from_this()](error_code error, std::size_t) {
      self->is_writing_ = false;
      self->current_ = {};
      if (error) return self->close();
      self->write();
    });
  }

  Server::Impl& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kLongestMessage + kLongestHead};
  std::optional<http::request_parser<http::empty_body>> parser_;

  std::optional<websocket::stream<beast::tcp_stream>> socket_;
  asio::steady_timer pause_;
  int viewer_ = 0, errors_ = 0;
  double allowance_ = kMostMessages / 4;
  SteadyClock::time_point last_ = SteadyClock::now(), window_ = last_;
  std::deque<Item> queue_;
  std::size_t waiting_ = 0;  // bytes of the queue
  Frame state_, drags_;      // the newest
  Item current_;
  bool is_writing_ = false, is_closed_ = false, was_state_ = false;
};

// ---- the server ---------------------------------------------------------------------------------

Server::Impl::Impl(ServerOptions options) {
  if (!is_loopback(options.address) || options.asks_for_token) access.token = make_token();
  access.address = options.address;
  listen(options);
  wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (wake_fd < 0) throw Error("the system has no room for another file handle");
  wake.assign(wake_fd);
  hub = std::make_unique<Hub>(
      std::move(options.hub), [this](std::function<void()> job) { asio::post(io, std::move(job)); },
      [fd = wake_fd] {
        const std::uint64_t one = 1;
        const ssize_t written = write(fd, &one, sizeof one);
        static_cast<void>(written);  // full means that it is awake
      });
  wait_for_wake();
  tick();
  accept();
}

void Server::Impl::listen(const ServerOptions& options) {
  error_code error;
  const std::string name = options.address == "localhost" ? "127.0.0.1" : options.address;
  const asio::ip::address address = asio::ip::make_address(name, error);
  if (error)
    throw Error(fmt::format("'{}' is not an address to listen on, such as 127.0.0.1 or 0.0.0.0",
                            options.address));
  const int tries = options.takes_next_port ? 100 : 1;
  for (int k = 0; k < tries; ++k) {
    const tcp::endpoint endpoint(address, static_cast<std::uint16_t>(options.port + k));
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) return;
    error_code ignored;
    acceptor.close(ignored);
    if (error != asio::error::address_in_use) break;
  }
  if (error == asio::error::address_in_use)
    throw Error(
        fmt::format("port {} of {} is taken by another program; name another one with "
                    "--port",
                    options.port, name));
  throw Error(fmt::format("cannot listen on {} port {}: {}", name, options.port, error.message()));
}

void Server::Impl::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (is_stopping) return;
    if (!error && connections < kMostConnections) {
      const auto connection = std::make_shared<Connection>(*this, std::move(socket));
      std::erase_if(open, [](const auto& known) { return known.expired(); });
      open.push_back(connection);
      connection->start();
    }
    if (!error) return accept();
    // no handles left, perhaps: a little later
    const auto again = std::make_shared<asio::steady_timer>(io, milliseconds(100));
    again->async_wait([this, again](error_code) {
      if (!is_stopping) accept();
    });
  });
}

void Server::Impl::wait_for_wake() {
  wake.async_read_some(asio::buffer(&wake_count, sizeof wake_count),
                       [this](error_code error, std::size_t) {
                         if (error || is_stopping) return;
                         hub->pump();
                         wait_for_wake();
                       });
}

void Server::Impl::tick() {
  timer.expires_after(seconds(1));
  timer.async_wait([this](error_code error) {
    if (error || is_stopping) return;
    hub->tick();
    tick();
  });
}

void Server::Impl::stop() {
  if (is_stopping) return;
  is_stopping = true;
  error_code ignored;
  acceptor.close(ignored);
  signals.cancel(ignored);
  timer.cancel();
  wake.cancel(ignored);
  for (const auto& known : open)
    if (const auto connection = known.lock()) connection->close();
  io.stop();
}

Server::Server(ServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Server::~Server() {
  impl_->stop();
  impl_->hub->stop();
}

std::uint16_t Server::port() const { return impl_->acceptor.local_endpoint().port(); }
const std::string& Server::token() const { return impl_->access.token; }
const Hub& Server::hub() const { return *impl_->hub; }

void Server::run() {
  impl_->io.run();
  impl_->hub->stop();
}

void Server::stop() {
  asio::post(impl_->io, [this] { impl_->stop(); });
}

void Server::stop_on_signals() {
  impl_->signals.add(SIGINT);
  impl_->signals.add(SIGTERM);
  impl_->signals.async_wait([this](error_code error, int) {
    if (!error) impl_->stop();
  });
}

}  // namespace stance::view
