#include "yona/io/hf_tokenizer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "yona/base/error.h"
#include "yona/base/mapped_file.h"
#include "yona/io/json_file.h"
#include "yona/io/marian_files.h"
#include "yona/io/tokenizer_reader.h"
#include "yona/text/byte_level_bpe.h"
#include "yona/text/language_codes.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

Json json_or_empty(const fs::path& path) {
  const Json json = fs::exists(path) ? read_json(path) : Json::object();
  return json.is_object() ? json : Json::object();
}

// A token as a string, or as an object that says how it is to be matched.
std::string token_text(const Json& token) {
  return token.is_string() ? token.get<std::string>()
         : token.is_object() && token.contains("content") && token["content"].is_string()
             ? token["content"].get<std::string>()
             : "";
}

// Tokens with their ids: tokenizer_config.json's added_tokens_decoder, added_tokens.json.
std::vector<AddedToken> numbered_tokens(const fs::path& folder) {
  std::vector<AddedToken> tokens;
  const Json config = json_or_empty(folder / "tokenizer_config.json");
  const Json decoder = config.value("added_tokens_decoder", Json::object());
  for (const auto& [id, token] : decoder.items()) {
    const bool is_number =
        !id.empty() && id.size() < 9 && id.find_first_not_of("0123456789") == std::string::npos;
    check<FormatError>(is_number, "{}: added_tokens_decoder: '{}' is no id",
                       (folder / "tokenizer_config.json").string(), id);
    tokens.push_back(
        {token_text(token), std::stoi(id), token.is_object() && token.value("special", true)});
  }
  const Json numbered = json_or_empty(folder / "added_tokens.json");
  for (const auto& [text, id] : numbered.items()) {
    const bool is_known = std::any_of(tokens.begin(), tokens.end(),
                                      [&, name = text](const auto& t) { return t.text == name; });
    if (id.is_number_unsigned() && !is_known) {
      tokens.push_back({text, id.get<std::int32_t>(), true});
    }
  }
  return tokens;
}

// The same where they name more than every vocabulary has: transformers 5 leaves the languages of
// M2M100 out, which follow from the rest.
std::vector<AddedToken> numbered_beyond_core(const fs::path& folder) {
  std::vector<AddedToken> tokens = numbered_tokens(folder);
  const bool all_core = std::all_of(tokens.begin(), tokens.end(), [](const AddedToken& token) {
    constexpr std::array<std::string_view, 5> kCore = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"};
    return std::find(kCore.begin(), kCore.end(), token.text) != kCore.end();
  });
  return all_core ? std::vector<AddedToken>() : tokens;
}

// Names of special tokens beyond </s> and the like, in order, from whichever file has them.
std::vector<std::string> additional_tokens(const fs::path& folder) {
  for (const char* file : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const Json json = json_or_empty(folder / file);
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
      std::vector<std::string> names;
      for (const Json& token : json.value(key, Json::array())) {
        names.push_back(token_text(token));
      }
      if (!names.empty()) {
        return names;
      }
    }
  }
  return {};
}

// Gives names that have no id yet the next ones.
void append_tokens(std::span<const std::string_view> names, std::size_t next,
                   std::vector<AddedToken>& tokens) {
  for (const std::string_view name : names) {
    tokens.push_back({std::string(name), static_cast<std::int32_t>(next++), true});
  }
}

std::vector<std::string> spm_pieces(const SpmFile& file, std::size_t from) {
  std::vector<std::string> pieces;
  for (std::size_t i = from; i < file.pieces.size(); ++i) {
    pieces.push_back(file.pieces[i].text);
  }
  return pieces;
}

std::vector<std::string> pieces_in(const Vocabulary& vocabulary) {
  std::vector<std::string> pieces;
  pieces.reserve(static_cast<std::size_t>(vocabulary.size()));
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    pieces.push_back(vocabulary.piece(id));
  }
  return pieces;
}

std::string bytes_of(const fs::path& path) { return std::string(MappedFile(path).bytes()); }

