// SentencePiece's rules for characters ("precompiled_charsmap": NFKC with exceptions, most often),
// which tokenizer.json carries on, applied as tokenizers applies them: to characters with what
// combines with them. SentencePiece takes the longest rule wherever it is in the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace yona {

class Charsmap {
 public:
  // The map as it stands in an .spm file. Throws FormatError naming `name` when it is damaged.
  Charsmap(std::string_view precompiled, std::string_view name);
  ~Charsmap();
  Charsmap(Charsmap&&) noexcept;
  Charsmap& operator=(Charsmap&&) noexcept;

  // Thread-safe.
  std::string operator()(std::string_view text) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace yona
