// Any bytes as a regular expression or as a JSON schema: it is refused with one message, or every
// text that allowed tokens make can be ended, and of a schema is JSON.
//
// The first byte says which; the second seeds the walk.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/generate/json_schema.h"
#include "yona/generate/regex.h"
#include "yona/generate/text_constraint.h"

namespace {

std::shared_ptr<const yona::TokenTrie> bytes_as_tokens() {
  std::vector<std::string> texts{""};
  for (int byte = 0; byte < 256; ++byte) {
    texts.emplace_back(1, static_cast<char>(byte));
  }
  return std::make_shared<yona::TokenTrie>(std::move(texts));
}

void walk(yona::Grammar grammar, std::uint8_t seed, bool is_json) {
  static const std::shared_ptr<const yona::TokenTrie> trie = bytes_as_tokens();
  yona::TextConstraint constraint(std::move(grammar), trie, {0});
  yona::RandomSequence draws(seed);
  yona::TextConstraint::State state = constraint.begin();
  std::string text;
  for (int step = 0; step < 64; ++step) {
    const yona::TokenMask& mask = constraint.allowed(state);
    std::int32_t token = static_cast<std::int32_t>(draws.next() % 257);
    while (!mask.has(token)) {
      token = (token + 1) % 257;
    }
    if (token == 0) {
      if (is_json && !yona::Json::accept(text)) {
        std::abort();
      }
      return;
    }
    text.push_back(static_cast<char>(token - 1));
    state = constraint.advance(state, token);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const bool is_json = (data[0] & 1U) != 0;
  try {
    if (is_json) {
      const yona::Json schema = yona::Json::parse(text, nullptr, false);
      if (!schema.is_discarded()) {
        walk(yona::json_schema_grammar(schema), data[1], true);
      }
    } else {
      walk(yona::regex_grammar(text), data[1], false);
    }
  } catch (const yona::InvalidArgument&) {
  }
  return 0;
}
