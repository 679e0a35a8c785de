#include "yona/serve/engine/sentence_answer.h"

#include <utility>

#include "yona/decode/alignment.h"
#include "yona/inspect/attention.h"
#include "yona/inspect/colour.h"
#include "yona/inspect/export.h"

namespace yona::serve {

namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

HypothesisText hypothesis_of(const LineTranslation& line, const Vocabulary& vocabulary) {
  HypothesisText hypothesis{
      .text = line.text, .score = line.score, .log_probability = line.log_probability};
  for (const SentenceTranslation& part : line.parts) {
    append(hypothesis.tokens, pieces_of(part.hypothesis.ids, vocabulary));
    append(hypothesis.token_scores, part.hypothesis.token_scores);
  }
  return hypothesis;
}

void add_alignment(const LineTranslation& line, std::int32_t end, HypothesisText& hypothesis) {
  std::size_t source = 0;
  std::size_t target = 0;
  for (const SentenceTranslation& part : line.parts) {
    for (const auto& [from, to] : hard_alignment_links(part.hypothesis.attention)) {
      if (part.hypothesis.ids[to] != end && part.source[from] != end) {
        hypothesis.alignment.emplace_back(source + from, target + to);
      }
    }
    source += part.source.size();
    target += part.hypothesis.ids.size();
  }
}

TextPieces attention_json(const TranslationModel& model, Backend& backend, const std::string& text,
                          Ids target) {
  Ids source;
  model.subwords().source.encode(text, source);
  if (!target.empty() && target.back() == model.subwords().target.vocabulary().end()) {
    target.pop_back();
  }
  if (!target.empty() && target.front() == model.frame().first) {
    target.erase(target.begin());
  }
  const AttentionMaps maps =
      inspect_attention(model, backend, std::move(source), std::move(target));
  Json head{{"layers", maps.layers(AttentionPart::cross)},
            {"heads", maps.heads()},
            {"source_tokens", maps.source_tokens},
            {"target_tokens", maps.target_tokens},
            {"decoder_tokens", maps.decoder_tokens}};
  for (std::int64_t number = 0; number < maps.heads(); ++number) {
    head["colours"].push_back(head_colour(number, maps.heads()));
  }
  std::string text_of_head = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  text_of_head.pop_back();  // the closing brace
  TextPieces json(std::move(text_of_head));
  append_weights(maps, WeightDigits::four_decimals, json);
  json.append("}");
  return json;
}

}  // namespace yona::serve
