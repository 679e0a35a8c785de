#include "yona/io/causal_lm/lm_tokenizer.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/io/added_tokens.h"
#include "yona/io/causal_lm/tokenizer_file.h"
#include "yona/io/json_file.h"
#include "yona/io/tokenizer_parts.h"
#include "yona/io/tokenizer_reader.h"
#include "yona/io/typed_json.h"
#include "yona/text/spm_segmenter.h"
#include "yona/text/tokenizer/plain_segmenters.h"
#include "yona/text/tokenizer/split_segmenter.h"

namespace yona {

namespace {

namespace fs = std::filesystem;
using Added = TextTokenizer::Added;
using Parts = TextTokenizer::Parts;

// Vocabulary wants </s>, <unk> and <pad>. Those that a model lacks come after its last id, which
// TextTokenizer leaves out.
std::shared_ptr<const Vocabulary> vocabulary_of(std::vector<std::string> pieces,
                                                const std::string& unknown,
                                                const std::string& name) {
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (pieces[id].empty()) {
      pieces[id] = fmt::format("<unnamed_{}>", id);
    }
  }
  for (const std::string_view special :
       {Vocabulary::kEnd, Vocabulary::kUnknown, Vocabulary::kPad}) {
    if (std::find(pieces.begin(), pieces.end(), special) == pieces.end()) {
      pieces.emplace_back(special);
    }
  }
  check<NotImplemented>(unknown.empty() || unknown == Vocabulary::kUnknown,
                        "{}: \"unk_token\" {} is not supported; <unk> is", name, unknown);
  return std::make_shared<const Vocabulary>(std::move(pieces), name);
}

std::vector<std::string> sized(std::vector<std::string> pieces, std::int64_t size,
                               const std::string& name) {
  check<FormatError>(static_cast<std::int64_t>(pieces.size()) <= size,
                     "{}: the tokeniser has {} tokens, but the model only {} ids (\"vocab_size\")",
                     name, pieces.size(), size);
  pieces.resize(static_cast<std::size_t>(size));
  return pieces;
}

std::string type_of(const Json& step) { return step.value("type", ""); }

bool is_replacement_of_spaces(const Json& step) {
  const Json pattern = step.value("pattern", Json::object());
  return type_of(step) == "Replace" && pattern.is_object() && pattern.value("String", "") == " " &&
         step.value("content", "") == kWordStart;
}

// "▁" is a space and <0x0A> a byte, where the tokeniser writes them so.
std::string bytes_of_word_piece(const std::string& piece, bool has_marks, bool has_bytes) {
  if (has_bytes && piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with(">")) {
    unsigned byte = 0;
    const char* const digits = piece.data() + 3;
    if (std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      return std::string(1, static_cast<char>(byte));
    }
  }
  return has_marks ? replaced(piece, kWordStart, " ") : piece;
}

// --- byte-level BPE: GPT-2, Llama 3, Qwen -------------------------------------------------------

// Split and ByteLevel steps in front of the merges.
struct ByteLevelSteps {
  ByteLevelOptions bytes{};
  SplitSteps split{};
  bool is_byte_level = false;
};

ByteLevelSteps byte_level_steps(const LmTokenizerFile& file) {
  ByteLevelSteps steps;
  for (const Json& step : file.steps("normalizer", "normalizers")) {
    if (type_of(step) != "NFC") {
      return {};  // of another kind of tokeniser
    }
    steps.split.composes = true;
  }
  for (const Json& step : file.steps("pre_tokenizer", "pretokenizers")) {
    if (type_of(step) == "ByteLevel") {
      steps.is_byte_level = true;
      steps.bytes = byte_level_options(step, file.model(), file.name());
    } else if (type_of(step) == "Split") {
      const std::string regex = step.value("pattern", Json::object()).value("Regex", "");
      const bool is_plain =
          step.value("behavior", "") == "Isolated" && !step.value("invert", false);
      if (regex.empty() || !is_plain || steps.split.pattern) {
        file.refuse("pre_tokenizer", step);
      }
      steps.split.pattern = std::make_shared<const SplitPattern>(regex, file.name());
    } else {
      return {};
    }
  }
  return steps;
}

std::shared_ptr<const Segmenter> byte_level(std::shared_ptr<const Vocabulary> vocabulary,
                                            const std::vector<BpeMerges::Pair>& merges,
                                            ByteLevelSteps steps, const std::string& name) {
  auto inner =
      std::make_shared<const ByteLevelBpe>(std::move(vocabulary), merges, steps.bytes, name);
  if (!steps.split.pattern && !steps.split.composes) {
    return inner;
  }
  return std::make_shared<const SplitSegmenter>(std::move(steps.split), std::move(inner));
}

Parts byte_level_parts(const LmTokenizerFile& file, ByteLevelSteps steps, std::int64_t size) {
  const std::vector<std::string> pieces = sized(file.pieces(), size, file.name());
  Parts parts;
  for (const std::string& piece : pieces) {
    parts.bytes.push_back(bytes_of_piece(piece).value_or(piece));
  }
  parts.segmenter = byte_level(vocabulary_of(pieces, "", file.name()), file.merges(),
                               std::move(steps), file.name());
  return parts;
}

// --- SentencePiece's BPE by its merges (Llama 2, Mistral), and characters
// -------------------------

using Normaliser = std::function<std::string(std::string_view)>;

Normaliser normaliser_of(const LmTokenizerFile& file, const Json& step) {
  if (type_of(step) == "Prepend") {
    return [with = step.value("prepend", "")](std::string_view text) {
      return text.empty() ? std::string() : with + std::string(text);
    };
  }
  if (type_of(step) == "NFC") {
    return composed;
  }
  const Json pattern = step.value("pattern", Json::object());
  const std::string from = pattern.is_object() ? pattern.value("String", "") : "";
  if (type_of(step) != "Replace" || from.empty()) {
    file.refuse("normalizer", step);
  }
  return [from, to = step.value("content", "")](std::string_view text) {
    return replaced(text, from, to);
  };
}

Parts piece_parts(const LmTokenizerFile& file, std::int64_t size) {
  const std::vector<std::string> pieces = sized(file.pieces(), size, file.name());
  const Json unknown = file.model().value("unk_token", Json());
  const auto vocabulary =
      vocabulary_of(pieces, unknown.is_string() ? unknown.get<std::string>() : "", file.name());
  PieceTextOptions options;
  options.prefix = WordPrefix::never;
  options.splits_words = false;
  options.byte_fallback = file.model().value("byte_fallback", false);
  bool has_marks = false;
  Parts parts;
  for (const Json& step : file.steps("normalizer", "normalizers")) {
    has_marks = has_marks || is_replacement_of_spaces(step);
    parts.strips_space = parts.strips_space || type_of(step) == "Prepend";
    options.normalisers.push_back(normaliser_of(file, step));
  }
  for (const Json& step : file.steps("pre_tokenizer", "pretokenizers")) {
    if (type_of(step) != "Metaspace") {
      file.refuse("pre_tokenizer", step);
    }
    has_marks = true;
    options.prefix = word_prefix(step);
    options.splits_words = step.value("split", true);
    parts.strips_space = options.prefix != WordPrefix::never;
  }
  const std::vector<BpeMerges::Pair> merges = file.merges();
  check<NotImplemented>(has_marks || merges.empty(),
                        "{}: BPE without a pre_tokenizer is not supported", file.name());
  for (const std::string& piece : pieces) {
    parts.bytes.push_back(bytes_of_word_piece(piece, has_marks, options.byte_fallback));
  }
  if (has_marks) {
    parts.segmenter = std::make_shared<const PieceBpe>(
        vocabulary, merges, std::move(options), piece_bpe_options(file.model()), file.name());
  } else {
    parts.segmenter = std::make_shared<const CharacterSegmenter>(vocabulary);
  }
  return parts;
}

Parts word_parts(const LmTokenizerFile& file, std::int64_t size) {
  for (const Json& step : file.steps("pre_tokenizer", "pretokenizers")) {
    if (type_of(step) != "WhitespaceSplit") {
      file.refuse("pre_tokenizer", step);
    }
  }
  const std::vector<std::string> pieces = sized(file.pieces(), size, file.name());
  Parts parts{.segmenter = std::make_shared<const WhitespaceSegmenter>(
                  vocabulary_of(pieces, file.model().value("unk_token", ""), file.name())),
              .bytes = {}};
  for (const std::string& piece : pieces) {
    parts.bytes.push_back(" " + piece);
  }
  parts.strips_space = true;
  return parts;
}

// Unigram, and SentencePiece's BPE with its own normalisation, are read as translation models' are.
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

Parts subword_parts(const LmTokenizerFile& file, const fs::path& path, std::int64_t size) {
  Parts parts{
      .segmenter = std::make_shared<const SubwordSegmenter>(read_tokenizer_json(path, size)),
      .bytes = {}};
  for (const std::string& piece : sized(file.pieces(), size, file.name())) {
    parts.bytes.push_back(bytes_of_word_piece(piece, true, true));
  }
  parts.strips_space = true;
  return parts;
}

Parts parts_of_json(const fs::path& path, std::int64_t size) {
  const LmTokenizerFile file(path);
  const std::string type = file.model_type();
  check<FormatError>(type == "BPE" || type == "Unigram" || type == "WordLevel",
                     "{}: a model of type '{}' is not supported; BPE, Unigram and WordLevel are",
                     file.name(), type);
  Parts parts;
  if (type == "WordLevel") {
    parts = word_parts(file, size);
  } else if (const auto pieces = file.pieces();
             type == "Unigram" || (!pieces.empty() && pieces.front() == Vocabulary::kEnd)) {
    parts = subword_parts(file, path, size);
  } else if (ByteLevelSteps steps = byte_level_steps(file); steps.is_byte_level) {
    parts = byte_level_parts(file, std::move(steps), size);
  } else {
    parts = piece_parts(file, size);
  }
  parts.added = file.added();
  file.read_frame(parts.before, parts.after);
  for (const std::vector<std::int32_t>& frame : {parts.before, parts.after}) {
    for (const std::int32_t id : frame) {
      check<FormatError>(id >= 0 && id < size,
                         "{}: \"post_processor\" adds the token {}, and the model has {} ids",
                         file.name(), id, size);
    }
  }
  return parts;
}

// --- folders without tokenizer.json
// ---------------------------------------------------------------

Parts parts_of_spm(const fs::path& path, std::int64_t size) {
  const auto segmenter =
      std::make_shared<const SpmSegmenter>(read_file(path), nullptr, path.string());
  const SpmFile spm = parse_spm(segmenter->model(), path.string());
  Parts parts{.segmenter = segmenter, .bytes = {}};
  std::vector<std::string> pieces;
  for (const SpmPiece& piece : spm.pieces) {
    const bool is_control =
        piece.kind == SpmPiece::Kind::control || piece.kind == SpmPiece::Kind::unknown;
    if (is_control) {
      parts.added.push_back({piece.text, static_cast<std::int32_t>(pieces.size())});
    }
    pieces.push_back(piece.text);
    parts.bytes.push_back(
        bytes_of_word_piece(piece.text, true, piece.kind == SpmPiece::Kind::byte));
  }
  sized(pieces, size, path.string());
  parts.bytes.resize(static_cast<std::size_t>(size));
  parts.strips_space = spm.normalizer.add_dummy_prefix;
  return parts;
}

Parts parts_of_merges(const fs::path& folder, std::int64_t size) {
  const std::string name = (folder / "vocab.json").string();
  std::vector<std::string> pieces;
  const Json vocab = read_json(folder / "vocab.json");
  check<FormatError>(vocab.is_object(), "{}: expected a JSON object of piece: id", name);
  for (const auto& [piece, id] : vocab.items()) {
    check<FormatError>(id.is_number_unsigned() && id.get<std::int64_t>() < size,
                       "{}: the id of '{}' is {}, and the model has {} ids", name, piece, id.dump(),
                       size);
    pieces.resize(std::max(pieces.size(), id.get<std::size_t>() + 1));
    pieces[id.get<std::size_t>()] = piece;
  }
  pieces = sized(std::move(pieces), size, name);
  const fs::path merges = folder / "merges.txt";
  Parts parts;
  parts.segmenter = byte_level(vocabulary_of(pieces, "", name),
                               parse_merges(read_file(merges), merges.string()), {}, name);
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    parts.bytes.push_back(bytes_of_piece(pieces[id]).value_or(pieces[id]));
    if (pieces[id].starts_with("<|") && pieces[id].ends_with("|>")) {
      parts.added.push_back({pieces[id], static_cast<std::int32_t>(id)});
    }
  }
  return parts;
}

