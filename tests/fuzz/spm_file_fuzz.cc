// Any bytes given as a SentencePiece model: sub-words whose ids lie in their vocabulary, or
// FormatError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/error.h"
#include "yona/io/tokenizer_json.h"
#include "yona/text/subword.h"

namespace {

void require_ids_inside(const yona::Subword& subword, const std::vector<std::int32_t>& ids) {
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= subword.vocabulary().size()) {
      std::abort();
    }
  }
}

void use(const std::string& model) {
  const yona::Subword subword(model, nullptr, "fuzz.spm");
  std::vector<std::int32_t> ids;
  subword.encode("Two dogs, 2 Hunde: ein Männchen \xFF.", ids);
  subword.sample("Two dogs, 2 Hunde: ein Männchen.", 0.1, 7, ids);
  require_ids_inside(subword, ids);
  subword.decode(ids);
  yona::tokenizer_json(model, subword.vocabulary(), "fuzz.spm");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    use(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const yona::FormatError&) {  // the other allowed answer
  }
  return 0;
}
