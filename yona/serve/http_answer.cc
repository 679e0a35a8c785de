#include "yona/serve/http_answer.h"

#include <boost/beast/http/status.hpp>

namespace yona::serve {

namespace {

namespace http = boost::beast::http;

void append_head(std::string& bytes, const HttpResponse& response, std::string_view version) {
  const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
  fmt::format_to(std::back_inserter(bytes), "HTTP/{} {} {}\r\nServer: yona\r\nContent-Type: {}\r\n",
                 version, response.status, std::string_view(reason.data(), reason.size()),
                 response.content_type);
  for (const auto& [name, value] : response.headers) {
    bytes.append(name).append(": ").append(value).append("\r\n");
  }
}

}  // namespace

void append_answer(std::string& bytes, const HttpResponse& response, const AnswerFrame& frame) {
  append_head(bytes, response, frame.is_http_1_0 ? "1.0" : "1.1");
  if (frame.keeps_alive == frame.is_http_1_0) {  // not what the version takes for granted
    bytes += frame.keeps_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
  }
  fmt::format_to(std::back_inserter(bytes), "Content-Length: {}\r\n\r\n", response.body.size());
  if (!frame.has_only_head) {
    bytes += response.body;
  }
}

std::string stream_head(const HttpResponse& response) {
  std::string bytes;
  append_head(bytes, response, "1.1");
  return bytes + "Connection: close\r\n\r\n" + response.body;
}

}  // namespace yona::serve
