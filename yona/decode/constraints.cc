#include "yona/decode/constraints.h"

#include <algorithm>

namespace yona {

void append_bans(const SentenceSearch& search, const Beam& beam, const DecodeOptions& options,
                 Ids& bans) {
  if (search.length() < options.min_length) {
    bans.push_back(options.end_id);
  }
  if (options.suppress_unknown) {
    bans.push_back(options.unknown_id);
  }
  bans.insert(bans.end(), options.banned.begin(), options.banned.end());
  if (options.no_repeat_ngram > 0) {
    Ids ids = search.tokens_of(beam);
    if (options.mode == BeamMode::huggingface && options.start_id >= 0) {
      ids.insert(ids.begin(), options.start_id);  // its n-grams count the first input
    }
    append_repeats(ids, options.no_repeat_ngram, bans);
  }
}

void append_repeats(std::span<const std::int32_t> ids, std::int64_t n, Ids& bans) {
  const auto before = static_cast<std::size_t>(n - 1);  // tokens of the n-gram that are there
  if (ids.size() < before + 1) {
    return;
  }
  const std::span<const std::int32_t> last = ids.last(before);
  for (std::size_t i = 0; i + before < ids.size(); ++i) {
    if (std::equal(last.begin(), last.end(), ids.begin() + static_cast<std::ptrdiff_t>(i))) {
      bans.push_back(ids[i + before]);
    }
  }
}

}  // namespace yona
