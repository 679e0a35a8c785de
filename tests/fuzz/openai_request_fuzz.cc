// Any bytes as a request in OpenAI's form, over made-up models: completions, chats, embeddings and
// classes are answered exactly once, at once or as a stream that ends, and an error is OpenAI's.
//
// The first byte chooses the path; the rest is the body.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/base/log.h"

#include "tests/serve/fake_encoders.h"
#include "tests/serve/fake_generation.h"

namespace {

using yona::testing::FakeExchange;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

class EveryModel : public yona::testing::WithFakeGeneration,
                   public yona::testing::WithFakeEncoders,
                   public yona::testing::FakeServer {
 public:
  EveryModel()
      : FakeServer(yona::testing::FakeParts{
            .limits = {.texts = 50, .sentences = 200, .characters = 20'000},
            .generation = &generation,
            .encoding = &encoders}) {}
};

void check_answer(const FakeExchange& exchange) {
  require(exchange.answers == 1);
  const int status = exchange.response.status;
  require(status == 200 || (status >= 400 && status < 500));
  if (status >= 400) {
    require(!yona::testing::openai_message(exchange).empty());
  } else if (exchange.is_stream) {
    require(exchange.has_ended);
    for (const yona::Json& event : yona::testing::events_of(exchange.response.body)) {
      require(event.is_object());
    }
  } else {
    require(exchange.json().is_object());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array kPaths{"/v1/completions", "/v1/chat/completions", "/v1/embeddings",
                              "/v1/classify"};
  static EveryModel server;
  yona::set_verbosity(yona::Verbosity::quiet);
  if (size == 0) {
    return 0;
  }
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_answer(*server.ask({.method = "POST",
                            .path = kPaths.at(data[0] % kPaths.size()),
                            .content_type = "application/json",
                            .body = std::string(body)}));
  return 0;
}
