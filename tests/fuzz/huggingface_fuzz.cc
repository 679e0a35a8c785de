// Any bytes given as a folder's config.json: a description that survives being written and read
// again, or FormatError. The same bytes as vocab.json: a vocabulary, or FormatError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/text/vocabulary.h"

namespace {

void read_as_config(std::string_view bytes) {
  const yona::ModelDescription description =
      yona::read_description(yona::parse_json(bytes, "config.json"), "config.json");
  const yona::Json written = yona::huggingface_config(description);
  if (!(yona::read_description(written, "again.json") == description)) {
    std::abort();
  }
  yona::generation_config(description);
  yona::tokenizer_config(description);
}

void read_as_vocabulary(std::string_view bytes) {
  const yona::Vocabulary vocabulary = yona::Vocabulary::parse(bytes, "vocab.json");
  if (!(yona::Vocabulary::parse(vocabulary.to_json(), "again.json") == vocabulary)) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto read : {read_as_config, read_as_vocabulary}) {
    try {
      read(bytes);
    } catch (const yona::FormatError&) {  // the other allowed answer
    }
  }
  return 0;
}
