// One connection of http_server.cc, plain or over TLS: reads a request, waits for its answer,
// writes it, and begins again. Included by http_server.cc alone.
//
// There is one outstanding read at any time while a client may say something: between requests it
// waits for the first bytes of the next one, and while an answer is being made the same read tells
// that the client has gone.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <optional>
#include <string>

#include "yona/base/log.h"
#include "yona/serve/http_server.h"
#include "yona/serve/url.h"

namespace yona::serve {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using TlsStream = asio::ssl::stream<tcp::socket>;

// What sessions share.
struct SessionHost {
  asio::io_context& io;
  const ConnectionLimits& limits;
  const HttpServer::Handler& handler;
  bool stopping = false;
  std::atomic<std::size_t> open{0};    // sessions
  std::function<void()> all_closed{};  // called when the last one ends
};

class SessionBase {
 public:
  SessionBase() = default;
  virtual ~SessionBase() = default;
  SessionBase(const SessionBase&) = delete;
  SessionBase& operator=(const SessionBase&) = delete;

  virtual void start() = 0;
  // No more requests: closes now if nothing is being answered.
  virtual void finish() = 0;
  virtual void close() = 0;
  virtual void respond(HttpResponse response) = 0;
  virtual void begin_stream(HttpResponse head) = 0;
  virtual void write_part(std::string part) = 0;
  virtual void end_stream() = 0;
};

// The way back to a session from any thread. It keeps the session and the server running until it
// is answered or dropped.
class SessionExchange : public Exchange {
 public:
  SessionExchange(asio::io_context& io, std::shared_ptr<SessionBase> session, HttpRequest request,
                  GoneFlag gone)
      : io_(io),
        work_(asio::make_work_guard(io)),
        session_(std::move(session)),
        request_(std::move(request)),
        gone_(std::move(gone)) {}
  // The session goes where all of it happens.
  ~SessionExchange() override {
    asio::post(io_, [session = std::move(session_)] {});
  }

  const HttpRequest& request() const override { return request_; }
  GoneFlag gone() const override { return gone_; }

  void respond(HttpResponse response) override {
    if (!is_answered_.test_and_set()) {
      post([response = std::move(response)](SessionBase& session) mutable {
        session.respond(std::move(response));
      });
    }
  }
  void begin_stream(HttpResponse head) override {
    if (!is_answered_.test_and_set()) {
      post([head = std::move(head)](SessionBase& session) mutable {
        session.begin_stream(std::move(head));
      });
    }
  }
  void write(std::string part) override {
    post([part = std::move(part)](SessionBase& session) mutable {
      session.write_part(std::move(part));
    });
  }
  void end_stream() override {
    post([](SessionBase& session) { session.end_stream(); });
  }

 private:
  template <class Call>
  void post(Call call) {
    asio::post(io_, [session = session_, gone = gone_, call = std::move(call)]() mutable {
      if (!gone->load()) {
        call(*session);
      }
    });
  }

  asio::io_context& io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::shared_ptr<SessionBase> session_;
  HttpRequest request_;
  GoneFlag gone_;
  std::atomic_flag is_answered_ = ATOMIC_FLAG_INIT;
};

// What Beast's parser says is wrong with a request; 0: nothing to answer, the client has gone.
inline int status_of(const error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return 431;
  }
  if (error == http::error::body_limit) {
    return 413;
  }
  const bool has_ended =
      error == http::error::end_of_stream || error == http::error::partial_message;
  return error.category() == make_error_code(http::error::bad_method).category() && !has_ended ? 400
                                                                                               : 0;
}

