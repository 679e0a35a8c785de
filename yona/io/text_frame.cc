// Which tokens each family wants around a text, and how it names languages.

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include <unicode/locid.h>

#include "yona/base/error.h"
#include "yona/io/hf_tokenizer.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// en_XX and eng_Latn: a code of two or three letters, and where or in which script.
bool is_code(std::string_view piece) {
  const std::size_t line = piece.find('_');
  const auto letters = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
  };
  return (line == 2 || line == 3) && letters(piece.substr(0, line)) &&
         letters(piece.substr(line + 1)) && piece.size() >= line + 3 && piece.size() <= line + 5 &&
         std::islower(static_cast<unsigned char>(piece[0])) != 0 &&
         std::isupper(static_cast<unsigned char>(piece[line + 1])) != 0;
}

bool is_underlined(std::string_view piece) {
  return piece.size() > 4 && piece.starts_with("__") && piece.ends_with("__");
}

// "de" → "deu"; itself when it is not a code of two letters that ICU knows.
std::string three_letters(const std::string& code) {
  const std::string found = code.size() == 2 ? icu::Locale(code.c_str()).getISO3Language() : "";
  return found.empty() ? code : found;
}

// The token for a language by its whole name, or the only one that begins with its code.
std::int32_t language_id(const Vocabulary& vocabulary, const std::string& language,
                         std::string_view flag) {
  for (const std::string& name : {language, "__" + language + "__", ">>" + language + "<<",
                                  ">>" + three_letters(language) + "<<"}) {
    const auto id = vocabulary.find(name);
    if (id && is_language_token(name)) {
      return *id;
    }
  }
  const std::vector<std::string> all = language_tokens(vocabulary);
  constexpr std::size_t kShown = 8;  // of the 200 that a model may have
  std::vector<std::string> fitting;
  for (const std::string& token : all) {
    if (token.starts_with(language + "_") || token.starts_with(three_letters(language) + "_")) {
      fitting.push_back(token);
    }
  }
  check(!fitting.empty(), "{}: the model has no language '{}'; it has {}", flag, language,
        all.empty()
            ? "none to choose"
            : fmt::format(
                  "{}{}", fmt::join(std::span(all).first(std::min(kShown, all.size())), ", "),
                  all.size() > kShown ? fmt::format(" and {} others", all.size() - kShown) : ""));
  check(fitting.size() == 1, "{}: '{}' can be {}; say which", flag, language,
        fmt::join(fitting, " or "));
  return *vocabulary.find(fitting.front());
}

// The default source language: English, as in transformers, where the model has it.
std::optional<std::int32_t> source_id(const Vocabulary& vocabulary, const std::string& language) {
  if (!language.empty()) {
    return language_id(vocabulary, language, "--src-lang");
  }
  for (const char* english : {"en_XX", "__en__", "eng_Latn"}) {
    if (const auto id = vocabulary.find(english)) {
      return id;
    }
  }
  return std::nullopt;
}

bool has_legacy_order(const fs::path& folder) {
  const fs::path path = folder / "tokenizer_config.json";
  const Json config = fs::exists(path) ? read_json(path) : Json::object();
  return config.is_object() && config.contains("legacy_behaviour") &&
         config["legacy_behaviour"] == true;
}

// OPUS-MT's multilingual models: a tag before the source says what to translate into.
TextFrame marian_frame(const SubwordPair& subwords, const Languages& languages) {
  const Vocabulary& vocabulary = subwords.source.vocabulary();
  TextFrame frame = plain_frame(subwords);
  if (!languages.target.empty() && !language_tokens(vocabulary).empty()) {
    frame.before_source = {language_id(vocabulary, languages.target, "--tgt-lang")};
  }
  return frame;
}

// T5 gets its task as a text prompt.
TextFrame t5_frame(const SubwordPair& subwords, const Languages& languages) {
  const auto name_of = [](const std::string& code) {
    icu::UnicodeString name;
    std::string text;
    icu::Locale(code.c_str())
        .getDisplayLanguage(icu::Locale::getEnglish(), name)
        .toUTF8String(text);
    return text;
  };
  TextFrame frame = plain_frame(subwords);
  if (!languages.source.empty() && !languages.target.empty()) {
    subwords.source.encode(
        fmt::format("translate {} to {}:", name_of(languages.source), name_of(languages.target)),
        frame.before_source);
  }
  return frame;
}

// mBART-50, M2M100 and NLLB-200 begin with the languages; mBART and NLLB-200's first version have
// the source's at its end. mBART's decoder begins with the target's where others begin with </s>,
// and learns to write it once more at the end. (transformers has it there too when it trains
// NLLB-200's first version, whose decoder is then never told the language: here it is.)
TextFrame multilingual_frame(const fs::path& folder, const ModelDescription& d,
                             const SubwordPair& subwords, const Languages& languages) {
  const Vocabulary& vocabulary = subwords.source.vocabulary();
  const bool is_first_mbart = d.family == "mbart" && !vocabulary.find("af_ZA");
  TextFrame frame = plain_frame(subwords);
  if (const auto source = source_id(vocabulary, languages.source)) {
    auto& place =
        is_first_mbart || has_legacy_order(folder) ? frame.after_source : frame.before_source;
    place.push_back(*source);
  }
  if (!languages.target.empty()) {
    const std::int32_t target = language_id(vocabulary, languages.target, "--tgt-lang");
    (is_first_mbart && d.decoder_start() != d.eos_id ? frame.start : frame.first) = target;
    (is_first_mbart ? frame.after_target : frame.before_target).push_back(target);
  }
  return frame;
}

}  // namespace

bool is_language_token(std::string_view piece) {
  return is_code(piece) || is_underlined(piece) || is_language_tag(piece);
}

TextFrame plain_frame(const SubwordPair& subwords) {
  return {.after_source = {subwords.source.vocabulary().end()},
          .after_target = {subwords.target.vocabulary().end()}};
}

Languages completed_languages(const fs::path& folder, Languages languages) {
  const fs::path path = folder / "tokenizer_config.json";
  if (!fs::exists(path)) {
    return languages;
  }
  const Json config = read_json(path);
  const auto text_of = [&](const char* key) {
    return config.is_object() && config.contains(key) && config[key].is_string()
               ? config[key].get<std::string>()
               : std::string();
  };
  if (languages.source.empty()) {
    languages.source = text_of("src_lang");
  }
  if (languages.target.empty()) {
    languages.target = text_of("tgt_lang");
  }
  return languages;
}

std::vector<std::string> language_tokens(const Vocabulary& vocabulary) {
  std::vector<std::string> tokens;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    if (is_language_token(vocabulary.piece(id))) {
      tokens.push_back(vocabulary.piece(id));
    }
  }
  return tokens;
}

TextFrame text_frame(const fs::path& folder, const ModelDescription& description,
                     const SubwordPair& subwords, const Languages& languages) {
  const std::string& family = description.family;
  if (family == "marian") {
    return marian_frame(subwords, languages);
  }
  if (family == "t5" || family == "mt5") {
    return t5_frame(subwords, completed_languages(folder, languages));
  }
  if (family == "mbart" || family == "m2m_100") {
    return multilingual_frame(folder, description, subwords,
                              completed_languages(folder, languages));
  }
  TextFrame frame = plain_frame(subwords);
  if (family == "bart") {
    frame.before_source = frame.before_target = {subwords.source.vocabulary().id("<s>")};
  }
  return frame;
}

}  // namespace yona
