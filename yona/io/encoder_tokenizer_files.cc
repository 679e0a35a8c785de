#include "yona/io/encoder_tokenizer_files.h"

#include <algorithm>
#include <sstream>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/io/added_tokens.h"
#include "yona/io/atomic_file.h"
#include "yona/io/hf_tokenizer.h"
#include "yona/io/json_builder.h"
#include "yona/io/json_file.h"
#include "yona/io/typed_json.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// A cheap way to use what cuts text for encoder-decoders.
class SubwordSegmenter : public Segmenter {
 public:
  explicit SubwordSegmenter(Subword subword) : subword_(std::move(subword)) {}
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    subword_.encode(text, ids);
  }
  void encode_rest(std::string_view text, std::vector<std::int32_t>& ids) const override {
    subword_.encode_rest(text, ids);
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    return subword_.decode(ids);
  }

 private:
  Subword subword_;
};

// "[MASK]", or {"content": "[MASK]", …}; `otherwise` where the files name none.
std::string token_name(const fs::path& folder, const char* key, const char* otherwise) {
  for (const char* file : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const Json config = json_or_empty(folder / file);
    const auto found = config.find(key);
    if (found == config.end()) {
      continue;
    }
    if (found->is_string()) {
      return found->get<std::string>();
    }
    if (found->is_object() && found->value("content", Json()).is_string()) {
      return (*found)["content"].get<std::string>();
    }
  }
  return otherwise;
}

std::int32_t find_piece(const std::vector<std::string>& pieces, const std::string& name) {
  for (std::size_t i = pieces.size(); i-- > 0;) {
    if (pieces[i] == name) {
      return static_cast<std::int32_t>(i);
    }
  }
  return -1;
}

struct SpecialNames {
  const char *begin, *end, *mask, *unknown, *pad;
};

SpecialTokens special_tokens(const fs::path& folder, const std::vector<std::string>& pieces,
                             const SpecialNames& names) {
  const auto id = [&](const char* key, const char* otherwise) {
    return find_piece(pieces, token_name(folder, key, otherwise));
  };
  SpecialTokens special;
  special.begin = id("cls_token", names.begin);
  special.end = id("sep_token", names.end);
  special.mask = id("mask_token", names.mask);
  special.unknown = id("unk_token", names.unknown);
  special.pad = id("pad_token", names.pad);
  check<FormatError>(special.begin >= 0 && special.end >= 0,
                     "{}: the vocabulary lacks '{}' or '{}', which frame a text", folder.string(),
                     token_name(folder, "cls_token", names.begin),
                     token_name(folder, "sep_token", names.end));
  return special;
}

// {"piece": id, …} as a list; ids without a piece stay empty.
std::vector<std::string> listed_pieces(const Json& vocab, std::int64_t size,
                                       const std::string& name) {
  check<FormatError>(vocab.is_object(), "{}: \"vocab\" is not a table of pieces", name);
  std::vector<std::string> pieces(static_cast<std::size_t>(size));
  for (const auto& [piece, id] : vocab.items()) {
    check<FormatError>(id.is_number_unsigned() && id.get<std::uint64_t>() < pieces.size(),
                       "{}: the id of '{}' is {}, but the model has {} ids", name, piece, id.dump(),
                       size);
    pieces[id.get<std::size_t>()] = piece;
  }
  return pieces;
}

bool flag_of(const Json& json, const char* key, bool otherwise) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

BertNormalisation normalisation_of(const Json& normalizer, const std::string& name) {
  check<FormatError>(normalizer.is_object() && normalizer.value("type", Json()) == "BertNormalizer",
                     "{}: the normalizer {} is not supported with WordPiece; BertNormalizer is",
                     name, normalizer.dump());
  BertNormalisation options;
  options.clean = flag_of(normalizer, "clean_text", true);
  options.spaces_around_cjk = flag_of(normalizer, "handle_chinese_chars", true);
  options.lower_case = flag_of(normalizer, "lowercase", true);
  options.strip_accents = flag_of(normalizer, "strip_accents", options.lower_case);
  return options;
}

EncoderTokenizer word_piece_tokenizer(const fs::path& folder, std::vector<std::string> pieces,
                                      const BertNormalisation& normalisation,
                                      const std::string& unknown, const std::string& name,
                                      std::int64_t longest_word = WordPiece::kLongestWord) {
  const SpecialTokens special =
      special_tokens(folder, pieces, {"[CLS]", "[SEP]", "[MASK]", "[UNK]", "[PAD]"});
  auto shared = std::make_shared<const std::vector<std::string>>(pieces);
  return {std::make_shared<const WordPiece>(std::move(pieces), normalisation, unknown, name,
                                            longest_word),
          shared, special};
}

EncoderTokenizer read_word_piece_json(const fs::path& folder, const Json& json,
                                      const EncoderInfo& info, const std::string& name) {
  const Json& model = json["model"];
  check<FormatError>(model.value("continuing_subword_prefix", "##") == WordPiece::kContinuation,
                     "{}: a continuing_subword_prefix other than ## is not supported", name);
  std::vector<std::string> pieces =
      listed_pieces(model.value("vocab", Json()), info.config.vocabulary, name);
  for (const Json& token : json.value("added_tokens", Json::array())) {
    const auto id = token.value("id", std::size_t{0});
    if (id < pieces.size()) {
      pieces[id] = token.value("content", pieces[id]);
    }
  }
  const Json longest_word = model.value("max_input_chars_per_word", Json(WordPiece::kLongestWord));
  check<FormatError>(
      longest_word.is_number_integer() && longest_word >= 0 && longest_word <= 1 << 30,
      "{}: max_input_chars_per_word cannot be {}", name, brief_json(longest_word));
  return word_piece_tokenizer(
      folder, std::move(pieces), normalisation_of(json.value("normalizer", Json()), name),
      model.value("unk_token", "[UNK]"), name, longest_word.get<std::int64_t>());
}