// --- which tokens begin, end and fill a text
// ------------------------------------------------------

// "bos_token" of tokenizer_config.json or special_tokens_map.json: a text, or an object with one.
std::string named_token(const Json& config, const char* key) {
  const Json value = config.value(key, Json());
  return value.is_string() ? value.get<std::string>()
         : value.is_object() && value.value("content", Json()).is_string()
             ? value["content"].get<std::string>()
             : std::string();
}

// By name, or by "bos_token_id" of config.json.
std::int32_t special_id(const fs::path& folder, const std::string& key, const Parts& parts) {
  for (const char* file : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const std::string name = named_token(json_or_empty(folder / file), key.c_str());
    for (const Added& token : parts.added) {
      if (!name.empty() && token.text == name) {
        return token.id;
      }
    }
  }
  const Json id = json_or_empty(folder / "config.json").value(key + "_id", Json());
  const Json first = id.is_array() && !id.empty() ? id[0] : id;
  const bool is_there =
      first.is_number_unsigned() && first.get<std::uint64_t>() < parts.bytes.size();
  return is_there ? first.get<std::int32_t>() : -1;
}

// Tokens that tokenizer_config.json names by number.
void add_numbered(const fs::path& folder, Parts& parts) {
  for (const AddedToken& token : numbered_tokens(folder)) {
    const bool is_known = std::any_of(parts.added.begin(), parts.added.end(),
                                      [&](const Added& each) { return each.id == token.id; });
    const bool is_inside = token.id >= 0 && static_cast<std::size_t>(token.id) < parts.bytes.size();
    if (!is_known && is_inside) {
      parts.added.push_back({token.text, token.id, token.special});
      parts.bytes[static_cast<std::size_t>(token.id)] = token.text;
    }
  }
}

}  // namespace

