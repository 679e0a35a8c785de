// Beam search as fairseq does it (fairseq/sequence_generator.py, search.py): of the 2·beam best
// continuations, those among the best `beam` that end are results, in that order, until there are
// `beam`; the best `beam` that do not end go on. At the length limit only </s> may come, at its own
// cost. A sentence is over with `beam` results.

#include "yona/decode/searches.h"

namespace yona {

namespace {

class FairseqSearch : public SentenceSearch {
 public:
  using SentenceSearch::SentenceSearch;

  std::int32_t forced() const override {
    return length_ + 1 == limits_.max_length ? limits_.end : -1;
  }

 protected:
  bool step(std::span<const Candidate> candidates) override {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (ends(candidates[i])) {
        if (static_cast<std::int64_t>(i) < beam_size() && !is_full()) {
          finish(candidates[i]);
        }
      } else if (static_cast<std::int64_t>(next_.size()) < beam_size()) {
        keep(candidates[i]);
      }
    }
    return !is_full() && !is_last();
  }

 private:
  bool is_full() const { return static_cast<std::int64_t>(finished_.size()) == beam_size(); }
};

}  // namespace

std::unique_ptr<SentenceSearch> make_fairseq_search(const DecodeOptions& options,
                                                    const SearchLimits& limits) {
  return std::make_unique<FairseqSearch>(options, limits);
}

}  // namespace yona
