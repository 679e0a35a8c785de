// The head of a request, line by line, as RFC 9112 has it, and where its body ends. What two
// programs could read in two ways is refused: a body's length that is given twice, a coding that is
// not known, line ends that are not CR LF. A request that a proxy takes for one can then not be two
// here (request smuggling).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yona/serve/http.h"

namespace yona::serve {

// How the end of a body is found.
enum class BodyFraming : std::uint8_t { none, length, chunked };

struct RequestHead {
  std::string method, target;
  bool is_http_1_0 = false;
  Headers fields{};  // names in lower case, values without blanks around them

  // Known once the head is complete.
  BodyFraming framing = BodyFraming::none;
  std::uint64_t length = 0;  // of BodyFraming::length
  bool keeps_alive = true;
  bool expects_continue = false;
  bool is_gzip = false;   // the content
  std::string authority;  // "localhost:8080": the target's, or else that of Host; empty: none
  std::string path;       // %-signs decoded
  std::string_view raw_path() const;  // of the target, not decoded
  std::string_view query() const;

  // The first field of that name (lower case); empty where there is none.
  std::string_view field(std::string_view name) const;
};

// Throws HttpError 400.
[[noreturn]] void refuse_malformed(std::string_view what);

// All of these throw HttpError: 400 for what is not HTTP, 501 for a transfer coding and 505 for a
// version that is not known, 415 for a content coding that is not, 417 for another expectation.
// Lines are without their CR LF.
void parse_request_line(std::string_view line, RequestHead& head);
std::pair<std::string, std::string> parse_field_line(std::string_view line);
void complete_head(RequestHead& head);

// The size of a chunk from the line before it: hexadecimal digits, then nothing or an extension.
struct ChunkLine {
  std::uint64_t size = 0;
  std::size_t extension_bytes = 0;
};
ChunkLine parse_chunk_line(std::string_view line);

}  // namespace yona::serve
