#include "yona/decode/search.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/decode/length_penalty.h"
#include "yona/decode/searches.h"

namespace yona {

SentenceSearch::SentenceSearch(const DecodeOptions& options, const SearchLimits& limits)
    : options_(options), limits_(limits), beams_(1) {
  check(limits.max_length >= 1, "search: a maximum length of {} leaves nothing to search",
        limits.max_length);
}

std::int32_t SentenceSearch::add_node(const Candidate& candidate) {
  const Beam& from = beams_[static_cast<std::size_t>(candidate.beam)];
  nodes_.push_back({from.node, candidate.token, candidate.score - from.score});
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

void SentenceSearch::keep(const Candidate& candidate) {
  next_.push_back({candidate.score, candidate.beam, candidate.token, add_node(candidate)});
}

void SentenceSearch::finish(const Candidate& candidate, double score) {
  finished_.push_back({add_node(candidate), score});
}

double SentenceSearch::final_score(const Candidate& candidate) const {
  return length_normalised(options_, candidate.score,
                           {.tokens = length_, .prefix = limits_.prefix});
}

void SentenceSearch::force(const Candidate& given) {
  ++length_;
  next_.clear();
  keep(given);
  next_.front().score = prefix_counts(options_.mode) ? given.score : beams_.front().score;
  std::swap(beams_, next_);
}

bool SentenceSearch::advance(std::span<const Candidate> candidates) {
  if (candidates.empty()) {
    cut_beams();
    return false;
  }
  ++length_;
  next_.clear();
  const bool goes_on = step(candidates);
  std::swap(beams_, next_);
  return goes_on && !beams_.empty();
}

void SentenceSearch::cut_beams() {
  for (const Beam& beam : beams_) {
    const OutputLength length{.tokens = length_, .prefix = limits_.prefix};
    const double score = beam.score == 0 ? 0 : length_normalised(options_, beam.score, length);
    finished_.push_back({beam.node, score});
  }
}

Ids SentenceSearch::tokens_of(const Beam& beam) const {
  Ids ids;
  for (std::int32_t at = beam.node; at >= 0; at = nodes_[static_cast<std::size_t>(at)].parent) {
    ids.push_back(nodes_[static_cast<std::size_t>(at)].token);
  }
  std::reverse(ids.begin(), ids.end());
  return ids;
}

std::vector<Hypothesis> SentenceSearch::results() const {
  std::vector<Finished> best = finished_;
  std::stable_sort(best.begin(), best.end(),
                   [](const Finished& a, const Finished& b) { return a.score > b.score; });
  best.resize(std::min(best.size(), static_cast<std::size_t>(options_.n_best)));
  std::vector<Hypothesis> hypotheses;
  for (const Finished& finished : best) {
    Hypothesis& hypothesis = hypotheses.emplace_back();
    hypothesis.score = finished.score;
    for (std::int32_t at = finished.node; at >= 0;) {
      const Node& node = nodes_[static_cast<std::size_t>(at)];
      hypothesis.ids.push_back(node.token);
      hypothesis.token_scores.push_back(node.log_probability);
      at = node.parent;
    }
    std::reverse(hypothesis.ids.begin(), hypothesis.ids.end());
    std::reverse(hypothesis.token_scores.begin(), hypothesis.token_scores.end());
    for (const float token_score : hypothesis.token_scores) {
      hypothesis.log_probability += token_score;
    }
  }
  return hypotheses;
}

std::unique_ptr<SentenceSearch> make_search(const DecodeOptions& options,
                                            const SearchLimits& limits) {
  if (options.beam == 1 || options.sampling.on) {
    return make_greedy_search(options, limits);
  }
  switch (options.mode) {
    case BeamMode::paper:
      return make_paper_search(options, limits);
    case BeamMode::huggingface:
      return make_huggingface_search(options, limits);
    case BeamMode::ctranslate2:
      return make_ctranslate2_search(options, limits);
    case BeamMode::marian:
      return make_marian_search(options, limits);
    case BeamMode::fairseq:
      return make_fairseq_search(options, limits);
  }
  fail("search: unknown mode {}", static_cast<int>(options.mode));
}

}  // namespace yona