TextTokenizer load_tokenizer(const fs::path& folder, std::int64_t size) {
  std::error_code error;
  const bool has_json = fs::exists(folder / "tokenizer.json", error);
  const bool has_spm = fs::exists(folder / "tokenizer.model", error);
  check<IoError>(has_json || has_spm || fs::exists(folder / "merges.txt", error),
                 "{}: has no tokeniser: no tokenizer.json, tokenizer.model or merges.txt",
                 folder.string());
  const fs::path json = folder / "tokenizer.json";
  Parts parts = has_json  ? read_typed(json.string(), [&] { return parts_of_json(json, size); })
                : has_spm ? parts_of_spm(folder / "tokenizer.model", size)
                          : parts_of_merges(folder, size);
  if (!has_json) {
    add_numbered(folder, parts);
  }
  parts.begin = special_id(folder, "bos_token", parts);
  parts.end = special_id(folder, "eos_token", parts);
  parts.pad = special_id(folder, "pad_token", parts);
  const Json config = json_or_empty(folder / "tokenizer_config.json");
  if (has_spm && !has_json && parts.begin >= 0 &&
      config.value("add_bos_token", Json(true)) == true) {
    parts.before = {parts.begin};
  }
  return TextTokenizer(std::move(parts));
}

std::int64_t tokenizer_size(const fs::path& folder) {
  const fs::path path = folder / "tokenizer.json";
  return read_typed(path.string(), [&] {
    return static_cast<std::int64_t>(LmTokenizerFile(path).pieces().size());
  });
}

}  // namespace yona
