#include "yona/decode/translation_format.h"

#include <algorithm>

#include <fmt/format.h>

#include "yona/base/json.h"
#include "yona/decode/alignment.h"

namespace yona {

namespace {

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// The text, and after it what was asked for about its words.
std::string text_with_words(const Translation& translation, const TranslationFormat& format) {
  std::string text = in_one_line(translation.text);
  if (format.alignment != AlignmentForm::none) {
    const SoftAlignment& weights = translation.alignment;
    text += " ||| " + (format.alignment == AlignmentForm::hard ? hard_alignment_text(weights)
                                                               : soft_alignment_text(weights));
  }
  if (format.word_scores) {
    text += " ||| WordScores=";
    for (const double score : translation.word_scores) {
      text += fmt::format(" {:.6g}", score);
    }
  }
  return text;
}

Json json_of(const Translation& translation, const TranslationFormat& format) {
  Json tokens = Json::array();
  for (std::size_t i = 0; i < translation.tokens.size(); ++i) {
    tokens.push_back({{"piece", translation.tokens[i]}, {"score", translation.token_scores[i]}});
  }
  Json json{{"text", translation.text},
            {"score", translation.score},
            {"log_probability", translation.log_probability},
            {"tokens", std::move(tokens)},
            {"word_scores", translation.word_scores}};
  if (format.alignment != AlignmentForm::none) {
    json["alignment"] = format.alignment == AlignmentForm::hard ? Json(translation.links)
                                                                : Json(translation.alignment);
  }
  return json;
}

std::string json_line(const SourceLine& line, std::span<const Translation> translations,
                      const TranslationFormat& format) {
  Json all = Json::array();
  for (const Translation& translation : translations) {
    all.push_back(json_of(translation, format));
  }
  return Json{{"line", line.number}, {"source", line.text}, {"translations", std::move(all)}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace

std::string formatted(const SourceLine& line, std::span<const Translation> translations,
                      const TranslationFormat& format) {
  switch (format.form) {
    case OutputForm::text:
      return text_with_words(translations.front(), format) + "\n";
    case OutputForm::n_best: {
      std::string lines;
      for (const Translation& translation : translations) {
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
