// Text cut into words by a regular expression, as the `Split` step of tokenizer.json does
// (behaviour "Isolated": what matches is a word, and so is what lies between matches). Llama 3 and
// Qwen cut in front of byte-level BPE by such patterns.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

class SplitPattern {
 public:
  // ICU's syntax is that of the patterns in use; \s is Unicode's White_Space, as there. Throws
  // FormatError, naming `name`, for what is not a regular expression.
  SplitPattern(const std::string& pattern, std::string_view name);
  ~SplitPattern();
  SplitPattern(const SplitPattern&) = delete;
  SplitPattern& operator=(const SplitPattern&) = delete;

  // The words of a text in UTF-8, which together are the whole text. Thread-safe.
  std::vector<std::string_view> words(std::string_view text) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace yona
