// The bytes below one connection of http_session-inl.h: a socket, plain or under TLS, and until
// when something is waited for. What differs between the two kinds is here alone.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <chrono>
#include <utility>

#include "yona/base/timing.h"

namespace yona::serve {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using TlsStream = asio::ssl::stream<tcp::socket>;

template <class Stream>
class HttpStream {
 public:
  explicit HttpStream(Stream stream) : stream_(std::move(stream)) {}

  Stream& bytes() { return stream_; }

  void wait_at_most(std::chrono::milliseconds time) { deadline_ = Clock::now() + time; }
  void wait_forever() { deadline_ = Clock::time_point::max(); }
  bool is_late(Clock::time_point now) const { return now >= deadline_; }

  // Calls `then` with an error_code once bytes can be read and written.
  template <class Then>
  void open(std::chrono::milliseconds patience, Then then) {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      wait_at_most(patience);
      stream_.async_handshake(asio::ssl::stream_base::server, std::move(then));
    } else {
      then(error_code());
    }
  }

  // Tells the other side that nothing more comes, and calls `then` once it knows.
  template <class Then>
  void say_goodbye(Then then) {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      constexpr std::chrono::milliseconds kPatience{2000};
      wait_at_most(kPatience);
      stream_.async_shutdown([then = std::move(then)](const error_code& /*error*/) { then(); });
    } else {
      then();
    }
  }

  void stop_sending() {
    error_code ignored;
    socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  void close() {
    error_code ignored;
    socket().shutdown(tcp::socket::shutdown_both, ignored);
    socket().close(ignored);
  }

 private:
  tcp::socket& socket() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  Stream stream_;
  Clock::time_point deadline_ = Clock::time_point::max();  // of what is waited for
};

}  // namespace yona::serve
