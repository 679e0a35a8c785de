// The bytes of a connection as requests, one after the other, by Beast's parser. It knows no
// socket: whoever has bytes adds them and asks what they are.
//
//   reader.begin();
//   reader.add(read(socket, reader.room()));
//   while (reader.next() == Found::more) { … add more … }
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "yona/serve/http.h"
#include "yona/serve/http_answer.h"

namespace yona::serve {

struct ReadLimits {
  std::uint32_t header_bytes = 16384;  // 431
  std::uint64_t body_bytes = 1 << 20;  // 413
};

class HttpReader {
 public:
  enum class Found : std::uint8_t {
    more,     // is needed
    header,   // is there: said once, before the body
    request,  // is there whole
    wrong     // is what came; see refusal()
  };

  explicit HttpReader(const ReadLimits& limits) : limits_(limits) {}

  // A place for what comes next, and how much of it has come.
  boost::asio::mutable_buffer room();
  void add(std::size_t bytes) { buffer_.commit(bytes); }
  bool has_bytes() const { return buffer_.size() > 0; }  // that belong to no request yet
  void drop_bytes() { buffer_.clear(); }

  // The next request from here on.
  void begin();
  Found next();

  // Of a header that is there.
  std::string_view method() const;
  std::string_view path() const;  // as it came, without the query
  bool expects_continue() const;  // the client waits for a word before it sends the body
  AnswerFrame frame() const;

  // The request that is there whole, once.
  HttpRequest take(const std::string& client);
  // What to answer to what is wrong.
  HttpResponse refusal() const;

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  ReadLimits limits_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  bool has_told_header_ = false;
  boost::system::error_code error_;
};

}  // namespace yona::serve
