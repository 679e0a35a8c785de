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
std::string with_member(const Json& object, std::string_view name, std::string_view value) {
  std::string text = compact(object);
  text.reserve(text.size() + name.size() + value.size() + 5);
  text.back() = ',';  // was the closing brace
  text.append("\"").append(name).append("\":").append(value).append("}");
  return text;
}

// "[a,b]", appended.
void append_list(const std::vector<std::string>& items, std::string& text) {
  std::size_t bytes = text.size() + 2;
  for (const std::string& item : items) {
    bytes += item.size() + 1;
  }
  text.reserve(bytes);
  text += "[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    text.append(i == 0 ? "" : ",").append(items[i]);
  }
  text += "]";
}

// The object with what is known of one sentence.
std::string with_sentence(Json json, const SentenceResult& result, const WantedAnswer& wanted) {
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
  return wanted.attention
             ? with_member(json, "attention", result.attention.empty() ? "null" : result.attention)
             : compact(json);
}

std::string translation_text(const Texts& texts, std::size_t text,
                             std::span<const SentenceResult> results, const WantedAnswer& wanted) {
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
  std::vector<std::string> segments;
  for (std::size_t i = 0; i < results.size(); ++i) {
    segments.push_back(with_sentence(
        {{"source", texts.segments(text).sentences[i]}, {"text", results[i].n_best.front().text}},
        results[i], wanted));
  }
  std::string list;
  append_list(segments, list);
  return with_member(json, "segments", list);
}

}  // namespace

std::vector<std::string> translation_texts(const Texts& texts,
                                           const std::vector<SentenceResult>& results,
                                           const WantedAnswer& wanted) {
  std::vector<std::string> translations;
  for (std::size_t i = 0; i < texts.count(); ++i) {
    translations.push_back(translation_text(texts, i, texts.results_of(i, results), wanted));
  }
  return translations;
}

std::string answer_text(const std::vector<std::string>& translations, const WantedAnswer& wanted) {
  constexpr double kTenths = 1e4;  // of a millisecond in a second
  Json end;
  if (!wanted.names_models) {
    end["model"] = wanted.model.id;
  }
  end["milliseconds"] = std::round(seconds_since(wanted.start) * kTenths) / 10;
  std::string text = "{\"translations\":";
  append_list(translations, text);
  text.append(",").append(compact(end).substr(1));
  return text;
}

Json model_json(const ModelSummary& model) {
  return {{"id", model.id},           {"source", model.source},         {"target", model.target},
          {"loaded", model.loaded},   {"layers", model.layers},         {"heads", model.heads},
          {"d_model", model.d_model}, {"vocabulary", model.vocabulary}, {"family", model.family}};
}

}  // namespace yona::serve
