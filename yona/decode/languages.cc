#include "yona/decode/languages.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <string_view>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/io/hf_tokenizer.h"

namespace yona {

namespace {

// "de" of "de", "DE" and "de-AT".
std::string primary(std::string_view code) {
  std::string part(code.substr(0, code.find_first_of("-_")));
  std::transform(part.begin(), part.end(), part.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return part;
}

bool is_told_languages(const TranslationModel& model) {
  const std::string& family = model.info().family;
  return is_multilingual(model.info()) || family == "t5" || family == "mt5" ||
         (family == "marian" && !language_tokens(model.subwords().source.vocabulary()).empty());
}

}  // namespace

bool is_multilingual(const ModelInfo& info) {
  return info.family == "mbart" || info.family == "m2m_100";
}

void check_languages(const TranslationModel& model, const DecodeOptions& options) {
  if (!is_multilingual(model.info()) || model.frame().first >= 0 || model.frame().start >= 0 ||
      options.first_id >= 0) {
    return;
  }
  constexpr std::size_t kShown = 8;  // of the 200 that a model may have
  const Vocabulary& vocabulary = model.subwords().target.vocabulary();
  const std::vector<std::string> languages = language_tokens(vocabulary);
  const std::string& first = vocabulary.piece(model.model().start_id());
  check(std::find(languages.begin(), languages.end(), first) != languages.end(),
        "--tgt-lang: the model has {}; name the one to translate into: {}{}",
        counted(languages.size(), "language"),
        fmt::join(std::span(languages).first(std::min(kShown, languages.size())), ", "),
        languages.size() > kShown ? " … (`yona info` lists them)" : "");
}

void check_pair(const TranslationModel& model, const Languages& asked) {
  if (is_told_languages(model)) {
    return;
  }
  const ModelInfo& info = model.info();
  const auto check_one = [&](std::string_view flag, const std::string& given,
                             const std::string& known) {
    check(given.empty() || known.empty() || primary(given) == primary(known),
          "{}: expected {} ({} translates from {} to {}), got {}", flag, known,
          model.folder().string(), info.source_language, info.target_language, given);
  };
  check_one("--src-lang", asked.source, info.source_language);
  check_one("--tgt-lang", asked.target, info.target_language);
}

}  // namespace yona
