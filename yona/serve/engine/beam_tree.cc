#include "yona/serve/engine/beam_tree.h"

#include <algorithm>

#include "yona/base/error.h"

namespace yona::serve {

namespace {

class TreeWatch : public SearchWatch {
 public:
  TreeWatch(const Vocabulary& vocabulary, std::int32_t end) : vocabulary_(vocabulary), end_(end) {}

  bool stepped(std::size_t /*request*/, std::span<const Candidate> candidates,
               const SentenceSearch& search) override {
    Json step = Json::array();
    std::vector<std::int64_t> ids;  // of the candidates
    for (const Candidate& candidate : candidates) {
      ids.push_back(++last_);
      const bool is_kept = find_beam(search, candidate) < search.beams().size();
      step.push_back({{"id", last_},
                      {"parent", parents_[static_cast<std::size_t>(candidate.beam)]},
                      {"token", vocabulary_.piece(candidate.token)},
                      {"score", candidate.score},
                      {"kept", is_kept},
                      {"finished", candidate.token == end_}});
      nodes_.push_back({parents_[static_cast<std::size_t>(candidate.beam)], candidate.token});
    }
    steps_.push_back(std::move(step));
    std::vector<std::int64_t> parents(search.beams().size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const std::size_t beam = find_beam(search, candidates[i]);
      if (beam < parents.size()) {
        parents[beam] = ids[i];
      }
    }
    parents_ = std::move(parents);
    return true;
  }

  // The node at the end of these tokens; 0: none.
  std::int64_t node_of(const Ids& tokens) const {
    for (std::size_t i = nodes_.size(); i > 0; --i) {
      if (path(static_cast<std::int64_t>(i)) == tokens) {
        return static_cast<std::int64_t>(i);
      }
    }
    return 0;
  }

  Json take_steps() { return std::move(steps_); }

 private:
  struct Node {
    std::int64_t parent;
    std::int32_t token;
  };

  static std::size_t find_beam(const SentenceSearch& search, const Candidate& candidate) {
    const auto& beams = search.beams();
    return static_cast<std::size_t>(std::find_if(beams.begin(), beams.end(),
                                                 [&](const Beam& beam) {
                                                   return beam.parent == candidate.beam &&
                                                          beam.token == candidate.token;
                                                 }) -
                                    beams.begin());
  }

  Ids path(std::int64_t node) const {
    Ids tokens;
    for (; node > 0; node = nodes_[static_cast<std::size_t>(node) - 1].parent) {
      tokens.push_back(nodes_[static_cast<std::size_t>(node) - 1].token);
    }
    std::reverse(tokens.begin(), tokens.end());
    return tokens;
  }

  const Vocabulary& vocabulary_;
  std::int32_t end_;
  Json steps_ = Json::array();
  std::vector<Node> nodes_;               // the i-th has id i + 1
  std::vector<std::int64_t> parents_{0};  // the node of each beam
  std::int64_t last_ = 0;
};

}  // namespace

Json beam_tree(const TranslationModel& model, Translator& translator, const std::string& text) {
  TreeWatch watch(model.subwords().target.vocabulary(), translator.options().end_id);
  const TranslationRequest request{.text = text};
  const auto answers = translator.n_best({&request, 1}, &watch);
  Json tokens = Json::array();
  for (const std::int32_t id : translator.source_ids(text)) {
    tokens.push_back(model.subwords().source.vocabulary().piece(id));
  }
  const Translation& best = answers.front().front();
  return {{"tokens", tokens},
          {"steps", watch.take_steps()},
          {"best", watch.node_of(best.hypothesis.ids)},
          {"text", best.text}};
}

}  // namespace yona::serve