template <class Stream>
class Session : public SessionBase, public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(SessionHost& host, Stream stream, std::string client)
      : host_(host), stream_(std::move(stream)), client_(std::move(client)), timer_(host.io) {
    ++host_.open;
  }
  ~Session() override {
    if (--host_.open == 0 && host_.all_closed) {
      host_.all_closed();
    }
  }

  void start() override {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      wait_at_most(host_.limits.read);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = self()](const error_code& error) {
                                error ? self->close() : self->begin_request();
                              });
    } else {
      begin_request();
    }
  }

  void finish() override {
    if (state_ == State::idle) {
      close();
    }
  }

  void close() override {
    if (state_ == State::closed) {
      return;
    }
    state_ = State::closed;
    leave();
    timer_.cancel();
    error_code ignored;
    socket().shutdown(tcp::socket::shutdown_both, ignored);
    socket().close(ignored);
  }

  void respond(HttpResponse response) override {
    if (state_ != State::handling) {
      return;
    }
    gone_.reset();
    keeps_alive_ = keeps_alive_ && !host_.stopping;
    const auto message = std::make_shared<http::response<http::string_body>>(head_of(response));
    message->body() = std::move(response.body);
    message->prepare_payload();
    state_ = State::writing;
    wait_at_most(host_.limits.write);
    http::async_write(stream_, *message,
                      [self = self(), message](const error_code& error, std::size_t /*bytes*/) {
                        self->answered(error);
                      });
  }

  // A stream ends with the connection.
  void begin_stream(HttpResponse head) override {
    if (state_ != State::handling) {
      return;
    }
    state_ = State::streaming;
    keeps_alive_ = false;
    std::string text = fmt::format("HTTP/1.1 {} OK\r\nContent-Type: {}\r\nConnection: close\r\n",
                                   head.status, head.content_type);
    for (const auto& [name, value] : head.headers) {
      text += fmt::format("{}: {}\r\n", name, value);
    }
    write_part(text + "\r\n" + head.body);
  }

  void write_part(std::string part) override {
    if (state_ != State::streaming) {
      return;
    }
    waiting_bytes_ += part.size();
    parts_.push_back(std::move(part));
    constexpr std::size_t kMostWaiting = 4 << 20;  // a client that does not read is let go
    if (waiting_bytes_ > kMostWaiting) {
      close();
    } else if (parts_.size() == 1) {
      write_next_part();
    }
  }

  void end_stream() override {
    if (state_ == State::streaming) {
      is_ending_ = true;
      if (parts_.empty()) {
        end();
      }
    }
  }

 private:
  enum class State { idle, reading, handling, writing, streaming, lingering, closed };

  std::shared_ptr<Session> self() { return this->shared_from_this(); }
  tcp::socket& socket() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  // The connection is closed unless this is called again or the timer is stopped by then.
  void wait_at_most(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([weak = this->weak_from_this()](const error_code& error) {
      const auto session = weak.lock();
      if (!error && session) {
        session->timed_out();
      }
    });
  }
  void wait_forever() { timer_.expires_at(asio::steady_timer::time_point::max()); }

  // A timer that was set again after it had fired is not meant.
  void timed_out() {
    if (timer_.expiry() <= asio::steady_timer::clock_type::now()) {
      close();
    }
  }

  void leave() {
    if (gone_) {
      gone_->store(true);
      gone_.reset();
    }
  }

  void begin_request() {
    if (state_ == State::closed) {
      return;
    }
    parser_.emplace();
    parser_->header_limit(host_.limits.header_bytes);
    parser_->body_limit(host_.limits.body_bytes);
    state_ = State::idle;
    if (buffer_.size() > 0) {
      read_header();
    } else if (host_.stopping) {
      close();
    } else {
      wait_at_most(host_.limits.idle);
      fill();
    }
  }

  // Reads what comes next, whenever it comes.
  void fill() {
    if (is_filling_ || buffer_.size() > 0) {
      return;
    }
    is_filling_ = true;
    constexpr std::size_t kChunk = 4096;
    stream_.async_read_some(buffer_.prepare(kChunk),
                            [self = self()](const error_code& error, std::size_t bytes) {
                              self->filled(error, bytes);
                            });
  }

  void filled(const error_code& error, std::size_t bytes) {
    is_filling_ = false;
    if (error) {
      close();
      return;
    }
    if (state_ == State::lingering) {
      fill();  // into the same place: nobody reads it
      return;
    }
    buffer_.commit(bytes);
    if (state_ == State::idle) {
      read_header();
    }
  }

  void read_header() {
    state_ = State::reading;
    wait_at_most(host_.limits.read);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = self()](const error_code& error, std::size_t /*bytes*/) {
                              error ? self->refuse(error) : self->has_header();
                            });
  }

  void has_header() {
    const auto expect = parser_->get()[http::field::expect];
    if (boost::beast::iequals(expect, "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      asio::async_write(stream_, asio::buffer(kContinue.data(), kContinue.size()),
                        [self = self()](const error_code& error, std::size_t /*bytes*/) {
                          error ? self->close() : self->read_body();
                        });
      return;
    }
    read_body();
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = self()](const error_code& error, std::size_t /*bytes*/) {
                       error ? self->refuse(error) : self->handle();
                     });
  }

  // Answers what cannot be read, and closes once the client has seen it.
  void refuse(const error_code& error) {
    const int status = status_of(error);
    if (state_ == State::closed || status == 0) {
      close();
      return;
    }
    keeps_alive_ = false;
    lingers_ = true;
    state_ = State::handling;
    respond(error_response(
        status, status == 413 ? fmt::format("the body is larger than the {} bytes that are allowed",
                                            host_.limits.body_bytes)
                : status == 431
                    ? fmt::format("the header is larger than the {} bytes that are allowed",
                                  host_.limits.header_bytes)
                    : fmt::format("this is not a request of HTTP: {}", error.message())));
  }

  void handle() {
    auto message = parser_->release();
    keeps_alive_ = message.keep_alive();
    version_ = message.version();
    const auto text_of = [](const auto& view) { return std::string{view.begin(), view.end()}; };
    const auto field = [&](http::field name) { return text_of(message[name]); };
    const std::string target = text_of(message.target());
    const std::size_t query = target.find('?');
    HttpRequest request{.method = text_of(message.method_string()),
                        .path = url_decoded(target.substr(0, query), Plus::plain),
                        .query = query == target.npos ? "" : target.substr(query + 1),
                        .content_type = media_type(field(http::field::content_type)),
                        .authorization = field(http::field::authorization),
                        .api_key = text_of(message["X-Api-Key"]),
                        .body = std::move(message.body()),
                        .client = client_};
    state_ = State::handling;
    wait_forever();
    gone_ = std::make_shared<std::atomic<bool>>(false);
    const auto exchange =
        std::make_shared<SessionExchange>(host_.io, self(), std::move(request), gone_);
    fill();
    try {
      host_.handler(exchange);
    } catch (...) {
      exchange->respond(response_of(std::current_exception()));
    }
  }

  http::response<http::string_body> head_of(const HttpResponse& response) const {
    http::response<http::string_body> message;
    message.result(static_cast<unsigned>(response.status));
    message.version(version_);
    message.set(http::field::server, "yona");
    message.set(http::field::content_type, response.content_type);
    for (const auto& [name, value] : response.headers) {
      message.set(name, value);
    }
    message.keep_alive(keeps_alive_);
    return message;
  }

  void answered(const error_code& error) {
    if (error) {
      close();
    } else if (keeps_alive_) {
      begin_request();
    } else {
      end();
    }
  }

  void write_next_part() {
    wait_at_most(host_.limits.write);
    asio::async_write(stream_, asio::buffer(parts_.front()),
                      [self = self()](const error_code& error, std::size_t /*bytes*/) {
                        self->part_written(error);
                      });
  }

  void part_written(const error_code& error) {
    if (error || state_ == State::closed) {
      close();
      return;
    }
    waiting_bytes_ -= parts_.front().size();
    parts_.pop_front();
    if (!parts_.empty()) {
      write_next_part();
    } else if (is_ending_) {
      end();
    } else {
      wait_forever();
    }
  }

  // Closes. Closing with something unread would destroy what was written before it is seen, so
  // where more may come it is read for a moment, and thrown away.
  void end() {
    gone_.reset();
    if (!lingers_) {
      say_goodbye();
      return;
    }
    state_ = State::lingering;
    constexpr std::chrono::milliseconds kLinger{2000};
    wait_at_most(kLinger);
    error_code ignored;
    socket().shutdown(tcp::socket::shutdown_send, ignored);
    buffer_.clear();
    fill();
  }

  void say_goodbye() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      constexpr std::chrono::milliseconds kPatience{2000};
      wait_at_most(kPatience);
      state_ = State::lingering;
      stream_.async_shutdown([self = self()](const error_code& /*error*/) { self->close(); });
    } else {
      close();
    }
  }

  SessionHost& host_;
  Stream stream_;
  std::string client_;  // its address
  asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::shared_ptr<std::atomic<bool>> gone_;  // of the request that is being answered
  State state_ = State::idle;
  bool is_filling_ = false;
  bool keeps_alive_ = false;
  bool lingers_ = false;
  bool is_ending_ = false;
  unsigned version_ = 11;
  std::deque<std::string> parts_;  // of a stream, the first being written
  std::size_t waiting_bytes_ = 0;
};

}  // namespace yona::serve
