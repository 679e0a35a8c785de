// Beam search as `generate` of transformers does it (generation/utils.py, _beam_search): of the
// 2·beam best continuations, the best `beam` may end; the best `beam` that do not end go on; a
// sentence keeps its `beam` best results. It is over when the best beam can no longer replace the
// worst result; what "can" means is early_stopping's business:
//   yes    over as soon as there are `beam` results
//   no     the best beam's score is taken as if it ended now
//   never  as if it ended at the maximum length (for a positive penalty)

#include <algorithm>

#include "yona/decode/length_penalty.h"
#include "yona/decode/searches.h"

namespace yona {

namespace {

class HuggingFaceSearch : public SentenceSearch {
 public:
  using SentenceSearch::SentenceSearch;

  // Enough that `beam` continue even if all that end are among the best.
  std::int64_t candidates() const override {
    const auto others = static_cast<std::int64_t>(limits_.other_ends.size());
    return (2 + others) * beam_size();
  }

  // forced_bos_token_id and forced_eos_token_id: nothing but this token at the first place, nothing
  // but </s> at the last, with a log-probability of zero.
  std::int32_t forced() const override {
    return length_ == 0 && options_.first_id >= 0                    ? options_.first_id
           : options_.force_end && length_ + 1 == limits_.max_length ? limits_.end
                                                                     : -1;
  }
  bool forced_is_free() const override { return true; }

 protected:
  bool step(std::span<const Candidate> candidates) override {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const bool may_end = static_cast<std::int64_t>(i) < beam_size();
      if (ends(candidates[i]) || is_last()) {
        if (may_end) {
          add_result(candidates[i]);
        }
      } else if (static_cast<std::int64_t>(next_.size()) < beam_size()) {
        keep(candidates[i]);
      }
    }
    return !next_.empty() && !is_over();
  }

 private:
  bool is_full() const { return static_cast<std::int64_t>(finished_.size()) == beam_size(); }

  void add_result(const Candidate& candidate) {
    finish(candidate);
    std::stable_sort(finished_.begin(), finished_.end(),
                     [](const Finished& a, const Finished& b) { return a.score > b.score; });
    finished_.resize(std::min(finished_.size(), static_cast<std::size_t>(beam_size())));
  }

  bool is_over() const {
    if (!is_full()) {
      return false;
    }
    const bool hopes =
        options_.early_stopping == EarlyStopping::never && options_.length_penalty > 0;
    const OutputLength length{.tokens = hopes ? limits_.max_length : length_,
                              .prefix = limits_.prefix};
    const double best = length_normalised(options_, next_.front().score, length);
    return options_.early_stopping == EarlyStopping::yes || best <= finished_.back().score;
  }
};

}  // namespace

std::unique_ptr<SentenceSearch> make_huggingface_search(const DecodeOptions& options,
                                                        const SearchLimits& limits) {
  return std::make_unique<HuggingFaceSearch>(options, limits);
}

}  // namespace yona
