#include "yona/io/hf_tokenizer.h"

#include <algorithm>
#include <optional>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/io/added_tokens.h"
#include "yona/io/marian_files.h"
#include "yona/io/tokenizer_reader.h"
#include "yona/text/byte_level_bpe.h"
#include "yona/text/language_codes.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

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

std::string bytes_of(const fs::path& path) { return read_file(path); }

Subword with_pieces(std::string model, std::vector<std::string> pieces,
                    const std::vector<AddedToken>& added, const ModelDescription& d,
                    const fs::path& path) {
  const auto vocabulary = std::make_shared<const Vocabulary>(
      completed_pieces(std::move(pieces), added, d.config.source_vocabulary, path.string()),
      path.string());
  std::vector<AddedToken> all = added;
  for (const std::string_view core : {std::string_view("<s>"), Vocabulary::kUnknown}) {
    if (const auto id = vocabulary->find(core)) {
      all.push_back({std::string(core), *id, true});
    }
  }
  return Subword(std::move(model), vocabulary, path.string(), special_pieces(all, *vocabulary));
}

// The languages of mBART, mBART-50 or NLLB-200 and <mask>, where no file numbers them: <mask> comes
// last, as in fairseq and all models that were made with it; but first in NLLB-200's folders of
// transformers 5. A vocabulary that is too small for the languages has none.
std::vector<AddedToken> fairseq_languages(const fs::path& folder, const ModelDescription& d,
                                          std::size_t pieces) {
  const AdditionalTokens named = additional_tokens(folder);
  std::vector<std::string_view> names(named.names.begin(), named.names.end());
  const auto room = static_cast<std::size_t>(
      std::max<std::int64_t>(0, d.config.source_vocabulary - static_cast<std::int64_t>(pieces)));
  if (names.empty()) {
    const auto known = d.family == "m2m_100"               ? nllb_languages()
                       : room > mbart50_languages().size() ? mbart50_languages()
                                                           : mbart_languages();
    if (known.size() <= room) {
      names.assign(known.begin(), known.end());
    }
  }
  if (names.size() < room) {
    const bool is_first = d.family == "m2m_100" && named.by_transformers_5;
    names.insert(is_first ? names.begin() : names.end(), "<mask>");
  }
  std::vector<AddedToken> added;
  append_tokens(names, pieces, added);
  return added;
}

// fairseq numbers <s>, <pad>, </s> and <unk> first, where SentencePiece has <unk>, <s> and </s>;
// after the pieces come the languages and <mask>. Where a tokenizer.json lies beside the pieces, it
// has their ids.
Subword load_fairseq(const fs::path& folder, const ModelDescription& d) {
  const fs::path path = folder / "sentencepiece.bpe.model";
  std::string model = bytes_of(path);
  const SpmFile file = parse_spm(model, path.string());
  std::vector<std::string> pieces = {"<s>", "<pad>", "</s>", "<unk>"};
  const std::vector<std::string> rest =
      spm_pieces(file, std::min<std::size_t>(3, file.pieces.size()));
  pieces.insert(pieces.end(), rest.begin(), rest.end());
  std::vector<AddedToken> added = beyond_core(numbered_tokens(folder));
  if (const fs::path json = folder / "tokenizer.json"; added.empty() && fs::exists(json)) {
    added = beyond_core(read_added_tokens(json));
  }
  if (added.empty()) {
    added = fairseq_languages(folder, d, pieces.size());
  }
  return with_pieces(std::move(model), std::move(pieces), added, d, path);
}

// vocab.json numbers the pieces; the languages follow, and words that were made up to fill the
// vocabulary.
Subword load_m2m_100(const fs::path& folder, const ModelDescription& d) {
  const Vocabulary known = Vocabulary::read(folder / "vocab.json");
  std::vector<std::string> pieces = pieces_in(known);
  std::vector<AddedToken> added = beyond_core(numbered_tokens(folder));
  if (added.empty()) {
    std::vector<std::string> names = additional_tokens(folder).names;
    const Json config = json_or_empty(folder / "tokenizer_config.json");
    const auto codes =
        config.value("language_codes", Json()) == "wmt21" ? wmt21_languages() : m2m100_languages();
    for (const std::string_view language :
         names.empty() ? codes : std::span<const std::string_view>()) {
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
  std::vector<AddedToken> added = beyond_core(numbered_tokens(folder));
  if (added.empty()) {
    const Json config = json_or_empty(folder / "tokenizer_config.json");
    const auto room = d.config.source_vocabulary - static_cast<std::int64_t>(pieces.size());
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
      completed_pieces(std::move(pieces), added, d.config.source_vocabulary, path.string()),
      path.string());
  const fs::path merges = folder / "merges.txt";
  const Json config = json_or_empty(folder / "tokenizer_config.json");
  return {std::make_shared<const ByteLevelBpe>(
              vocabulary, parse_merges(read_file(merges), merges.string()),
              ByteLevelOptions{.add_prefix_space = config.value("add_prefix_space", false)},
              merges.string()),
          vocabulary, path.string(), special_pieces(added, *vocabulary)};
}

// Throws FormatError naming the file that is missing, where there is no tokenizer.json either.
void check_has_subwords(const fs::path& folder) {
  const auto has = [&](const char* file) { return fs::exists(folder / file); };
  if (has("tokenizer.json")) {
    return;
  }
  check<FormatError>(!has("merges.txt"), "{}: merges.txt is there, but vocab.json is missing",
                     folder.string());
  check<FormatError>(!has("vocab.json"),
                     "{}: vocab.json is there, but neither merges.txt, source.spm nor "
                     "sentencepiece.bpe.model, which cut text into its pieces",
                     folder.string());
  fail<FormatError>(
      "{}: no sub-words: neither source.spm, sentencepiece.bpe.model, spiece.model, vocab.json "
      "with "
      "merges.txt, nor tokenizer.json",
      folder.string());
}

// M2M100 and NLLB-200 have one model_type; only M2M100's ids are in vocab.json.
void check_has_vocabulary(const fs::path& folder) {
  const Json config = json_or_empty(folder / "tokenizer_config.json");
  const Json kind = config.value("tokenizer_class", Json());
  check<FormatError>(kind != "M2M100Tokenizer" && kind != "M2M100TokenizerFast",
                     "{}: vocab.json, which has the ids of M2M100's pieces, is missing",
                     folder.string());
}

Subword load_side(const fs::path& folder, const ModelDescription& d) {
  const auto has = [&](const char* file) { return fs::exists(folder / file); };
  if (has("sentencepiece.bpe.model")) {
    if (has("vocab.json")) {
      return load_m2m_100(folder, d);
    }
    check_has_vocabulary(folder);
    return load_fairseq(folder, d);
  }
  if (has("spiece.model")) {
    return d.family == "pegasus" ? load_pegasus(folder, d) : load_t5(folder, d);
  }
  if (has("vocab.json") && has("merges.txt")) {
    return load_byte_level(folder, d);
  }
  check_has_subwords(folder);
  return read_tokenizer_json(folder / "tokenizer.json", d.config.source_vocabulary);
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
