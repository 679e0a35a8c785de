// The server's connections: accepts them on one address, reads requests with limits on size and
// time, hands each to a handler, writes what is answered, and notices clients that leave. HTTP/1.1,
// plain or over TLS, by Boost.Asio, which no header outside this file's source sees.
//
// One thread, the caller of run(), does all of it; handlers are called by that thread and must not
// take long: what takes long is answered later, from another thread, through the Exchange.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/serve/http.h"

namespace yona::serve {

struct ConnectionLimits {
  std::size_t connections = 1024;           // more get 503 and are closed
  std::uint32_t header_bytes = 16384;       // with chunk extensions and trailers; 431
  std::uint64_t body_bytes = 1 << 20;       // also once decompressed; 413
  std::chrono::milliseconds read{10'000};   // from a request's first byte to its last
  std::chrono::milliseconds write{30'000};  // of an answer
  std::chrono::milliseconds idle{60'000};   // without a request
};

struct TlsFiles {
  std::filesystem::path certificate;  // PEM: the server's own first, then those that signed it
  std::filesystem::path key;          // PEM
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;               // 0: any that is free
  std::vector<std::string> allow_hosts{};  // names besides its own that it answers to; "*": any
  ConnectionLimits limits{};
  std::optional<TlsFiles> tls{};
  Headers headers{};  // that every answer has
};

class HttpServer {
 public:
  using Handler = std::function<void(const std::shared_ptr<Exchange>&)>;
  // Asked with method and path (not decoded, without the query) when a header has been read: an
  // answer refuses the request before its body is looked at. What is refused should cost next to
  // nothing, for under a load that is too high most requests are: the answer is only pointed at,
  // and must stay. Null: come in.
  using Turnstile =
      std::function<const HttpResponse*(std::string_view method, std::string_view path)>;

  // Listens from now on; connections wait until run(). An exception of the handler answers 500.
  // Throws InvalidArgument for a host that is not an address or a name that is not one, IoError
  // naming address and reason where it cannot listen, FormatError for TLS files that cannot be
  // used.
  HttpServer(const HttpServerOptions& options, Handler handler, Turnstile turnstile = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  std::size_t connections() const;  // open now; any thread

  // Reads the TLS files again, for connections from now on. Throws FormatError for files that
  // cannot be used; those before stay. Any thread; does nothing without TLS.
  void renew_tls();

  // Serves until stop() was called and everything that had been read is answered.
  void run();
  // No more connections and requests; what has not been answered after `grace` is closed. Any
  // thread, any number of times.
  void stop(std::chrono::milliseconds grace);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yona::serve
