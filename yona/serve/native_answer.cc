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

// Bytes of requests can come back; what is not UTF-8 is shown as U+FFFD.
std::string compact(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// An object as text with one member more, whose value is JSON already.
TextPieces with_member(const Json& object, std::string_view name, TextPieces value) {
  std::string head = compact(object);
  head.back() = ',';  // was the closing brace
  head.append("\"").append(name).append("\":");
  TextPieces text(std::move(head));
  text.add(std::move(value));
  text.append("}");
  return text;
}

// "[a,b]", appended.
void append_list(std::vector<TextPieces> items, TextPieces& text) {
  text.append("[");
  for (std::size_t i = 0; i < items.size(); ++i) {
    text.append(i == 0 ? "" : ",");
    text.add(std::move(items[i]));
  }
  text.append("]");
}

// The object with what is known of one sentence.
TextPieces with_sentence(Json json, SentenceResult& result, const WantedAnswer& wanted) {
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
  if (!wanted.attention) {
    return compact(json);
  }
  return with_member(
      json, "attention",
      result.attention.is_empty() ? std::string("null") : std::exchange(result.attention, {}));
}

TextPieces translation_text(const Texts& texts, std::size_t text, std::span<SentenceResult> results,
                            const WantedAnswer& wanted) {
  Json json{{"text", texts.translation(text, results, 0)}};
  if (wanted.names_models) {
    json["model"] = wanted.model.id;
  }
  if (wanted.scores) {
    double score = 0;
    for (const SentenceResult& result : results) {
      score += result.n_best.front().score;
    }
    json["score"] = score;
  }
  if (results.size() == 1) {
    return with_sentence(std::move(json), results.front(), wanted);
  }
  std::vector<TextPieces> segments;
  for (std::size_t i = 0; i < results.size(); ++i) {
    segments.push_back(with_sentence(
        {{"source", texts.segments(text).sentences[i]}, {"text", results[i].n_best.front().text}},
        results[i], wanted));
  }
  TextPieces list;
  append_list(std::move(segments), list);
  return with_member(json, "segments", std::move(list));
}

}  // namespace

std::vector<TextPieces> translation_texts(const Texts& texts, std::vector<SentenceResult> results,
                                          const WantedAnswer& wanted) {
  std::vector<TextPieces> translations;
  std::span<SentenceResult> left = results;
  for (std::size_t i = 0; i < texts.count(); ++i) {
    const std::size_t sentences = texts.segments(i).sentences.size();
    translations.push_back(translation_text(texts, i, left.first(sentences), wanted));
    left = left.subspan(sentences);
  }
  return translations;
}

TextPieces answer_text(std::vector<TextPieces> translations, const WantedAnswer& wanted) {
  constexpr double kTenths = 1e4;  // of a millisecond in a second
  Json end;
  if (!wanted.names_models) {
    end["model"] = wanted.model.id;
  }
  end["milliseconds"] = std::round(seconds_since(wanted.start) * kTenths) / 10;
  TextPieces text(std::string("{\"translations\":"));
  append_list(std::move(translations), text);
  text.append(",");
  text.append(compact(end).substr(1));
  return text;
}

Json model_json(const ModelSummary& model) {
  return {{"id", model.id},           {"source", model.source},         {"target", model.target},
          {"loaded", model.loaded},   {"layers", model.layers},         {"heads", model.heads},
          {"d_model", model.d_model}, {"vocabulary", model.vocabulary}, {"family", model.family}};
}

}  // namespace yona::serve
