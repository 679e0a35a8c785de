#include "yona/serve/http_reader.h"

#include <algorithm>
#include <utility>

#include "yona/serve/gzip_body.h"
#include "yona/serve/url.h"

namespace yona::serve {

namespace {

constexpr std::string_view kCrLf = "\r\n";
constexpr std::size_t kLargestChunkLine = 18;  // without an extension: 16 digits and its end

[[noreturn]] void refuse_body(std::uint64_t most) {
  throw HttpError(413, fmt::format("the body is larger than the {} bytes that are allowed", most));
}

}  // namespace

std::span<char> HttpReader::room() {
  constexpr std::size_t kOfHeader = 4096;
  constexpr std::size_t kOfBody = 16384;
  buffer_.erase(0, begin_);
  end_ -= std::exchange(begin_, 0);
  const std::size_t piece = state_ < State::body ? kOfHeader : kOfBody;
  buffer_.resize(end_ + piece);
  return {buffer_.data() + end_, piece};
}

void HttpReader::begin() {
  state_ = State::request_line;
  head_ = {};
  body_ = std::string();  // with its memory: connections may be idle for long
  missing_ = searched_ = header_bytes_ = 0;
  tells_header_ = has_blank_line_ = false;
}

HttpReader::Found HttpReader::next() {
  try {
    while (true) {
      if (std::exchange(tells_header_, false)) {
        return Found::header;
      }
      if (state_ == State::done) {
        return Found::request;
      }
      if (!step()) {
        return Found::more;
      }
    }
  } catch (...) {
    constexpr int kUnsupported = 415;
    refusal_ = response_of(std::current_exception());
    if (refusal_.status == kUnsupported) {
      refusal_.headers.emplace_back("Accept-Encoding", "gzip, identity");
    }
    return Found::wrong;
  }
}

// Reads a line, or what is here of a body. False: it is not here.
bool HttpReader::step() {
  if (state_ == State::body) {
    return take_body();
  }
  const std::optional<std::string_view> line = take_line();
  if (line) {
    read_line(*line);
  }
  return line.has_value();
}

bool HttpReader::take_body() {
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(end_ - begin_, missing_));
  body_.append(buffer_, begin_, bytes);
  begin_ += bytes;
  missing_ -= bytes;
  if (missing_ == 0 && head_.framing == BodyFraming::chunked) {
    state_ = State::chunk_end;
  } else if (missing_ == 0) {
    finish_body();
  }
  return bytes > 0;
}

// Without its end; valid until bytes are added.
std::optional<std::string_view> HttpReader::take_line() {
  const std::string_view bytes(buffer_.data() + begin_, end_ - begin_);
  const std::size_t end = bytes.find('\n', searched_);
  if (std::min(end, bytes.size()) >= longest_line()) {  // its end is too far away, or not here
    if (state_ == State::chunk_end) {
      refuse_malformed("a chunk is longer than its size");
    }
    refuse_header();
  }
  if (end == bytes.npos) {
    searched_ = bytes.size();
    return std::nullopt;
  }
  if (end == 0 || bytes[end - 1] != '\r') {
    refuse_malformed("a line does not end with CR LF");
  }
  searched_ = 0;
  begin_ += end + 1;
  return bytes.substr(0, end - 1);
}

// With its end.
std::size_t HttpReader::longest_line() const {
  const std::size_t left = limits_.header_bytes - header_bytes_;
  return state_ == State::chunk_end    ? kCrLf.size()
         : state_ == State::chunk_size ? left + kLargestChunkLine
                                       : left;
}

void HttpReader::read_line(std::string_view line) {
  if (state_ == State::chunk_size) {
    begin_chunk(line);
    return;
  }
  if (state_ == State::chunk_end) {
    if (!line.empty()) {
      refuse_malformed("a chunk is longer than its size");
    }
    state_ = State::chunk_size;
    return;
  }
  count_header(line.size() + kCrLf.size());
  if (state_ == State::request_line) {
    if (!line.empty() || std::exchange(has_blank_line_, true)) {  // one is allowed: RFC 9112, 2.2
      parse_request_line(line, head_);
      state_ = State::fields;
    }
  } else if (state_ == State::fields) {
    line.empty() ? finish_head() : head_.fields.push_back(parse_field_line(line));
  } else if (line.empty()) {
    finish_body();
  } else {
    parse_field_line(line);  // of a trailer, which means nothing here
  }
}

void HttpReader::count_header(std::size_t bytes) {
  header_bytes_ += bytes;
  if (header_bytes_ > limits_.header_bytes) {
    refuse_header();
  }
}

void HttpReader::refuse_header() const {
  throw HttpError(431, fmt::format("the header, with chunk extensions and trailers, is larger than "
                                   "the {} bytes that are allowed",
                                   limits_.header_bytes));
}

void HttpReader::finish_head() {
  complete_head(head_);
  if (!head_.authority.empty()) {
    const std::optional<std::string> name = host_name(head_.authority);
    if (!name) {
      refuse_malformed("the host is not a name or an address, with or without a port");
    }
    if (limits_.hosts != nullptr && !limits_.hosts->allows(*name)) {
      throw HttpError(421, fmt::format("this server does not answer to the name '{}'; start it "
                                       "with --allow-host {} if it should",
                                       *name, *name));
    }
  }
  if (head_.length > limits_.body_bytes) {
    refuse_body(limits_.body_bytes);
  }
  missing_ = head_.length;
  state_ = head_.framing == BodyFraming::chunked  ? State::chunk_size
           : head_.framing == BodyFraming::length ? State::body
                                                  : State::done;
  tells_header_ = true;
}

void HttpReader::begin_chunk(std::string_view line) {
  const ChunkLine chunk = parse_chunk_line(line);
  count_header(chunk.extension_bytes);
  if (chunk.size > limits_.body_bytes - body_.size()) {
    refuse_body(limits_.body_bytes);
  }
  missing_ = chunk.size;
  state_ = chunk.size == 0 ? State::trailers : State::body;
}

void HttpReader::finish_body() {
  if (head_.is_gzip) {
    body_ = gunzipped(body_, limits_.body_bytes);
  }
  state_ = State::done;
}

AnswerFrame HttpReader::frame() const {
  return {.is_http_1_0 = head_.is_http_1_0,
          .keeps_alive = head_.keeps_alive,
          .has_only_head = head_.method == "HEAD"};
}

HttpRequest HttpReader::take(const std::string& client) {
  const std::string_view type = head_.field("content-type");
  return {.method = head_.method == "HEAD" ? "GET" : head_.method,  // without the body
          .path = std::move(head_.path),
          .query = std::string(head_.query()),
          .content_type = media_type(type),
          .boundary = header_parameter(type, "boundary").value_or(""),
          .authorization = std::string(head_.field("authorization")),
          .api_key = std::string(head_.field("x-api-key")),
          .body = std::move(body_),
          .client = client};
}

}  // namespace yona::serve
