// Requests that two programs could read in two ways, after the published lists: the classes CL.TE,
// TE.CL and TE.TE with the obfuscations of PortSwigger's "HTTP Desync Attacks", the discrepancies
// that the HTTP Garden and Http11Probe collect, and the grammar of RFC 9112. Each is refused, the
// connection is closed, and what is hidden behind it is never served.

#include <algorithm>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "tests/serve/running_server.h"

namespace yona {
namespace {

using namespace std::string_literals;
using serve::Exchange;
using testing::Answer;
using testing::Client;
using testing::RunningServer;

const std::string kSmuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
const std::string kStart = "POST /first HTTP/1.1\r\nHost: localhost\r\n";
const std::string kChunks = "0\r\n\r\n";

struct SmugglingCase {
  std::string name;
  std::string bytes;  // what is hidden follows by itself
  int status = 400;
};

// A head with these lines, and a body.
std::string post(const std::string& lines, const std::string& body) {
  return kStart + lines + "\r\n" + body;
}

std::string chunked(const std::string& body) {
  return post("Transfer-Encoding: chunked\r\n", body);
}

// Content-Length and Transfer-Encoding in one request, in every order and dress.
std::vector<SmugglingCase> both_lengths() {
  const std::string length = "Content-Length: 5\r\n";
  const std::string coding = "Transfer-Encoding: chunked\r\n";
  const std::string body = "0\r\n\r\n";
  std::vector<SmugglingCase> cases{
      {"CL.TE", post(length + coding, body)},
      {"TE.CL", post(coding + length, body)},
      {"CL.TE where the length covers what is hidden",
       post("Content-Length: 60\r\n" + coding, body)},
      {"CL.0 with a coding", post("Content-Length: 0\r\n" + coding, body)},
      {"an empty length and a coding", post("Content-Length:\r\n" + coding, body)},
      {"TE.CL in small letters", post("transfer-encoding: chunked\r\ncontent-length: 5\r\n", body)},
      {"a coding twice and a length", post(coding + coding + length, body)},
      {"an unknown coding and a length", post("Transfer-Encoding: xchunked\r\n" + length, "hello")},
      {"identity and a length", post("Transfer-Encoding: identity\r\n" + length, "hello")},
      {"an empty coding and a length", post("Transfer-Encoding:\r\n" + length, "hello")},
  };
  return cases;
}

// TE.TE: a coding that one side takes for chunked and the other does not.
std::vector<SmugglingCase> codings() {
  const std::vector<std::pair<std::string, int>> lines{
      {"Transfer-Encoding: xchunked", 400},
      {"Transfer-Encoding: chunkedx", 400},
      {"Transfer-Encoding: chunk", 400},
      {"Transfer-Encoding: cow", 400},
      {"Transfer-Encoding: identity", 400},
      {"Transfer-Encoding: gzip", 400},
      {"Transfer-Encoding: compress", 400},
      {"Transfer-Encoding:", 400},
      {"Transfer-Encoding: ,", 400},
      {"Transfer-Encoding: chunked, identity", 400},
      {"Transfer-Encoding: chunked, cow", 400},
      {"Transfer-Encoding: chunked,", 400},
      {"Transfer-Encoding: ,chunked", 400},
      {"Transfer-Encoding: chunked, chunked", 400},
      {"Transfer-Encoding: chunked;q=1", 400},
      {"Transfer-Encoding: chunked;ext", 400},
      {"Transfer-Encoding: \"chunked\"", 400},
      {"Transfer-Encoding: 'chunked'", 400},
      {"Transfer-Encoding: ch\"\"unked", 400},
      {"Transfer-Encoding: chunked\t;", 400},
      {"Transfer-Encoding: \x0b"s + "chunked", 400},
      {"Transfer-Encoding: \x0c"s + "chunked", 400},
      {"Transfer-Encoding: chunked\x0b", 400},
      {"Transfer-Encoding: chunked\r", 400},
      {"Transfer-Encoding: chunked"s + '\0', 400},
      {"Transfer-Encoding: \xc2\xa0"s + "chunked", 400},
      {"Transfer-Encoding: \xff"s + "chunked", 400},
      {"Transfer-Encoding: \x7f"s + "chunked", 400},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: cow", 400},
      {"Transfer-Encoding: cow\r\nTransfer-Encoding: chunked", 400},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400},
      {"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", 400},
      {"Transfer-Encoding: chunked\r\nTransfer-encoding: x", 400},
      {"Transfer-Encoding: gzip, chunked", 501},
      {"Transfer-Encoding: identity, chunked", 501},
      {"Transfer-Encoding: cow, chunked", 501},
      {"Transfer-Encoding : chunked", 400},
      {"Transfer-Encoding\t: chunked", 400},
      {" Transfer-Encoding: chunked", 400},
      {"\tTransfer-Encoding: chunked", 400},
      {"X: y\r\n Transfer-Encoding: chunked", 400},
      {"X: y\r\n\tchunked", 400},
      {"Transfer-Encoding:\r\n chunked", 400},
      {"Transfer-Encoding:\n chunked", 400},
      {"X: y\nTransfer-Encoding: chunked", 400},
      {"X: y\rTransfer-Encoding: chunked", 400},
      {"X: y\r\rTransfer-Encoding: chunked", 400},
      {"X:\nTransfer-Encoding: chunked", 400},
      {"Transfer-Encoding", 400},
      {": chunked", 400},
      {"Transfer-Encoding\x00: chunked"s, 400},
      {"\x00Transfer-Encoding: chunked"s, 400},
      {"Transfer\x80-Encoding: chunked"s, 400},
      {"Transfer Encoding: chunked", 400},
      {"Transfer-Encoding;: chunked", 400},
      {"(Transfer-Encoding): chunked", 400},
      {"Foo: bar\r\n\rTransfer-Encoding: chunked", 400},
  };
  std::vector<SmugglingCase> cases;
  for (const auto& [line, status] : lines) {
    cases.push_back({line, post(line + "\r\n", kChunks), status});
  }
  return cases;
}

std::vector<SmugglingCase> lengths() {
  std::vector<SmugglingCase> cases;
  for (const std::string& value : {"+5"s,
                                   "-5"s,
                                   "-0"s,
                                   "5 5"s,
                                   "5, 5"s,
                                   "5,6"s,
                                   "5;"s,
                                   "0x5"s,
                                   "5h"s,
                                   "five"s,
                                   ""s,
                                   "5.0"s,
                                   "5e0"s,
                                   "1_0"s,
                                   "\"5\""s,
                                   "18446744073709551616"s,
                                   "99999999999999999999999999"s,
                                   "5\x0b"s,
                                   "5\r"s,
                                   "5"s + '\0',
                                   "\xd9\xa5"s,
                                   ","s,
                                   "5,"s}) {
    cases.push_back(
        {"Content-Length: " + value, post("Content-Length: " + value + "\r\n", "hello")});
  }
  for (const char* lines :
       {"Content-Length: 5\r\nContent-Length: 0\r\n", "Content-Length: 0\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 5\r\ncontent-length: 6\r\n",
        "Content-Length : 5\r\n", " Content-Length: 5\r\n", "Content-Length\t: 5\r\n",
        "Content-Length:\r\n 5\r\n", "Content-Length: 5\n", "X: y\nContent-Length: 5\r\n",
        "X: y\rContent-Length: 5\r\n", "Content Length: 5\r\n", "Content-Length\r\n"}) {
    cases.push_back({lines, post(lines, "hello")});
  }
  return cases;
}

std::vector<SmugglingCase> chunks() {
  std::vector<SmugglingCase> cases;
  for (const std::string& size : {"+5"s,
                                  "-5"s,
                                  "-0"s,
                                  "0x5"s,
                                  "5 "s,
                                  " 5"s,
                                  "5\t"s,
                                  "\t5"s,
                                  "x"s,
                                  ""s,
                                  "5h"s,
                                  "5,"s,
                                  "5.0"s,
                                  "10000000000000000"s,
                                  "fffffffffffffffff"s,
                                  "00000000000000005"s,
                                  "5 ;a=b"s,
                                  "5\x0b"s,
                                  "5;a\x01"s,
                                  "5;a"s + '\0',
                                  "5;a\rb"s,
                                  ";a=b"s,
                                  "\"5\""s,
                                  "5_"s,
                                  "\xef\xbc\x95"s}) {
    cases.push_back({"chunk size '" + size + "'", chunked(size + "\r\nhello\r\n0\r\n\r\n")});
  }
  const std::vector<std::pair<std::string, std::string>> bodies{
      {"a chunk line with a bare LF", "5\nhello\r\n0\r\n\r\n"},
      {"a chunk line with a bare CR", "5\rhello\r\n0\r\n\r\n"},
      {"an extension with a bare LF (TERM.EXT)", "5;\nhello\r\n0\r\n\r\n"},
      {"chunk data that ends with a bare LF", "5\r\nhello\n0\r\n\r\n"},
      {"chunk data that ends with a bare CR", "5\r\nhello\r0\r\n\r\n"},
      {"chunk data without an end", "5\r\nhello0\r\n\r\n"},
      {"chunk data that is longer (EXT.TERM)", "5\r\nhelloXX\r\n0\r\n\r\n"},
      {"a last chunk with a bare LF", "0\n\r\n"},
      {"an end with a bare LF", "0\r\n\n"},
      {"a trailer without a colon", "0\r\nX\r\n\r\n"},
      {"a trailer with a blank before the colon", "0\r\nX : y\r\n\r\n"},
      {"a folded trailer", "0\r\nX: y\r\n z\r\n\r\n"},
      {"a trailer with a bare LF", "0\r\nX: y\n\r\n"},
      {"a trailer with a bare CR", "0\r\nX: y\rZ: 1\r\n\r\n"},
      {"a trailer that is a request", "0\r\n" + kSmuggled}};
  for (const auto& [name, body] : bodies) {
    cases.push_back({name, chunked(body)});
  }
  return cases;
}

std::vector<SmugglingCase> heads() {
  const std::string host = "Host: localhost\r\n";
  const std::string coding = "Transfer-Encoding: chunked\r\n\r\n" + kChunks;
  return {
      {"a coding in HTTP/1.0", "POST /first HTTP/1.0\r\n" + host + coding},
      {"a coding in HTTP/1.0 that stays",
       "POST /first HTTP/1.0\r\nConnection: keep-alive\r\n" + host + coding},
      {"HTTP/0.9", "GET /first\r\n" + host + "\r\n"},
      {"HTTP/2.0", "GET /first HTTP/2.0\r\n" + host + "\r\n", 505},
      {"HTTP/1.2", "GET /first HTTP/1.2\r\n" + host + "\r\n", 505},
      {"http/1.1", "GET /first http/1.1\r\n" + host + "\r\n"},
      {"HTTP/1.10", "GET /first HTTP/1.10\r\n" + host + "\r\n"},
      {"HTTP/1.1 with a blank", "GET /first HTTP/1.1 \r\n" + host + "\r\n"},
      {"HTTP /1.1", "GET /first HTTP /1.1\r\n" + host + "\r\n"},
      {"two blanks before the target", "GET  /first HTTP/1.1\r\n" + host + "\r\n"},
      {"two blanks before the version", "GET /first  HTTP/1.1\r\n" + host + "\r\n"},
      {"a tab in the request line", "GET\t/first\tHTTP/1.1\r\n" + host + "\r\n"},
      {"a blank in the target", "GET /fi rst HTTP/1.1\r\n" + host + "\r\n"},
      {"a request in the target", "GET / HTTP/1.1\r\rGET /smuggled HTTP/1.1\r\n" + host + "\r\n"},
      {"a target that is not a path", "GET first HTTP/1.1\r\n" + host + "\r\n"},
      {"a target with a fragment", "GET /first#x HTTP/1.1\r\n" + host + "\r\n"},
      {"a NUL in the target", "GET /fi\0rst HTTP/1.1\r\n"s + host + "\r\n"},
      {"an encoded NUL in the path", "GET /page/style.css%00.html HTTP/1.1\r\n" + host + "\r\n"},
      {"an encoded line end in the path", "GET /a%0d%0ab HTTP/1.1\r\n" + host + "\r\n"},
      {"CONNECT", "CONNECT localhost:80 HTTP/1.1\r\n" + host + "\r\n"},
      {"a method that is not a word", "G\"ET /first HTTP/1.1\r\n" + host + "\r\n"},
      {"no method", " /first HTTP/1.1\r\n" + host + "\r\n"},
      {"a request line with a bare LF", "GET /first HTTP/1.1\n" + host + "\r\n"},
      {"a request line with two CR", "GET /first HTTP/1.1\r\r\n" + host + "\r\n"},
      {"a head that ends with bare LFs", "GET /first HTTP/1.1\r\nHost: localhost\n\n"},
      {"a blank line before the fields", "GET /first HTTP/1.1\r\n Host: localhost\r\n\r\n"},
      {"two empty lines before a request", "\r\n\r\nGET /first HTTP/1.1\r\n" + host + "\r\n"},
      {"a bare LF before a request", "\nGET /first HTTP/1.1\r\n" + host + "\r\n"},
      {"a field name with a blank", "GET /first HTTP/1.1\r\nBad Name: x\r\n" + host + "\r\n"},
      {"a field value with NUL", "GET /first HTTP/1.1\r\nX: a\0b\r\n"s + host + "\r\n"},
      {"no host", "GET /first HTTP/1.1\r\n\r\n"},
      {"an empty host", "GET /first HTTP/1.1\r\nHost:\r\n\r\n"},
      {"two hosts", "GET /first HTTP/1.1\r\n" + host + host + "\r\n"},
      {"two hosts, one foreign", "GET /first HTTP/1.1\r\n" + host + "Host: evil.example\r\n\r\n"},
      {"two hosts in one field", "GET /first HTTP/1.1\r\nHost: localhost, evil.example\r\n\r\n"},
      {"a host with a user", "GET /first HTTP/1.1\r\nHost: a@localhost\r\n\r\n"},
      {"a host with a path", "GET /first HTTP/1.1\r\nHost: localhost/x\r\n\r\n"},
      {"a host with a port that is none", "GET /first HTTP/1.1\r\nHost: localhost:x\r\n\r\n"},
      {"a host with too large a port", "GET /first HTTP/1.1\r\nHost: localhost:65536\r\n\r\n"},
      {"a host with two ports", "GET /first HTTP/1.1\r\nHost: localhost:80:80\r\n\r\n"},
      {"an address without its end", "GET /first HTTP/1.1\r\nHost: [::1\r\n\r\n"},
      {"an address that is none", "GET /first HTTP/1.1\r\nHost: [x::1]\r\n\r\n"},
      {"a foreign host", "GET /first HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421},
      {"a foreign host in the target", "GET http://evil.example/first HTTP/1.1\r\n" + host + "\r\n",
       421},
      {"a user in the target", "GET http://a@localhost/first HTTP/1.1\r\n" + host + "\r\n"},
      {"a target without a host", "GET http:///first HTTP/1.1\r\n" + host + "\r\n"},
      {"another scheme", "GET ftp://localhost/first HTTP/1.1\r\n" + host + "\r\n"},
      {"another expectation", post("Expect: 200-ok\r\nContent-Length: 5\r\n", "hello"), 417},
      {"a content coding that is not known",
       post("Content-Encoding: br\r\nContent-Length: 5\r\n", "hello"), 415},
  };
}

// The requests that reach the handler.
class Served {
 public:
  serve::HttpServer::Handler handler() {
    return [this](const std::shared_ptr<Exchange>& exchange) {
      {
        const std::scoped_lock lock(mutex_);
        paths_.push_back(exchange->request().path);
      }
      exchange->respond(serve::json_response(
          {{"path", exchange->request().path}, {"body", exchange->request().body}}));
    };
  }
  std::vector<std::string> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(paths_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> paths_;
};

void expect_refused(const std::vector<SmugglingCase>& cases) {
  Served served;
  RunningServer server(served.handler());
  for (const SmugglingCase& given : cases) {
    Client client(server.port());
    client.send(given.bytes + kSmuggled);
    const Answer answer = client.read();
    EXPECT_EQ(answer.status, given.status) << given.name << "\n" << answer.body;
    if (answer.status == 0) {
      continue;
    }
    EXPECT_EQ(answer.headers.at("connection"), "close") << given.name;
    EXPECT_FALSE(answer.error().empty()) << given.name;
    EXPECT_TRUE(client.is_at_end()) << given.name << ": a second answer";
    EXPECT_TRUE(served.take().empty()) << given.name << ": it was served";
  }
}

TEST(HttpSmuggling, RefusesTwoWaysToSayALength) { expect_refused(both_lengths()); }
TEST(HttpSmuggling, RefusesEveryCodingButChunked) { expect_refused(codings()); }
TEST(HttpSmuggling, RefusesLengthsThatAreNotPlainNumbers) { expect_refused(lengths()); }
TEST(HttpSmuggling, RefusesChunksThatAreNotToTheLetter) { expect_refused(chunks()); }
TEST(HttpSmuggling, RefusesHeadsThatAreNotToTheLetter) { expect_refused(heads()); }

// What RFC 9112 allows is read in one way, and the next request begins where it should.
TEST(HttpSmuggling, ReadsWhatIsAllowedAndStaysInStep) {
  const std::string hidden = kSmuggled;
  const std::string length = std::to_string(hidden.size());
  std::string size;
  fmt::format_to(std::back_inserter(size), "{:x}", hidden.size());
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a request in the body", post("Content-Length: " + length + "\r\n", hidden)},
      {"zeros before the length", post("Content-Length: 000" + length + "\r\n", hidden)},
      {"blanks around the length", post("Content-Length: \t " + length + " \t\r\n", hidden)},
      {"no blank before the length", post("Content-Length:" + length + "\r\n", hidden)},
      {"a request in a chunk", chunked(size + "\r\n" + hidden + "\r\n0\r\n\r\n")},
      {"zeros before the size", chunked("000" + size + "\r\n" + hidden + "\r\n000\r\n\r\n")},
      {"Chunked", post("Transfer-Encoding: Chunked\r\n", size + "\r\n" + hidden + "\r\n0\r\n\r\n")},
      {"a tab before chunked",
       post("Transfer-Encoding:\tchunked \r\n", size + "\r\n" + hidden + "\r\n0\r\n\r\n")},
      {"an extension", chunked(size + ";a=\"b c\"\r\n" + hidden + "\r\n0;x\r\n\r\n")},
      {"trailers",
       chunked(size + "\r\n" + hidden + "\r\n0\r\nContent-Length: 5\r\nHost: evil\r\n\r\n")},
      {"a coding with an underscore is another field",
       post("Transfer_Encoding: chunked\r\nContent-Length: " + length + "\r\n", hidden)},
      {"one empty line before", "\r\n" + post("Content-Length: " + length + "\r\n", hidden)},
      {"a target with a host",
       "POST http://127.0.0.1:1/first HTTP/1.1\r\nHost: evil.example\r\nContent-Length: " + length +
           "\r\n\r\n" + hidden},
      {"identity",
       post("Content-Encoding: identity\r\nContent-Length: " + length + "\r\n", hidden)},
  };
  Served served;
  RunningServer server(served.handler());
  for (const auto& [name, bytes] : cases) {
    Client client(server.port());
    client.send(bytes + "GET /after HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const Answer first = client.read();
    ASSERT_EQ(first.status, 200) << name << "\n" << first.body;
    EXPECT_EQ(first.json()["body"], hidden) << name;
    EXPECT_EQ(client.read().status, 200) << name;
    EXPECT_EQ(served.take(), (std::vector<std::string>{"/first", "/after"})) << name;
  }
}

}  // namespace
}  // namespace yona
