// Any bytes given as tokenizer.json: sub-words that cut a text and put it together again, or
// FormatError. The same bytes as merges.txt: pairs, or FormatError.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "yona/base/error.h"
#include "yona/io/tokenizer_reader.h"
#include "yona/text/bpe_merges.h"

#include "tests/fuzz/memory_file.h"

namespace {

void use(const std::filesystem::path& path) {
  const yona::Subword subword = yona::read_tokenizer_json(path, 300);
  std::vector<std::int32_t> ids;
  subword.encode("The dog's 12 Häuser, 家!", ids);
  subword.decode(ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    yona::parse_merges({reinterpret_cast<const char*>(data), size}, "merges.txt");
  } catch (const yona::FormatError&) {
  }
  try {
    const yona::testing::MemoryFile file(data, size);
    use(file.path());
  } catch (const yona::FormatError&) {
  } catch (const yona::IoError&) {  // an empty file
  }
  return 0;
}
