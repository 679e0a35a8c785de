// Listening, accepting and stopping; what happens on a connection is in http_session-inl.h.

#include "yona/serve/http_server.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "yona/base/log.h"
#include "yona/serve/http_session-inl.h"

namespace yona::serve {

namespace {

constexpr std::string_view kTooMany =  // it ends with the connection
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
    "Connection: close\r\n\r\n{\"error\":\"the server has no connection left\"}\n";

std::string address_of(const HttpServerOptions& options) {
  return options.host == "localhost" ? "127.0.0.1" : options.host;
}

tcp::endpoint endpoint_of(const HttpServerOptions& options) {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(address_of(options), error);
  check(
      !error,
      "--host: '{}' is not an address; expected one like 127.0.0.1, 0.0.0.0 (all) or ::1 for IPv6",
      options.host);
  return {address, options.port};
}

std::optional<asio::ssl::context> tls_context(const std::optional<TlsFiles>& files) {
  if (!files) {
    return std::nullopt;
  }
  asio::ssl::context context(asio::ssl::context::tls_server);
  context.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                      asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                      asio::ssl::context::no_tlsv1_1);
  error_code error;
  context.use_certificate_chain_file(files->certificate.string(), error);
  check<FormatError>(!error, "--tls-certificate: {}: {}; expected a certificate in PEM",
                     files->certificate.string(), error.message());
  context.use_private_key_file(files->key.string(), asio::ssl::context::pem, error);
  check<FormatError>(!error, "--tls-key: {}: {}; expected the certificate's private key in PEM",
                     files->key.string(), error.message());
  return context;
}

}  // namespace

struct HttpServer::Impl {
  Impl(const HttpServerOptions& given, Handler given_handler, Turnstile given_turnstile)
      : options(given),
        handler(std::move(given_handler)),
        turnstile(std::move(given_turnstile)),
        hosts(address_of(given), given.allow_hosts),
        tls(tls_context(given.tls)),
        acceptor(io),
        retry(io),
        clock(io),
        grace_over(io) {
    listen(endpoint_of(options));
  }

  void listen(const tcp::endpoint& endpoint) {
    const std::string place = fmt::format("{}:{}", options.host, options.port);
    error_code error;
    const auto expect = [&](const char* what) {
      check<IoError>(!error, "cannot listen on {}: {} ({}); choose another --port or --host", place,
                     error.message(), what);
    };
    acceptor.open(endpoint.protocol(), error);
    expect("open");
    acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    expect("set up");
    acceptor.bind(endpoint, error);
    expect("bind");
    acceptor.listen(asio::socket_base::max_listen_connections, error);
    expect("listen");
  }

  void accept() {
    acceptor.async_accept([this](const error_code& error, tcp::socket socket) {
      if (host.stopping) {
        return;
      }
      if (error) {  // no descriptors left, say: others will close theirs
        log().warn("cannot accept a connection: {}", error.message());
        retry.expires_after(std::chrono::milliseconds(100));
        retry.async_wait([this](const error_code& stopped) {
          if (!stopped && !host.stopping) {
            accept();
          }
        });
        return;
      }
      open(std::move(socket));
      accept();
    });
  }

  void open(tcp::socket socket) {
    error_code error;
    const tcp::endpoint client = socket.remote_endpoint(error);
    if (error) {
      return;
    }
    if (host.open.load() >= options.limits.connections) {
      socket.non_blocking(true, error);
      if (!tls) {
        socket.write_some(asio::buffer(kTooMany.data(), kTooMany.size()), error);
      }
      return;
    }
    socket.set_option(tcp::no_delay(true), error);
    const std::string address = client.address().to_string();
    std::shared_ptr<HttpSession> session;
    if (tls) {
      session = std::make_shared<StreamSession<TlsStream>>(host, TlsStream(std::move(socket), *tls),
                                                           address);
    } else {
      session = std::make_shared<StreamSession<tcp::socket>>(host, std::move(socket), address);
    }
    sessions.push_back(session);
    session->start();
    watch_clock();
  }

  // Every now and then all sessions look at the clock, as long as there are any.
  void watch_clock() {
    if (is_watching || sessions.empty()) {
      return;
    }
    is_watching = true;
    const ConnectionLimits& limits = options.limits;
    constexpr int kLooks = 8;  // within the shortest limit: none is exceeded by much
    clock.expires_after(std::clamp(std::min({limits.read, limits.write, limits.idle}) / kLooks,
                                   std::chrono::milliseconds(5), std::chrono::milliseconds(500)));
    clock.async_wait([this](const error_code& error) {
      is_watching = false;
      if (!error) {
        each_session([now = Clock::now()](HttpSession& session) { session.look_at_clock(now); });
        std::erase_if(sessions, [](const auto& session) { return session.expired(); });
        watch_clock();
      }
    });
  }

  template <class Call>
  void each_session(const Call& call) {
    for (const auto& weak : sessions) {
      if (const auto session = weak.lock()) {
        call(*session);
      }
    }
  }

  void stop(std::chrono::milliseconds grace) {
    if (!host.stopping) {
      host.stopping = true;
      error_code ignored;
      acceptor.close(ignored);
      retry.cancel();
      each_session([](HttpSession& session) { session.finish(); });
    }
    if (host.open.load() == 0) {
      clock.cancel();
      return;
    }
    host.all_closed = [this] {
      grace_over.cancel();
      clock.cancel();
    };
    grace_over.expires_after(grace);
    grace_over.async_wait([this](const error_code& error) {
      if (!error) {
        each_session([](HttpSession& session) { session.close(); });
      }
    });
  }

  const HttpServerOptions options;
  const Handler handler;
  const Turnstile turnstile;
  const std::string header_lines = lines_of(options.headers);
  const AllowedHosts hosts;
  SessionHost host{io,      options.limits, hosts,
                   handler, turnstile,      header_lines};  // sessions may die with `io`
  asio::io_context io{1};
  std::optional<asio::ssl::context> tls;
  tcp::acceptor acceptor;
  asio::steady_timer retry, clock, grace_over;
  bool is_watching = false;
  std::vector<std::weak_ptr<HttpSession>> sessions;
};

HttpServer::HttpServer(const HttpServerOptions& options, Handler handler, Turnstile turnstile)
    : impl_(std::make_unique<Impl>(options, std::move(handler), std::move(turnstile))) {}

HttpServer::~HttpServer() { impl_->host.all_closed = nullptr; }

std::uint16_t HttpServer::port() const { return impl_->acceptor.local_endpoint().port(); }

std::size_t HttpServer::connections() const { return impl_->host.open.load(); }

void HttpServer::renew_tls() {
  if (!impl_->options.tls) {
    return;
  }
  auto renewed =
      std::make_shared<std::optional<asio::ssl::context>>(tls_context(impl_->options.tls));
  asio::post(impl_->io, [impl = impl_.get(), renewed] { impl->tls = std::move(*renewed); });
}

void HttpServer::run() {
  impl_->accept();
  impl_->io.run();
}

void HttpServer::stop(std::chrono::milliseconds grace) {
  asio::post(impl_->io, [impl = impl_.get(), grace] { impl->stop(grace); });
}

}  // namespace yona::serve
