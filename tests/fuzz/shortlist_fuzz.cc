// Any bytes given as a shortlist: one whose candidates are ids of its vocabulary, or FormatError.
// The same bytes as a table of translations (lex.s2t): counted, or FormatError.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "yona/base/error.h"
#include "yona/decode/lexicon.h"
#include "yona/decode/shortlist.h"

#include "tests/fuzz/memory_file.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void read_as_shortlist(const std::filesystem::path& path) {
  const yona::Shortlist shortlist = yona::Shortlist::load(path);
  const std::int64_t asked = std::min<std::int64_t>(shortlist.source_vocabulary(), 20);
  for (std::int32_t source = 0; source < asked; ++source) {
    const auto ids = shortlist.candidates({source, source});
    require(std::is_sorted(ids.begin(), ids.end()));
    require(ids.empty() || (ids.front() >= 0 && ids.back() < shortlist.target_vocabulary()));
  }
}

void read_as_lexicon(const std::filesystem::path& path) {
  static const yona::Vocabulary vocabulary({"</s>", "<unk>", "a", "b", "c", "<pad>"});
  yona::ShortlistCounts counts(vocabulary.size(), vocabulary.size());
  const yona::LexiconLines lines = yona::read_lexicon(path, vocabulary, vocabulary, counts);
  require(lines.unknown <= lines.read);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yona::testing::MemoryFile file;
  file.set(data, size);
  for (const auto read : {read_as_shortlist, read_as_lexicon}) {
    try {
      read(file.path());
    } catch (const yona::FormatError&) {  // the other allowed answer
    } catch (const yona::IoError&) {      // an empty file
    }
  }
  return 0;
}
