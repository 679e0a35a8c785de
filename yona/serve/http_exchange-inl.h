// A connection as the server and the makers of answers see it; what it does is in
// http_session-inl.h. Included by that alone.
#pragma once

#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "yona/base/timing.h"
#include "yona/serve/allowed_hosts.h"
#include "yona/serve/http_server.h"

namespace yona::serve {

// What sessions share.
struct SessionHost {
  boost::asio::io_context& io;
  const ConnectionLimits& limits;
  const AllowedHosts& hosts;
  const HttpServer::Handler& handler;
  const HttpServer::Turnstile& turnstile;
  const std::string& header_lines;  // of every answer
  bool stopping = false;
  std::atomic<std::size_t> open{0};    // sessions
  std::function<void()> all_closed{};  // called when the last one ends
};

// All of it happens on the server's thread.
class HttpSession {
 public:
  HttpSession() = default;
  virtual ~HttpSession() = default;
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  virtual void start() = 0;
  // No more requests: closes now if nothing is being answered.
  virtual void finish() = 0;
  virtual void close() = 0;
  // Closes if what it waits for has not come by now. To be called every now and then: one timer for
  // all connections costs less than several for each request.
  virtual void look_at_clock(Clock::time_point now) = 0;

  virtual void respond(HttpResponse response) = 0;
  virtual void begin_stream(const HttpResponse& head) = 0;
  virtual void write_part(TextPieces part) = 0;
  virtual void end_stream() = 0;
};

// The way back to a session from any thread. It keeps the session and the server running until it
// is answered or dropped.
class SessionExchange : public Exchange {
 public:
  SessionExchange(boost::asio::io_context& io, std::shared_ptr<HttpSession> session,
                  HttpRequest request, GoneFlag gone)
      : io_(io),
        work_(boost::asio::make_work_guard(io)),
        session_(std::move(session)),
        request_(std::move(request)),
        gone_(std::move(gone)) {}
  // The session goes where all of it happens.
  ~SessionExchange() override {
    boost::asio::dispatch(io_, [session = std::move(session_)] {});
  }

  const HttpRequest& request() const override { return request_; }
  GoneFlag gone() const override { return gone_; }

  void respond(HttpResponse response) override {
    if (!is_answered_.test_and_set()) {
      call([response = std::move(response)](HttpSession& session) mutable {
        session.respond(std::move(response));
      });
    }
  }
  void begin_stream(HttpResponse head) override {
    if (!is_answered_.test_and_set()) {
      call([head = std::move(head)](HttpSession& session) { session.begin_stream(head); });
    }
  }
  void write(TextPieces part) override {
    call([part = std::move(part)](HttpSession& session) mutable {
      session.write_part(std::move(part));
    });
  }
  void end_stream() override {
    call([](HttpSession& session) { session.end_stream(); });
  }

 private:
  // At once where the caller is the server's thread.
  template <class Call>
  void call(Call function) {
    boost::asio::dispatch(
        io_, [session = session_, gone = gone_, function = std::move(function)]() mutable {
          if (!gone->load()) {
            function(*session);
          }
        });
  }

  boost::asio::io_context& io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::shared_ptr<HttpSession> session_;
  HttpRequest request_;
  GoneFlag gone_;
  std::atomic_flag is_answered_ = ATOMIC_FLAG_INIT;
};

}  // namespace yona::serve
