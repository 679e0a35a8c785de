#include "yona/decode/translation_format.h"

#include <algorithm>

#include <fmt/format.h>

#include "yona/base/json.h"

namespace yona {

namespace {

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Json json_of(const LineTranslation& translation, const Vocabulary& target) {
  Json tokens = Json::array();
  for (const Translation& part : translation.parts) {
    const Hypothesis& hypothesis = part.hypothesis;
    for (std::size_t i = 0; i < hypothesis.ids.size(); ++i) {
      tokens.push_back(
          {{"piece", target.piece(hypothesis.ids[i])}, {"score", hypothesis.token_scores[i]}});
    }
  }
  return {{"text", translation.text},
          {"score", translation.score},
          {"log_probability", translation.log_probability},
          {"tokens", std::move(tokens)}};
}

std::string json_line(const SourceLine& line, std::span<const LineTranslation> translations,
                      const Vocabulary& target) {
  Json all = Json::array();
  for (const LineTranslation& translation : translations) {
    all.push_back(json_of(translation, target));
  }
  return Json{{"line", line.number}, {"source", line.text}, {"translations", std::move(all)}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace

std::string formatted(const SourceLine& line, std::span<const LineTranslation> translations,
                      OutputForm form, const Vocabulary& target) {
  switch (form) {
    case OutputForm::text:
      return in_one_line(translations.front().text) + "\n";
    case OutputForm::n_best: {
      std::string lines;
      for (const LineTranslation& translation : translations) {
        lines += fmt::format("{} ||| {} ||| F0= {:.6g} ||| {:.6g}\n", line.number - 1,
                             in_one_line(translation.text), translation.log_probability,
                             translation.score);
      }
      return lines;
    }
    case OutputForm::json:
      return json_line(line, translations, target);
  }
  return "";
}

}  // namespace yona
