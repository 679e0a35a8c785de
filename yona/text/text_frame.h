// What a model wants around a text: its first and last tokens, and those that name the languages.
#pragma once

#include <cstdint>
#include <vector>

namespace yona {

// Most models want </s> after the source and nothing else. Multilingual ones name the source's
// language before or after it, and the target's as the decoder's first input or first output.
struct TextFrame {
  std::vector<std::int32_t> before_source{};
  std::vector<std::int32_t> after_source{};  // </s>, and what follows it
  std::int32_t start = -1;                   // the decoder's first input; -1: the model's own
  std::int32_t first = -1;                   // the first output of all; -1: whatever comes
  // What the model learns to write around the target: more than translating needs.
  std::vector<std::int32_t> before_target{};
  std::vector<std::int32_t> after_target{};  // </s>, and what follows it
};

}  // namespace yona
