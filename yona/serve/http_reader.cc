#include "yona/serve/http_reader.h"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

#include "yona/serve/url.h"

namespace yona::serve {

namespace {

namespace http = boost::beast::http;

template <class View>
std::string_view view_of(const View& view) {
  return {view.data(), view.size()};
}

// "/path?query" of a target, which clients of a proxy send with scheme and host (RFC 9112, 3.2.2).
std::string_view place_of(std::string_view target) {
  const std::size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == target.npos) {
    return target;
  }
  const std::size_t path = target.find_first_of("/?", scheme + 3);
  return path == target.npos ? "/" : target.substr(path);
}

}  // namespace

boost::asio::mutable_buffer HttpReader::room() {
  constexpr std::size_t kOfHeader = 4096;
  constexpr std::size_t kOfBody = 16384;
  return buffer_.prepare(parser_ && parser_->is_header_done() ? kOfBody : kOfHeader);
}

void HttpReader::begin() {
  parser_.emplace();
  parser_->header_limit(limits_.header_bytes);
  parser_->body_limit(limits_.body_bytes);
  has_told_header_ = false;
  error_ = {};
}

HttpReader::Found HttpReader::next() {
  while (true) {
    if (parser_->is_header_done() && !std::exchange(has_told_header_, true)) {
      return Found::header;
    }
    if (parser_->is_done()) {
      return Found::request;
    }
    if (buffer_.size() == 0) {
      return Found::more;
    }
    buffer_.consume(parser_->put(buffer_.data(), error_));
    if (error_ == http::error::need_more) {
      return Found::more;
    }
    if (error_) {
      return Found::wrong;
    }
  }
}

std::string_view HttpReader::method() const { return view_of(parser_->get().method_string()); }

std::string_view HttpReader::path() const {
  const std::string_view target = place_of(view_of(parser_->get().target()));
  return target.substr(0, target.find('?'));
}

bool HttpReader::expects_continue() const {
  return boost::beast::iequals(parser_->get()[http::field::expect], "100-continue");
}

AnswerFrame HttpReader::frame() const {
  constexpr unsigned kHttp10 = 10;
  return {.is_http_1_0 = parser_->get().version() == kHttp10,
          .keeps_alive = parser_->keep_alive(),
          .has_only_head = parser_->get().method() == http::verb::head};
}

HttpRequest HttpReader::take(const std::string& client) {
  auto message = parser_->release();
  const auto field = [&](auto name) { return std::string(view_of(message[name])); };
  const std::string_view target = place_of(view_of(message.target()));
  const std::size_t query = target.find('?');
  return {.method = message.method() == http::verb::head  // GET without the body
                        ? "GET"
                        : std::string(view_of(message.method_string())),
          .path = url_decoded(target.substr(0, query), Plus::plain),
          .query = query == target.npos ? "" : std::string(target.substr(query + 1)),
          .content_type = media_type(field(http::field::content_type)),
          .authorization = field(http::field::authorization),
          .api_key = field("X-Api-Key"),
          .body = std::move(message.body()),
          .client = client};
}

HttpResponse HttpReader::refusal() const {
  if (error_ == http::error::header_limit) {
    return error_response(431,
                          fmt::format("the header is larger than the {} bytes that are allowed",
                                      limits_.header_bytes));
  }
  if (error_ == http::error::body_limit) {
    return error_response(413, fmt::format("the body is larger than the {} bytes that are allowed",
                                           limits_.body_bytes));
  }
  return error_response(400, fmt::format("this is not a request of HTTP: {}", error_.message()));
}

}  // namespace yona::serve
