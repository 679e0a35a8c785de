// Beam search as Marian does it (src/translator/beam_search.cpp, history.h): the best
// continuations, as many as there are beams; those that end are results and are not replaced,
// so that the beam narrows until nothing is left. At the length limit all that is left is taken as
// it is.

#include "yona/decode/searches.h"

namespace yona {

namespace {

class MarianSearch : public SentenceSearch {
 public:
  using SentenceSearch::SentenceSearch;

  std::int64_t candidates() const override {
    return length_ == limits_.prefix ? beam_size() : static_cast<std::int64_t>(beams().size());
  }

 protected:
  bool step(std::span<const Candidate> candidates) override {
    for (const Candidate& candidate : candidates) {
      if (ends(candidate) || is_last()) {
        finish(candidate);
      } else {
        keep(candidate);
      }
    }
    return !is_last();
  }
};

}  // namespace

std::unique_ptr<SentenceSearch> make_marian_search(const DecodeOptions& options,
                                                   const SearchLimits& limits) {
  return std::make_unique<MarianSearch>(options, limits);
}

}  // namespace yona
