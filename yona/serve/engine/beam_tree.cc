#include "yona/serve/engine/beam_tree.h"

#include <algorithm>

#include "yona/serve/http.h"

namespace yona::serve {

namespace {

class TreeWatch : public SearchWatch {
 public:
  TreeWatch(const Vocabulary& vocabulary, std::int32_t end, std::int64_t most_nodes)
      : vocabulary_(vocabulary), end_(end), most_nodes_(most_nodes) {}

  bool stepped(std::size_t /*request*/, std::span<const Candidate> candidates,
               const SentenceSearch& search) override {
    is_too_large_ = last_ + static_cast<std::int64_t>(candidates.size()) > most_nodes_;
    if (is_too_large_) {
      return false;
    }
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
      if (!tokens.empty() && nodes_[i - 1].token == tokens.back() &&
          path(static_cast<std::int64_t>(i)) == tokens) {
        return static_cast<std::int64_t>(i);
      }
    }
    return 0;
  }

  bool is_too_large() const { return is_too_large_; }

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
  std::int64_t most_nodes_;
  bool is_too_large_ = false;
  Json steps_ = Json::array();
  std::vector<Node> nodes_;               // the i-th has id i + 1
  std::vector<std::int64_t> parents_{0};  // the node of each beam
  std::int64_t last_ = 0;
};

}  // namespace

Json beam_tree(const TranslationModel& model, Translator& translator, const std::string& text,
               std::int64_t most_nodes) {
  TreeWatch watch(model.subwords().target.vocabulary(), translator.options().end_id, most_nodes);
  const TranslationRequest request{.text = text};
  const auto answers = translator.n_best({&request, 1}, &watch);
  if (watch.is_too_large()) {
    throw HttpError(413, fmt::format("the tree of {} beams has more than the {} nodes that are "
                                     "allowed; ask for a smaller \"beam\" or a shorter text",
                                     translator.options().beam, most_nodes));
  }
  Json tokens = Json::array();
  for (const std::int32_t id : translator.source_ids(text)) {
    tokens.push_back(model.subwords().source.vocabulary().piece(id));
  }
  const SentenceTranslation& best = answers.front().front();
  return {{"tokens", tokens},
          {"steps", watch.take_steps()},
          {"best", watch.node_of(best.hypothesis.ids)},
          {"text", best.text}};
}

}  // namespace yona::serve
