// Any bytes as a request to the server's APIs, over made-up models: it is answered exactly once,
// with a status of its own, and an error is JSON.
//
// Lines: method, path and query, content type, API key; the rest is the body.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/base/log.h"
#include "yona/serve/url.h"

#include "tests/serve/fake_service.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

std::string next_line(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  std::string line(bytes.substr(0, end));
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yona::testing::FakeServer server({.texts = 50, .sentences = 200, .characters = 20'000});
  yona::set_verbosity(yona::Verbosity::quiet);
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  yona::serve::HttpRequest request;
  request.method = next_line(bytes);
  const std::string target = next_line(bytes);
  const std::size_t query = target.find('?');
  request.path =
      yona::serve::url_decoded(std::string_view(target).substr(0, query), yona::serve::Plus::plain);
  request.query = query == target.npos ? "" : target.substr(query + 1);
  const std::string type = next_line(bytes);
  request.content_type = yona::serve::media_type(type);
  request.boundary = yona::serve::header_parameter(type, "boundary").value_or("");
  request.api_key = next_line(bytes);
  request.body = bytes;
  const auto exchange = server.ask(request);
  require(exchange->answers == 1);
  require(exchange->response.status >= 200 && exchange->response.status < 600);
  require(exchange->response.status != 500);
  if (exchange->response.status >= 400) {
    require(!exchange->error().empty());
  }
  return 0;
}
