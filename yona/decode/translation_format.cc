#include "yona/decode/translation_format.h"

#include <algorithm>

#include <fmt/format.h>

#include "yona/base/json.h"
#include "yona/decode/line_words.h"

namespace yona {

namespace {

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// The text, and after it what was asked for about its words.
std::string text_with_words(const LineTranslation& translation, const TranslationFormat& format) {
  std::string text = in_one_line(translation.text);
  if (format.alignment != AlignmentForm::none) {
    const SoftAlignment weights = line_alignment(translation, format.source, format.target);
    text += " ||| " + (format.alignment == AlignmentForm::hard ? hard_alignment_text(weights)
                                                               : soft_alignment_text(weights));
  }
  if (format.word_scores) {
    text += " ||| WordScores=";
    for (const double score : line_word_scores(translation, format.target)) {
      text += fmt::format(" {:.6g}", score);
    }
  }
  return text;
}

Json json_of(const LineTranslation& translation, const TranslationFormat& format) {
  Json tokens = Json::array();
  for (const Translation& part : translation.parts) {
    const Hypothesis& hypothesis = part.hypothesis;
    for (std::size_t i = 0; i < hypothesis.ids.size(); ++i) {
      tokens.push_back({{"piece", format.target.piece(hypothesis.ids[i])},
                        {"score", hypothesis.token_scores[i]}});
    }
  }
  Json json{{"text", translation.text},
            {"score", translation.score},
            {"log_probability", translation.log_probability},
            {"tokens", std::move(tokens)},
            {"word_scores", line_word_scores(translation, format.target)}};
  if (format.alignment != AlignmentForm::none) {
    const SoftAlignment weights = line_alignment(translation, format.source, format.target);
    json["alignment"] = format.alignment == AlignmentForm::hard
                            ? Json(hard_alignment_links(weights))
                            : Json(weights);
  }
  return json;
}

std::string json_line(const SourceLine& line, std::span<const LineTranslation> translations,
                      const TranslationFormat& format) {
  Json all = Json::array();
  for (const LineTranslation& translation : translations) {
    all.push_back(json_of(translation, format));
  }
  return Json{{"line", line.number}, {"source", line.text}, {"translations", std::move(all)}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace

std::string formatted(const SourceLine& line, std::span<const LineTranslation> translations,
                      const TranslationFormat& format) {
  switch (format.form) {
    case OutputForm::text:
      return text_with_words(translations.front(), format) + "\n";
    case OutputForm::n_best: {
      std::string lines;
      for (const LineTranslation& translation : translations) {
        lines += fmt::format("{} ||| {} ||| F0= {:.6g} ||| {:.6g}\n", line.number - 1,
                             text_with_words(translation, format), translation.log_probability,
                             translation.score);
      }
      return lines;
    }
    case OutputForm::json:
      return json_line(line, translations, format);
  }
  return "";
}

}  // namespace yona
