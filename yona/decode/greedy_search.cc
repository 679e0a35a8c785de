// Greedy search: the best next token, again and again, until </s>. Also what sampling runs in:
// there the one candidate is drawn. The score is the mode's.

#include "yona/decode/searches.h"

namespace yona {

namespace {

class GreedySearch : public SentenceSearch {
 public:
  using SentenceSearch::SentenceSearch;

  std::int64_t candidates() const override { return 1; }
  std::int32_t forced() const override {
    const bool at_end = length_ + 1 == limits_.max_length;
    const bool is_huggingface = options_.mode == BeamMode::huggingface;
    const bool closes =
        options_.mode == BeamMode::fairseq || (is_huggingface && options_.force_end);
    return is_huggingface && length_ == 0 && options_.first_id >= 0 ? options_.first_id
           : at_end && closes                                       ? limits_.end
                                                                    : -1;
  }
  bool forced_is_free() const override { return options_.mode == BeamMode::huggingface; }

 protected:
  bool step(std::span<const Candidate> candidates) override {
    const Candidate& best = candidates.front();
    if (ends(best) || is_last()) {
      finish(best);
      return false;
    }
    keep(best);
    return true;
  }
};

}  // namespace

std::unique_ptr<SentenceSearch> make_greedy_search(const DecodeOptions& options,
                                                   const SearchLimits& limits) {
  return std::make_unique<GreedySearch>(options, limits);
}

}  // namespace yona
