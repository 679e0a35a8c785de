#include "yona/serve/native_answer.h"

#include <cmath>

namespace yona::serve {

namespace {

Json hypotheses_json(const SentenceResult& result) {
  Json list = Json::array();
  for (const HypothesisText& hypothesis : result.n_best) {
    list.push_back({{"text", hypothesis.text},
                    {"score", hypothesis.score},
                    {"tokens", hypothesis.tokens},
                    {"token_scores", hypothesis.token_scores}});
  }
  return list;
}

// What is known of one sentence.
void add_sentence(Json& json, const SentenceResult& result, const WantedAnswer& wanted) {
  const HypothesisText& best = result.n_best.front();
  json["source_tokens"] = result.source_tokens;
  json["tokens"] = best.tokens;
  if (wanted.scores) {
    json["token_scores"] = best.token_scores;
  }
  if (wanted.is_n_best) {
    json["n_best"] = hypotheses_json(result);
  }
  if (wanted.alignments) {
    json["alignment"] = best.alignment;
  }
  if (wanted.attention) {
    json["attention"] = result.attention;
  }
}

Json translation_json(const Texts& texts, std::size_t text, std::span<const SentenceResult> results,
                      const WantedAnswer& wanted) {
  Json json{{"text", texts.translation(text, results, 0)}};
  if (wanted.scores) {
    double score = 0;
    for (const SentenceResult& result : results) {
      score += result.n_best.front().score;
    }
    json["score"] = score;
  }
  if (results.size() == 1) {
    add_sentence(json, results.front(), wanted);
    return json;
  }
  Json segments = Json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    Json segment{{"source", texts.segments(text).sentences[i]},
                 {"text", results[i].n_best.front().text}};
    add_sentence(segment, results[i], wanted);
    segments.push_back(std::move(segment));
  }
  json["segments"] = std::move(segments);
  return json;
}

}  // namespace

Json answer_json(const Texts& texts, const std::vector<SentenceResult>& results,
                 const WantedAnswer& wanted) {
  Json translations = Json::array();
  for (std::size_t i = 0; i < texts.count(); ++i) {
    translations.push_back(translation_json(texts, i, texts.results_of(i, results), wanted));
  }
  constexpr double kTenths = 1e4;  // of a millisecond in a second
  return {{"translations", std::move(translations)},
          {"model", wanted.model.id},
          {"milliseconds", std::round(seconds_since(wanted.start) * kTenths) / 10}};
}

Json model_json(const ModelSummary& model) {
  return {{"id", model.id},           {"source", model.source},         {"target", model.target},
          {"loaded", model.loaded},   {"layers", model.layers},         {"heads", model.heads},
          {"d_model", model.d_model}, {"vocabulary", model.vocabulary}, {"family", model.family}};
}

}  // namespace yona::serve
