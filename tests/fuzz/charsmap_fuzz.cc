// Any bytes given as the table of characters of a SentencePiece model ("precompiled_charsmap"),
// which tokenizer.json carries too: text is normalised, or FormatError.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "yona/base/error.h"
#include "yona/text/charsmap.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const yona::Charsmap map({reinterpret_cast<const char*>(data), size}, "fuzz");
    map("Two ﬁne dogs \u00a0 ２ 家: Männchen\u0301 \xFF.");
  } catch (const yona::FormatError&) {  // the other allowed answer
  }
  return 0;
}
