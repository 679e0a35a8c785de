// Any bytes given as a token cache whose checksums are right: pairs that lie inside of it, or it is
// made again. (Here that fails, since the corpus is empty: the quickest answer.)
//
// The last bytes are the footer. Its key and its checksums are put right, or nearly every input
// would be refused for them alone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/data/pair_cache.h"
#include "yona/text/word_segmenter.h"

#include "tests/fuzz/memory_file.h"

namespace {

namespace fs = std::filesystem;

// A corpus without a line, and its cache: a file in memory.
class Place {
 public:
  yona::TokenCache open() {
    return yona::open_pair_cache(spec_, encoder_, {}, folder_.path(), pool_);
  }
  const std::string& key() const { return key_.text; }
  void set(const std::string& bytes) { cache_.set(bytes.data(), bytes.size()); }

  Place() { fs::create_symlink(cache_.path(), folder_.path() / key_.file_name); }

 private:
  static yona::Subword words() {
    const auto vocabulary = std::make_shared<const yona::Vocabulary>(
        std::vector<std::string>{"</s>", "<unk>", "a", "b", "<pad>"});
    return {std::make_shared<const yona::WordSegmenter>(vocabulary), vocabulary, "words"};
  }
  yona::CorpusSpec empty_corpus() const {
    yona::CorpusSpec spec;
    spec.tsv_files = {folder_.path() / "corpus.tsv"};
    return spec;
  }

  yona::testing::MemoryFolder folder_{"corpus.tsv"};
  yona::testing::MemoryFile cache_;
  yona::CorpusSpec spec_ = empty_corpus();
  yona::PairEncoder encoder_{yona::SubwordPair{words(), words()}};
  yona::CacheKey key_ = yona::cache_key(spec_, encoder_, {});
  yona::ThreadPool pool_{1};
};

std::uint64_t checksum_of(const std::string& bytes, std::uint64_t begin, std::uint64_t size) {
  return begin > bytes.size() ? 0 : yona::checksum(std::string_view(bytes).substr(begin, size));
}

void put_footer(yona::TokenCacheFooter footer, std::string& bytes) {
  footer.footer_checksum = yona::checksum(
      {reinterpret_cast<const char*>(&footer), offsetof(yona::TokenCacheFooter, footer_checksum)});
  std::memcpy(bytes.data() + bytes.size() - sizeof footer, &footer, sizeof footer);
}

// Puts the key in the place that the footer has for it, and the checksums right.
void mend(std::string& bytes, std::string key) {
  yona::TokenCacheFooter footer;
  std::memcpy(&footer, bytes.data() + bytes.size() - sizeof footer, sizeof footer);
  footer.magic = yona::kTokenCacheMagic;
  footer.version = yona::kTokenCacheVersion;
  if (footer.sides > yona::kMostSides) {  // has no layout, and must be refused
    put_footer(footer, bytes);
    return;
  }
  const std::uint64_t place = yona::TokenCacheLayout(footer).key;
  const std::uint64_t room = (std::min<std::uint64_t>(footer.key_bytes, 64) + 7) / 8 * 8;
  if (place <= bytes.size() - sizeof footer && room <= bytes.size() - sizeof footer - place) {
    footer.key_bytes = key.size();
    key.resize((key.size() + 7) / 8 * 8);
    bytes.replace(place, room, key);
  }
  const yona::TokenCacheLayout layout(footer);
  footer.payload_checksum =
      checksum_of(bytes, layout.payload, footer.elements * footer.element_bytes);
  footer.index_checksum = checksum_of(bytes, layout.offsets, layout.footer - layout.offsets);
  put_footer(footer, bytes);
}

void read_pairs(const yona::TokenCache& cache) {
  std::vector<std::int32_t> ids;
  std::size_t text = 0;
  for (std::uint64_t pair = 0; pair < cache.examples(); ++pair) {
    if (cache.content() == yona::CacheContent::tokens) {
      ids.clear();
      cache.append(pair, yona::kSource, ids);
      cache.append(pair, yona::kTarget, ids);
    } else {
      text += std::string(cache.text(pair, yona::kSource)).size();
      text += std::string(cache.text(pair, yona::kTarget)).size();
    }
    text += cache.tokens(pair, yona::kSource) + cache.tokens(pair, yona::kTarget) +
            cache.line(pair) + cache.document(pair) + (cache.weight(pair) > 0 ? 1 : 0);
  }
  asm volatile("" : : "r"(text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Place place;
  yona::set_verbosity(yona::Verbosity::quiet);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size >= sizeof(yona::TokenCacheFooter)) {
    mend(bytes, place.key());
  }
  place.set(bytes);
  try {
    read_pairs(place.open());
  } catch (const yona::FormatError&) {  // damaged, and there is nothing to make it from
  } catch (const yona::IoError&) {
  }
  return 0;
}