Subword with_pieces(std::string model, std::vector<std::string> pieces,
                    const std::vector<AddedToken>& added, const ModelDescription& d,
                    const fs::path& path) {
  const auto vocabulary = std::make_shared<const Vocabulary>(
      completed_pieces(std::move(pieces), added, d.source_vocab, path.string()), path.string());
  std::vector<AddedToken> all = added;
  for (const std::string_view core : {std::string_view("<s>"), Vocabulary::kUnknown}) {
    if (const auto id = vocabulary->find(core)) {
      all.push_back({std::string(core), *id, true});
    }
  }
  return Subword(std::move(model), vocabulary, path.string(), special_pieces(all, *vocabulary));
}

// fairseq numbers <s>, <pad>, </s> and <unk> first, where SentencePiece has <unk>, <s> and </s>;
// after the pieces come the languages and <mask>.
Subword load_fairseq(const fs::path& folder, const ModelDescription& d) {
  const fs::path path = folder / "sentencepiece.bpe.model";
  std::string model = bytes_of(path);
  const SpmFile file = parse_spm(model, path.string());
  std::vector<std::string> pieces = {"<s>", "<pad>", "</s>", "<unk>"};
  const std::vector<std::string> rest =
      spm_pieces(file, std::min<std::size_t>(3, file.pieces.size()));
  pieces.insert(pieces.end(), rest.begin(), rest.end());
  std::vector<AddedToken> added = numbered_beyond_core(folder);
  if (added.empty()) {
    const std::vector<std::string> named = additional_tokens(folder);
    std::vector<std::string_view> names(named.begin(), named.end());
    if (names.empty()) {
      const auto room = static_cast<std::size_t>(
          std::max<std::int64_t>(0, d.source_vocab - static_cast<std::int64_t>(pieces.size())));
      const auto known = d.family == "m2m_100"               ? nllb_languages()
                         : room > mbart50_languages().size() ? mbart50_languages()
                                                             : mbart_languages();
      names.assign(known.begin(), known.end());
    }
    names.emplace_back("<mask>");
    append_tokens(names, pieces.size(), added);
  }
  return with_pieces(std::move(model), std::move(pieces), added, d, path);
}

// vocab.json numbers the pieces; the languages follow, and words that were made up to fill the
// vocabulary.
Subword load_m2m_100(const fs::path& folder, const ModelDescription& d) {
  const Vocabulary known = Vocabulary::read(folder / "vocab.json");
  std::vector<std::string> pieces = pieces_in(known);
  std::vector<AddedToken> added = numbered_beyond_core(folder);
  if (added.empty()) {
    std::vector<std::string> names = additional_tokens(folder);
    for (const std::string_view language :
         names.empty() ? m2m100_languages() : std::span<const std::string_view>()) {
      names.push_back(fmt::format("__{}__", language));
    }
    append_tokens(std::vector<std::string_view>(names.begin(), names.end()), pieces.size(), added);
  }
  const fs::path path = folder / "sentencepiece.bpe.model";
  return with_pieces(bytes_of(path), std::move(pieces), added, d, path);
}

// <extra_id_0> is the last piece, <extra_id_99> comes first.
Subword load_t5(const fs::path& folder, const ModelDescription& d) {
  const fs::path path = folder / "spiece.model";
  std::string model = bytes_of(path);
  std::vector<std::string> pieces = spm_pieces(parse_spm(model, path.string()), 0);
  std::vector<AddedToken> added = numbered_beyond_core(folder);
  if (added.empty()) {
    const Json config = json_or_empty(folder / "tokenizer_config.json");
    const auto room = d.source_vocab - static_cast<std::int64_t>(pieces.size());
    const auto extra = std::clamp<std::int64_t>(room, 0, config.value("extra_ids", 100));
    std::vector<std::string> names;
    for (std::int64_t i = extra - 1; i >= 0; --i) {
      names.push_back(fmt::format("<extra_id_{}>", i));
    }
    append_tokens(std::vector<std::string_view>(names.begin(), names.end()), pieces.size(), added);
  }
  return with_pieces(std::move(model), std::move(pieces), added, d, path);
}

