// A language in a table, for tests of searches: the log-probabilities of the next token after each
// sequence of tokens, and a loop that runs a search over it as a decoder would.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "yona/decode/constraints.h"
#include "yona/decode/search.h"

namespace yona::testing {

// Token 0 is </s>. A sequence without an entry goes on by `otherwise`.
struct SearchTree {
  std::map<Ids, std::vector<double>> next;  // probabilities by token
  std::vector<double> otherwise;

  const std::vector<double>& after(const Ids& ids) const {
    const auto found = next.find(ids);
    return found != next.end() ? found->second : otherwise;
  }
};

inline std::vector<Candidate> candidates_of(const SearchTree& tree, const SentenceSearch& search,
                                            const DecodeOptions& options) {
  std::vector<Candidate> all;
  for (std::size_t b = 0; b < search.beams().size(); ++b) {
    const Beam& beam = search.beams()[b];
    const std::vector<double>& probabilities = tree.after(search.tokens_of(beam));
    Ids bans;
    append_bans(search, beam, options, bans);
    for (std::size_t token = 0; token < probabilities.size(); ++token) {
      const auto id = static_cast<std::int32_t>(token);
      const bool allowed = search.forced() < 0
                               ? std::find(bans.begin(), bans.end(), id) == bans.end()
                               : search.forced() == id;
      if (allowed && probabilities[token] > 0) {
        const bool is_free = search.forced() >= 0 && search.forced_is_free();
        const double score = beam.score + (is_free ? 0.0 : std::log(probabilities[token]));
        all.push_back({static_cast<float>(score), static_cast<std::int32_t>(b), id});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  all.resize(std::min(all.size(), static_cast<std::size_t>(search.candidates())));
  return all;
}

struct SearchRun {
  std::vector<Hypothesis> results;
  int steps = 0;
};

inline SearchRun run_search(const SearchTree& tree, const DecodeOptions& options,
                            std::int64_t max_length) {
  const auto search = make_search(options, {.max_length = max_length, .end = 0});
  SearchRun run;
  do {
    ++run.steps;
  } while (search->advance(candidates_of(tree, *search, options)));
  run.results = search->results();
  return run;
}

}  // namespace yona::testing
