// The bytes of a connection as requests, one after the other. It knows no socket: its owner adds
// bytes and asks what they are.
//
//   reader.begin();
//   reader.add(read(socket, reader.room()));
//   while (reader.next() == Found::more) { … add more … }
//
// Every byte counts against a limit: those of the head, of chunk extensions and of trailers against
// header_bytes together, those of the body against body_bytes, also once decompressed. Never more
// than these and one piece of room() are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "yona/serve/allowed_hosts.h"
#include "yona/serve/http.h"
#include "yona/serve/http_answer.h"
#include "yona/serve/http_framing.h"

namespace yona::serve {

struct ReadLimits {
  std::uint32_t header_bytes = 16384;   // 431
  std::uint64_t body_bytes = 1 << 20;   // 413
  const AllowedHosts* hosts = nullptr;  // 421; null: any, and it must outlive the reader
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
  std::span<char> room();
  void add(std::size_t bytes) { end_ += bytes; }
  bool has_bytes() const { return end_ > begin_; }  // that belong to no request yet
  void drop_bytes() { begin_ = end_ = 0; }

  // The next request from here on.
  void begin();
  Found next();

  // Of a header that is there.
  std::string_view method() const { return head_.method; }
  std::string_view path() const { return head_.raw_path(); }        // as it came, without the query
  bool expects_continue() const { return head_.expects_continue; }  // before it sends the body
  AnswerFrame frame() const;

  // The request that is there whole, once.
  HttpRequest take(const std::string& client);
  // What to answer to what is wrong. The connection must be closed after it: where the next request
  // begins is not known.
  const HttpResponse& refusal() const { return refusal_; }

 private:
  enum class State : std::uint8_t {
    request_line,
    fields,
    body,  // of known length, or the data of a chunk
    chunk_size,
    chunk_end,
    trailers,
    done
  };

  bool step();
  bool take_body();
  std::optional<std::string_view> take_line();
  std::size_t longest_line() const;
  void read_line(std::string_view line);
  void count_header(std::size_t bytes);
  [[noreturn]] void refuse_header() const;
  void finish_head();
  void begin_chunk(std::string_view line);
  void finish_body();

  ReadLimits limits_;
  std::string buffer_;  // those from begin_ to end_ are not used yet
  std::size_t begin_ = 0, end_ = 0;
  std::size_t searched_ = 0;  // bytes from begin_ that have no line end
  State state_ = State::request_line;
  bool tells_header_ = false;
  RequestHead head_;
  std::string body_;
  std::uint64_t missing_ = 0;     // bytes of the body, or of its chunk
  std::size_t header_bytes_ = 0;  // so far
  bool has_blank_line_ = false;   // before the request
  HttpResponse refusal_;
};

}  // namespace yona::serve