EncoderTokenizer read_vocab_txt(const fs::path& folder, const EncoderInfo& info) {
  const fs::path path = folder / "vocab.txt";
  std::vector<std::string> pieces;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    pieces.push_back(line);
  }
  check<FormatError>(static_cast<std::int64_t>(pieces.size()) <= info.config.vocabulary,
                     "{}: {} pieces, but the model has {} ids (\"vocab_size\")", path.string(),
                     pieces.size(), info.config.vocabulary);
  pieces.resize(static_cast<std::size_t>(info.config.vocabulary));
  const Json config = json_or_empty(folder / "tokenizer_config.json");
  BertNormalisation options;
  options.lower_case = flag_of(config, "do_lower_case", true);
  options.strip_accents = flag_of(config, "strip_accents", options.lower_case);
  options.spaces_around_cjk = flag_of(config, "tokenize_chinese_chars", true);
  return word_piece_tokenizer(folder, std::move(pieces), options,
                              token_name(folder, "unk_token", "[UNK]"), path.string());
}

// Does the space in front of the mask belong to it ("lstrip")? As the files say; else it does not.
bool mask_takes_space(const fs::path& folder, const std::string& mask) {
  const auto strips = [&](const Json& token) {
    return token.is_object() && token.value("content", Json()) == mask &&
           flag_of(token, "lstrip", false);
  };
  for (const char* file : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const Json config = json_or_empty(folder / file);
    const Json numbered = config.value("added_tokens_decoder", Json::object());
    if (strips(config.value("mask_token", Json())) ||
        std::any_of(numbered.begin(), numbered.end(), strips)) {
      return true;
    }
  }
  const Json added = json_or_empty(folder / "tokenizer.json").value("added_tokens", Json::array());
  return std::any_of(added.begin(), added.end(), strips);
}

EncoderTokenizer read_byte_level(const fs::path& folder, const EncoderInfo& info) {
  ModelDescription description;
  description.family = info.family;
  description.config.source_vocabulary = description.config.target_vocabulary =
      info.config.vocabulary;
  const Subword subword = load_subwords(folder, description).source;
  std::vector<std::string> pieces;
  pieces.reserve(static_cast<std::size_t>(subword.vocabulary().size()));
  for (std::int32_t id = 0; id < subword.vocabulary().size(); ++id) {
    pieces.push_back(subword.vocabulary().piece(id));
  }
  SpecialTokens special =
      special_tokens(folder, pieces, {"<s>", "</s>", "<mask>", "<unk>", "<pad>"});
  special.two_ends_between = true;
  special.mask_takes_space =
      special.mask >= 0 && mask_takes_space(folder, pieces[static_cast<std::size_t>(special.mask)]);
  special.marks_continuation = false;
  return {std::make_shared<const SubwordSegmenter>(subword),
          std::make_shared<const std::vector<std::string>>(std::move(pieces)), special};
}

}  // namespace

EncoderTokenizer load_encoder_tokenizer(const fs::path& folder, const EncoderInfo& info) {
  const fs::path path = folder / "tokenizer.json";
  if (fs::exists(path)) {
    const Json json = read_json(path);
    check<FormatError>(json.is_object() && json.value("model", Json()).is_object(),
                       "{}: not a tokenizer.json: it has no \"model\"", path.string());
    if (json["model"].value("type", Json()) == "WordPiece") {
      return read_typed(path.string(),
                        [&] { return read_word_piece_json(folder, json, info, path.string()); });
    }
    return read_byte_level(folder, info);
  }
  if (fs::exists(folder / "vocab.txt")) {
    return read_vocab_txt(folder, info);
  }
  check<FormatError>(fs::exists(folder / "vocab.json"),
                     "{}: no tokeniser: neither tokenizer.json, vocab.txt, nor vocab.json with "
                     "merges.txt",
                     folder.string());
  return read_byte_level(folder, info);
}

void write_word_piece_files(const fs::path& folder, const std::vector<std::string>& pieces,
                            const BertNormalisation& normalisation, std::int64_t max_length) {
  std::string lines;
  for (const std::string& piece : pieces) {
    lines += piece + "\n";
  }
  replace_file(folder / "vocab.txt", lines);
  const Json special{{"unk_token", "[UNK]"},
                     {"sep_token", "[SEP]"},
                     {"pad_token", "[PAD]"},
                     {"cls_token", "[CLS]"},
                     {"mask_token", "[MASK]"}};
  Json config{{"tokenizer_class", "BertTokenizer"},
              {"do_lower_case", normalisation.lower_case},
              {"strip_accents", normalisation.strip_accents},
              {"tokenize_chinese_chars", normalisation.spaces_around_cjk},
              {"model_max_length", max_length}};
  config.update(special);
  replace_file(folder / "tokenizer_config.json", config.dump(2) + "\n");
  replace_file(folder / "special_tokens_map.json", special.dump(2) + "\n");
}

}  // namespace yona
