// Which language is this? By CLD2: four-letter sequences and words for alphabets, characters for
// scripts of many; 83 languages. Short texts are guesses, and the confidence says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/serve/service.h"

namespace yona::serve {

struct DetectedLanguage {
  std::string language;   // a code like en
  double confidence = 0;  // 0 to 100
};

// Most confident first; empty when nothing can be said.
std::vector<DetectedLanguage> detect_languages(std::string_view text);

// The language, where the texts are surely in it.
std::optional<DetectedLanguage> surely_in(const std::vector<std::string>& texts,
                                          const std::string& language);

// The language among those that can be translated into `target` that the texts seem to be in; where
// nothing speaks for any, the first of them with a confidence of 0. Throws HttpError 400 where
// there is none, and where the texts surely are in another language.
DetectedLanguage detected_source(const std::vector<std::string>& texts,
                                 const std::vector<ModelSummary>& models,
                                 const std::string& target);

}  // namespace yona::serve
