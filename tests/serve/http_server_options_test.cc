// Names, ports, addresses and TLS files that a server is given.
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/serve/running_server.h"

namespace yona {
namespace {

using serve::HttpServer;
using serve::HttpServerOptions;
using testing::Client;
using testing::echo;
using testing::message_of;
using testing::RunningServer;

TEST(HttpServer, AnswersToItsOwnNamesAlone) {
  HttpServerOptions options;
  options.allow_hosts = {"translate.example"};
  RunningServer server(echo, options);
  const auto status = [&](const std::string& host) {
    Client client(server.port());
    client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.read().status;
  };
  for (const char* host : {"localhost", "LOCALHOST:8080", "127.0.0.1", "[::1]:80",
                           "translate.example", "a.localhost"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  for (const char* host :
       {"evil.example", "localhost.evil.example", "192.0.2.1", "[2001:db8::1]"}) {
    EXPECT_EQ(status(host), 421) << host;
  }
  Client client(server.port());
  client.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(client.read().error(),
            "this server does not answer to the name 'evil.example'; start it with --allow-host "
            "evil.example if it should");
}

TEST(HttpServer, SaysWhenThePortIsTaken) {
  RunningServer first(echo);
  HttpServerOptions options;
  options.port = first.port();
  const std::string text = message_of<IoError>([&] { HttpServer second(options, echo); });
  EXPECT_NE(text.find("cannot listen on 127.0.0.1:" + std::to_string(first.port())), text.npos);
  EXPECT_NE(text.find("choose another --port"), text.npos);
}

TEST(HttpServer, RefusesANameToAnswerToThatIsNone) {
  HttpServerOptions options;
  options.allow_hosts = {"example.org:80"};
  EXPECT_NE(message_of<InvalidArgument>([&] {
              HttpServer server(options, echo);
            }).find("--allow-host: expected a name"),
            std::string::npos);
}

TEST(HttpServer, RefusesAHostThatIsNoAddress) {
  HttpServerOptions options;
  options.host = "not an address";
  EXPECT_NE(message_of<InvalidArgument>([&] { HttpServer server(options, echo); }).find("--host"),
            std::string::npos);
}

TEST(HttpServer, RefusesTlsFilesThatAreNone) {
  testing::TempDir folder;
  testing::write_bytes(folder / "cert.pem", "no certificate");
  HttpServerOptions options;
  options.tls = serve::TlsFiles{folder / "cert.pem", folder / "cert.pem"};
  EXPECT_NE(
      message_of<FormatError>([&] { HttpServer server(options, echo); }).find("--tls-certificate"),
      std::string::npos);
}

}  // namespace
}  // namespace yona
