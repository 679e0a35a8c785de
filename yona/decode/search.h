// The search of one sentence: which candidates of a step become beams, which are finished, and when
// to stop. One type for each program whose results it reproduces, behind this one interface.
//
// A search does not know models: it takes the best candidates of its beams, best first, and returns
// the beams of the next step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "yona/decode/hypothesis.h"
#include "yona/decode/options.h"

namespace yona {

struct Candidate {
  float score = 0;        // of the beam with the token: the sum of log-probabilities
  std::int32_t beam = 0;  // which of beams()
  std::int32_t token = 0;
};

struct Beam {
  float score = 0;
  std::int32_t parent = 0;  // which of the beams of the step before
  std::int32_t token = -1;  // -1 at the start
  std::int32_t node = -1;   // its index in the tree of all candidates
};

struct SearchLimits {
  std::int64_t max_length = 0;  // tokens, </s> included: at least 1
  std::int64_t prefix = 0;      // of them that are given
  std::int32_t end = 0;         // </s>
  // Further ones, where several tokens end a text.
  std::vector<std::int32_t> other_ends{};

  bool ends(std::int32_t token) const {
    return token == end ||
           std::find(other_ends.begin(), other_ends.end(), token) != other_ends.end();
  }
};

class SentenceSearch {
 public:
  SentenceSearch(const DecodeOptions& options, const SearchLimits& limits);
  virtual ~SentenceSearch() = default;
  SentenceSearch(const SentenceSearch&) = delete;
  SentenceSearch& operator=(const SentenceSearch&) = delete;

  const std::vector<Beam>& beams() const { return beams_; }
  std::int64_t length() const { return length_; }  // tokens of a beam so far
  Ids tokens_of(const Beam& beam) const;

  // How many candidates the next step looks at.
  virtual std::int64_t candidates() const { return 2 * options_.beam; }
  // The only token that may come next, or -1; and whether it comes at no cost.
  virtual std::int32_t forced() const { return -1; }
  virtual bool forced_is_free() const { return false; }

  // The next token is given. There is one beam as long as this is so.
  void force(const Candidate& given);
  // The candidates of a step, best first. False: the search is over. Where there is none, because
  // nothing may come, the beams are results as they are.
  bool advance(std::span<const Candidate> candidates);

  // At most n_best, best first. At least one once the search is over.
  std::vector<Hypothesis> results() const;

 protected:
  struct Finished {
    std::int32_t node = -1;
    double score = 0;
  };

  // Makes the next beams through keep() and results through finish(); false: over.
  virtual bool step(std::span<const Candidate> candidates) = 0;

  void keep(const Candidate& candidate);
  void finish(const Candidate& candidate) { finish(candidate, final_score(candidate)); }
  void finish(const Candidate& candidate, double score);
  // The candidate's score as a result, length taken into account.
  double final_score(const Candidate& candidate) const;
  bool ends(const Candidate& candidate) const { return limits_.ends(candidate.token); }
  bool is_last() const { return length_ == limits_.max_length; }
  std::int64_t beam_size() const { return options_.beam; }

  const DecodeOptions options_;
  const SearchLimits limits_;
  std::int64_t length_ = 0;  // in step(): with the candidates' tokens
  std::vector<Beam> next_;
  std::vector<Finished> finished_;

 private:
  struct Node {
    std::int32_t parent, token;
    float log_probability;
  };
  std::int32_t add_node(const Candidate& candidate);
  void cut_beams();

  std::vector<Node> nodes_;
  std::vector<Beam> beams_;
};

// The search that the options ask for; a beam of 1 is greedy in every mode.
std::unique_ptr<SentenceSearch> make_search(const DecodeOptions& options,
                                            const SearchLimits& limits);

}  // namespace yona
