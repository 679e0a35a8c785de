#include "yona/io/trained_folder.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/io/atomic_file.h"
#include "yona/io/checksums.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 15> kTokenizerFiles = {"tokenizer.json",
                                                              "tokenizer.model",
                                                              "chat_template.jinja",
                                                              "tokenizer_config.json",
                                                              "special_tokens_map.json",
                                                              "added_tokens.json",
                                                              "vocab.json",
                                                              "vocab.txt",
                                                              "sentencepiece.bpe.model",
                                                              "target_vocab.json",
                                                              "symbols.json",
                                                              "spiece.model",
                                                              "merges.txt",
                                                              "source.spm",
                                                              "target.spm"};

constexpr std::string_view kTokenizerConfig = "tokenizer_config.json";

// What was there before keep_languages(); nothing when that made the file.
std::string without_languages(const fs::path& tokenizer_config) {
  Json config = read_json(tokenizer_config);
  if (config.is_object()) {
    config.erase("src_lang");
    config.erase("tgt_lang");
  }
  return config.empty() ? "" : config.dump();
}

// The language that a token names, as tokenisers are told it: __en__ is "en" to them.
std::string code_of(const std::string& piece) {
  const bool is_underlined = piece.size() > 4 && piece.starts_with("__") && piece.ends_with("__");
  return is_underlined ? piece.substr(2, piece.size() - 4) : piece;
}

void write_replacing(const fs::path& path, const Json& json) {
  replace_file(path, [&](const fs::path& temporary) { write_json(temporary, json); });
}

// Each language as the vocabulary spells it, or as it was given where it is part of a text prompt.
Languages spelled_languages(const SubwordPair& subwords, const TextFrame& frame,
                            const Languages& given) {
  const Vocabulary& vocabulary = subwords.source.vocabulary();
  const auto find = [&](const std::vector<std::int32_t>& ids, const std::string& otherwise) {
    for (const std::int32_t id : ids) {
      if (id >= 0 && is_language_token(vocabulary.piece(id))) {
        return code_of(vocabulary.piece(id));
      }
    }
    return otherwise;
  };
  std::vector<std::int32_t> source = frame.before_source;
  source.insert(source.end(), frame.after_source.begin(), frame.after_source.end());
  return {find(source, given.source), find({frame.start, frame.first}, given.target)};
}

}  // namespace

void copy_tokenizer_files(const fs::path& from, const fs::path& to) {
  const auto copy = [&](std::string_view name) {
    if (fs::exists(from / name)) {
      replace_file(to / name, read_file(from / name));
    }
  };
  for (const std::string_view name : kTokenizerFiles) {
    copy(name);
  }
  copy("generation_config.json");
}

std::vector<std::string> subword_files(const fs::path& folder) {
  std::vector<std::string> names;
  for (const std::string_view name : kTokenizerFiles) {
    const bool is_setting = name == kTokenizerConfig || name == "special_tokens_map.json";
    if (!is_setting && fs::exists(folder / name)) {
      names.emplace_back(name);
    }
  }
  return names;
}

std::string tokenizer_identity(const fs::path& folder) {
  std::string identity;
  const auto add = [&](std::string_view name, const FileChecksum& sum) {
    identity += fmt::format("{} {} {:016x}\n", name, sum.bytes, sum.crc64);
  };
  for (const std::string_view name : kTokenizerFiles) {
    if (!fs::exists(folder / name)) {
      continue;
    }
    if (name != kTokenizerConfig) {
      add(name, checksum_file(folder / name));
    } else if (const std::string text = without_languages(folder / name); !text.empty()) {
      add(name, checksum_bytes(text));
    }
  }
  return identity;
}

void keep_languages(const fs::path& folder, const SubwordPair& subwords, const TextFrame& frame,
                    const Languages& languages) {
  if (languages.source.empty() || languages.target.empty()) {
    return;
  }
  const Languages spelled = spelled_languages(subwords, frame, languages);
  const fs::path tokenizer = folder / kTokenizerConfig;
  Json config = fs::exists(tokenizer) ? read_json(tokenizer) : Json::object();
  check<FormatError>(config.is_object(), "{}: not a JSON object", tokenizer.string());
  config["src_lang"] = spelled.source;
  config["tgt_lang"] = spelled.target;
  write_replacing(tokenizer, config);
  const fs::path generation = folder / "generation_config.json";
  if ((frame.first >= 0 || frame.start >= 0) && fs::exists(generation)) {
    Json settings = read_json(generation);
    check<FormatError>(settings.is_object(), "{}: not a JSON object", generation.string());
    settings[frame.first >= 0 ? "forced_bos_token_id" : "decoder_start_token_id"] =
        frame.first >= 0 ? frame.first : frame.start;
    write_replacing(generation, settings);
  }
}

Json trained_config(const ModelInfo& info) {
  Json config = parse_json(info.original_config, "config.json");
  for (const char* key : {"torch_dtype", "dtype"}) {
    if (config.contains(key)) {
      config[key] = "float32";
    }
  }
  if (config.contains("decoder_start_token_id")) {
    config["decoder_start_token_id"] = describe(info).decoder_start();
  }
  return config;
}

}  // namespace yona