// <pad> and </s>, two masks and <unk_2> …; then SentencePiece's from <unk> on, each `offset` later.
Subword load_pegasus(const fs::path& folder, const ModelDescription& d) {
  const fs::path path = folder / "spiece.model";
  std::string model = bytes_of(path);
  const SpmFile file = parse_spm(model, path.string());
  const Json config = json_or_empty(folder / "tokenizer_config.json");
  const int offset = config.value("offset", 103);
  check<FormatError>(offset == 0 || (offset >= 2 && offset < 10000 && file.pieces.size() > 2),
                     "{}: \"offset\" cannot be {}", (folder / "tokenizer_config.json").string(),
                     offset);
  std::vector<std::string> pieces = spm_pieces(file, 0);
  std::vector<AddedToken> added;
  if (offset > 0) {
    std::vector<std::string> first = {"<pad>", "</s>", "<mask_1>", "<mask_2>"};
    for (int i = 2; i < offset; ++i) {
      first.push_back(fmt::format("<unk_{}>", i));
    }
    append_tokens(std::vector<std::string_view>(first.begin(), first.end()), 0, added);
    pieces.erase(pieces.begin(), pieces.begin() + 2);
    pieces.insert(pieces.begin(), first.begin(), first.end());
  }
  return with_pieces(std::move(model), std::move(pieces), added, d, path);
}

Subword load_byte_level(const fs::path& folder, const ModelDescription& d) {
  const fs::path path = folder / "vocab.json";
  const Vocabulary known = Vocabulary::read(path);
  std::vector<std::string> pieces = pieces_in(known);
  std::vector<AddedToken> added = numbered_tokens(folder);
  for (const char* name : {"<s>", "<pad>", "</s>", "<unk>", "<mask>"}) {
    const bool is_there = std::any_of(added.begin(), added.end(),
                                      [&](const AddedToken& token) { return token.text == name; });
    if (const auto id = known.find(name); id && !is_there) {
      added.push_back({name, *id, true});
    }
  }
  const auto vocabulary = std::make_shared<const Vocabulary>(
      completed_pieces(std::move(pieces), added, d.source_vocab, path.string()), path.string());
  const fs::path merges = folder / "merges.txt";
  const Json config = json_or_empty(folder / "tokenizer_config.json");
  return {std::make_shared<const ByteLevelBpe>(
              vocabulary, parse_merges(MappedFile(merges).bytes(), merges.string()),
              ByteLevelOptions{.add_prefix_space = config.value("add_prefix_space", false)},
              merges.string()),
          vocabulary, path.string(), special_pieces(added, *vocabulary)};
}

Subword load_side(const fs::path& folder, const ModelDescription& d) {
  const auto has = [&](const char* file) { return fs::exists(folder / file); };
  if (has("sentencepiece.bpe.model")) {
    return has("vocab.json") ? load_m2m_100(folder, d) : load_fairseq(folder, d);
  }
  if (has("spiece.model")) {
    return d.family == "pegasus" ? load_pegasus(folder, d) : load_t5(folder, d);
  }
  if (has("vocab.json") && has("merges.txt")) {
    return load_byte_level(folder, d);
  }
  check<FormatError>(has("tokenizer.json"),
                     "{}: no sub-words: neither source.spm, sentencepiece.bpe.model, spiece.model, "
                     "merges.txt nor tokenizer.json",
                     folder.string());
  return read_tokenizer_json(folder / "tokenizer.json", d.source_vocab);
}

}  // namespace

SubwordPair load_subwords(const fs::path& folder, const ModelDescription& description) {
  if (is_marian_folder(folder)) {
    return load_marian_subwords(find_marian_files(folder), description);
  }
  if (fs::exists(folder / "source.spm")) {
    return SubwordPair::load(folder);
  }
  const Subword both = load_side(folder, description);
  return {both, both};
}

}  // namespace yona
