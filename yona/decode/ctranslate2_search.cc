// Beam search as CTranslate2 does it (src/decoding.cc, BeamSearch): of the 2·beam best
// continuations, the best `beam` are the beams, and those of them that end, or are cut by the
// length limit, become results; in their place go the best of the other continuations that do not
// end. A sentence is over with beam · patience results; without a length penalty, when the very
// best beam has ended and there are n_best results.

#include <algorithm>
#include <cmath>

#include "yona/decode/searches.h"

namespace yona {

namespace {

class CTranslate2Search : public SentenceSearch {
 public:
  CTranslate2Search(const DecodeOptions& options, const SearchLimits& limits)
      : SentenceSearch(options, limits),
        wanted_(std::lround(static_cast<double>(options.beam) * options.patience)) {}

 protected:
  bool step(std::span<const Candidate> given) override {
    std::vector<Candidate> candidates(given.begin(), given.end());
    if (limits_.prefix > 0 && length_ == limits_.prefix + 1) {
      punish_ends(candidates);
    }
    const std::size_t first = std::min(candidates.size(), static_cast<std::size_t>(beam_size()));
    std::size_t spare = first;
    for (std::size_t k = 0; k < first; ++k) {
      if (!ends(candidates[k]) && !is_last()) {
        keep(candidates[k]);
        continue;
      }
      top_ended_ = top_ended_ || k == 0;
      finish(candidates[k]);
      while (spare < candidates.size() && ends(candidates[spare])) {
        ++spare;
      }
      if (spare < candidates.size()) {
        keep(candidates[spare++]);
      }
    }
    return !is_over();
  }

 private:
  // After a prefix there is one beam, and short outputs would crowd the first places: all </s> but
  // the best candidate's get hopeless scores, in place.
  void punish_ends(std::vector<Candidate>& candidates) const {
    for (std::size_t k = 1; k < candidates.size(); ++k) {
      if (ends(candidates[k])) {
        candidates[k] = {.score = -1e10F, .beam = 0, .token = 0};
      }
    }
  }

  bool is_over() const {
    const auto results = static_cast<std::int64_t>(finished_.size());
    if (is_last()) {
      return true;
    }
    return options_.length_penalty == 0 ? top_ended_ && results >= options_.n_best
                                        : results >= wanted_;
  }

  std::int64_t wanted_;
  bool top_ended_ = false;
};

}  // namespace

std::unique_ptr<SentenceSearch> make_ctranslate2_search(const DecodeOptions& options,
                                                        const SearchLimits& limits) {
  return std::make_unique<CTranslate2Search>(options, limits);
}

}  // namespace yona
