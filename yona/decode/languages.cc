#include "yona/decode/languages.h"

#include <algorithm>
#include <span>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/io/hf_tokenizer.h"

namespace yona {

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
  const std::string& first = vocabulary.piece(model.transformer().start_id());
  check(std::find(languages.begin(), languages.end(), first) != languages.end(),
        "--tgt-lang: the model has {}; name the one to translate into: {}{}",
        counted(languages.size(), "language"),
        fmt::join(std::span(languages).first(std::min(kShown, languages.size())), ", "),
        languages.size() > kShown ? " … (`yona info` lists them)" : "");
}

}  // namespace yona
