#include "yona/serve/detection.h"

#include <algorithm>
#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

namespace yona::serve {

namespace {

constexpr std::size_t kEnough = 4096;  // bytes: more text changes nothing
constexpr double kFew = 24;            // bytes of text below which CLD2 is too sure of itself
constexpr double kSure = 80;           // of a confidence: no short text has it

// CLD2's codes where they are not the usual ones of today.
std::string usual_code(std::string code) {
  if (code == "iw") {
    return "he";
  }
  if (code == "zh-Hant") {
    return "zt";  // LibreTranslate's
  }
  return code;
}

std::string_view beginning(std::string_view text) {
  if (text.size() <= kEnough) {
    return text;
  }
  std::size_t end = kEnough;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

std::string_view base_code(std::string_view code) {
  return code.substr(0, code.find_first_of("-_"));
}

// The beginning of the texts, long enough to detect their language.
std::string first_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += text + "\n";
    if (all.size() > kEnough) {
      break;
    }
  }
  return all;
}

}  // namespace

std::vector<DetectedLanguage> detect_languages(std::string_view text) {
  constexpr int kLanguages = 3;
  const std::string_view part = beginning(text);
  CLD2::Language languages[kLanguages];
  int percents[kLanguages];
  double scores[kLanguages];
  int bytes = 0;
  bool is_reliable = false;
  const CLD2::CLDHints hints{nullptr, nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  CLD2::ExtDetectLanguageSummary(part.data(), static_cast<int>(part.size()), true, &hints,
                                 CLD2::kCLDFlagBestEffort, languages, percents, scores, nullptr,
                                 &bytes, &is_reliable);
  std::vector<DetectedLanguage> found;
  for (int i = 0; i < kLanguages; ++i) {
    if (languages[i] != CLD2::UNKNOWN_LANGUAGE && percents[i] > 0) {
      const double trust =
          (is_reliable ? 1.0 : 0.5) * std::min(1.0, static_cast<double>(bytes) / kFew);
      found.push_back({usual_code(CLD2::LanguageCode(languages[i])), trust * percents[i]});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
  return found;
}

std::optional<DetectedLanguage> surely_in(const std::vector<std::string>& texts,
                                          const std::string& language) {
  const std::vector<DetectedLanguage> found = detect_languages(first_of(texts));
  const bool is_sure = !found.empty() && found.front().confidence >= kSure &&
                       base_code(found.front().language) == base_code(language);
  return is_sure ? std::optional(found.front()) : std::nullopt;
}

DetectedLanguage detected_source(const std::vector<std::string>& texts,
                                 const std::vector<ModelSummary>& models,
                                 const std::string& target) {
  const std::vector<DetectedLanguage> found = detect_languages(first_of(texts));
  for (const DetectedLanguage& detected : found) {
    for (const ModelSummary& model : models) {
      if (model.target == target && base_code(model.source) == base_code(detected.language)) {
        return {model.source, detected.confidence};
      }
    }
  }
  if (!found.empty() && found.front().confidence >= kSure) {
    throw HttpError(400, fmt::format("the text seems to be '{}', and no model translates that into "
                                     "'{}'; name its language in \"source\" if it is another",
                                     found.front().language, target));
  }
  for (const ModelSummary& model : models) {
    if (model.target == target) {
      return {model.source, 0};
    }
  }
  throw HttpError(400, fmt::format("there is no model into '{}'", target));
}

}  // namespace yona::serve
