// Beam search as in the paper (§6.1) and the program it was made with, Tensor2Tensor: beam 4, the
// length penalty of Wu et al. 2016 with α = 0.6, at most input + 50 tokens, an early end.
//
// Of the 2·beam best continuations, those that end are finished and the best `beam` others go on.
// Log-probabilities only fall, so with the penalty of the longest output a beam can still become,
// its score now is a bound on all it leads to: when the n-best finished ones reach the bound of the
// best beam, the search ends, and nothing better was missed. What is cut by the length limit counts
// only when nothing has ended.

#include <algorithm>

#include "yona/decode/length_penalty.h"
#include "yona/decode/searches.h"

namespace yona {

namespace {

class PaperSearch : public SentenceSearch {
 public:
  using SentenceSearch::SentenceSearch;

 protected:
  bool step(std::span<const Candidate> candidates) override {
    for (const Candidate& candidate : candidates) {
      if (ends(candidate)) {
        finish(candidate);
      } else if (static_cast<std::int64_t>(next_.size()) < beam_size()) {
        keep(candidate);
      }
    }
    if (is_last()) {
      if (finished_.empty()) {
        cut(candidates);
      }
      return false;
    }
    return next_.empty() || can_improve();
  }

 private:
  void cut(std::span<const Candidate> candidates) {
    for (const Candidate& candidate :
         candidates.first(std::min(candidates.size(), static_cast<std::size_t>(beam_size())))) {
      finish(candidate);
    }
  }

  bool can_improve() const {
    const auto wanted = static_cast<std::size_t>(options_.n_best);
    if (finished_.size() < wanted) {
      return true;
    }
    std::vector<double> scores;
    for (const Finished& finished : finished_) {
      scores.push_back(finished.score);
    }
    std::nth_element(scores.begin(), scores.begin() + options_.n_best - 1, scores.end(),
                     std::greater<>());
    // A negative sum is least harmed by the longest output, or, with α below 0, by the next one.
    const std::int64_t longest = options_.length_penalty >= 0 ? limits_.max_length : length_ + 1;
    const double bound =
        length_normalised(options_, next_.front().score, {.tokens = longest, .prefix = 0});
    return bound > scores[wanted - 1];
  }
};

}  // namespace

std::unique_ptr<SentenceSearch> make_paper_search(const DecodeOptions& options,
                                                  const SearchLimits& limits) {
  return std::make_unique<PaperSearch>(options, limits);
}

}  // namespace yona
