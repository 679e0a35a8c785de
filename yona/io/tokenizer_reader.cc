// Unigram models cut text as tokenizers does, which differs from SentencePiece where segmentations
// are equally good; BPE goes by its list of merges.

#include "yona/io/tokenizer_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "yona/base/base64.h"
#include "yona/base/error.h"
#include "yona/io/json_file.h"
#include "yona/io/tokenizer_parts.h"
#include "yona/io/typed_json.h"
#include "yona/text/charsmap.h"
#include "yona/text/piece_unigram.h"

namespace yona {

namespace {

constexpr std::string_view kUnnamed = "<unnamed_";  // and the id: pieces without a name
constexpr double kUnknownPenalty = 10;              // an unknown character's, below the worst piece

// The parts of the file, with errors that name it.
class TokenizerFile {
 public:
  explicit TokenizerFile(const std::filesystem::path& path)
      : name_(path.string()), json_(read_json(path)) {
    check<FormatError>(json_.is_object() && json_.contains("model") && json_["model"].is_object(),
                       "{}: not a tokenizer.json: it has no \"model\"", name_);
  }

  const std::string& name() const { return name_; }
  const Json& model() const { return json_["model"]; }
  // The model's pieces; null when there are none.
  const Json& vocab() const {
    static const Json kNone;
    const auto found = model().find("vocab");
    return found == model().end() ? kNone : *found;
  }

  // The steps of "normalizer" or "pre_tokenizer": a sequence's, or the one that there is.
  std::vector<Json> steps(const char* key, const char* list) const {
    const Json part = json_.value(key, Json());
    std::vector<Json> found;
    append_steps(part, list, found);
    return found;
  }

  std::vector<AddedToken> added() const {
    std::vector<AddedToken> tokens;
    const Json list = json_.value("added_tokens", Json::array());
    for (const Json& token : list) {
      check<FormatError>(token.is_object() && token.contains("content") && token.contains("id") &&
                             token["content"].is_string() && is_token_id(token["id"]),
                         "{}: an added token without content and id: {}", name_, token.dump());
      tokens.push_back({token["content"].get<std::string>(), token["id"].get<std::int32_t>(),
                        token.value("special", false), token.value("lstrip", false),
                        token.value("rstrip", false)});
    }
    return tokens;
  }

 private:
  static void append_steps(const Json& part, const char* list, std::vector<Json>& found) {
    if (part.is_null()) {
      return;
    }
    if (part.value("type", "") == "Sequence") {
      for (const Json& step : part.value(list, Json::array())) {
        append_steps(step, list, found);
      }
    } else {
      found.push_back(part);
    }
  }

  std::string name_;
  Json json_;
};

std::string type_of(const Json& step) { return step.value("type", ""); }

[[noreturn]] void unknown_step(const TokenizerFile& file, const char* kind, const Json& step) {
  fail<FormatError>("{}: the {} {} is not supported", file.name(), kind, step.dump());
}

std::string charsmap_of(const TokenizerFile& file, const Json& step) {
  const Json map = step.value("precompiled_charsmap", Json());
  check<FormatError>(map.is_string(), "{}: a precompiled_charsmap is missing", file.name());
  const auto bytes = from_base64(map.get<std::string>());
  check<FormatError>(bytes.has_value(), "{}: precompiled_charsmap is not base64", file.name());
  return *bytes;
}

// "String" or "Regex" of a Replace step.
std::string pattern_of(const Json& step, const char* kind) {
  const Json pattern = step.value("pattern", Json::object());
  return pattern.is_object() ? pattern.value(kind, "") : "";
}

bool joins_spaces(const Json& step) {
  return type_of(step) == "Replace" && pattern_of(step, "Regex") == " {2,}";
}

// Of lines: there `$` is, too.
std::string without_spaces_at_ends(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out.resize(out.find_last_not_of(' ') + 1);
    }
    out += c;
  }
  out.resize(out.find_last_not_of(' ') + 1);
  return out;
}

using Step = std::function<std::string(std::string_view)>;

Step normaliser_of(const TokenizerFile& file, const Json& step) {
  const std::string type = type_of(step);
  if (type == "Precompiled") {
    auto map = std::make_shared<const Charsmap>(charsmap_of(file, step), file.name());
    return [map](std::string_view text) { return (*map)(text); };
  }
  if (type == "Strip") {
    return [left = step.value("strip_left", true), right = step.value("strip_right", true)](
               std::string_view text) { return std::string(without_space(text, left, right)); };
  }
  if (type == "Prepend") {
    return [with = step.value("prepend", "")](std::string_view text) {
      return text.empty() ? std::string() : with + std::string(text);
    };
  }
  if (type == "Replace") {
    const std::string to = step.value("content", "");
    if (joins_spaces(step)) {
      return [to](std::string_view text) { return with_single_spaces(text, to); };
    }
    if (pattern_of(step, "Regex") == " +$") {
      return without_spaces_at_ends;
    }
    const std::string regex = pattern_of(step, "Regex");
    const std::string from =
        regex == "\\n" || regex == "\n" ? std::string(1, '\n') : pattern_of(step, "String");
    if (!from.empty()) {
      return [from, to](std::string_view text) { return replaced(text, from, to); };
    }
  }
  unknown_step(file, "normalizer", step);
}

std::vector<BpeMerges::Pair> merges_of(const TokenizerFile& file) {
  std::vector<BpeMerges::Pair> merges;
  const Json list = file.model().value("merges", Json::array());
  for (const Json& merge : list) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    check<FormatError>(merge.is_string(), "{}: a merge cannot be {}", file.name(), merge.dump());
    const std::vector<BpeMerges::Pair> pairs = parse_merges(merge.get<std::string>(), file.name());
    check<FormatError>(pairs.size() == 1, "{}: a merge cannot be {}", file.name(), merge.dump());
    merges.push_back(pairs.front());
  }
  return merges;
}

// {"piece": id, …} as a list.
std::vector<std::string> listed(const TokenizerFile& file) {
  const Json& vocab = file.vocab();
  check<FormatError>(vocab.is_object(), "{}: \"vocab\" is not a table of pieces", file.name());
  std::vector<std::string> pieces(vocab.size());
  for (const auto& [piece, id] : vocab.items()) {
    check<FormatError>(is_token_id(id), "{}: the id of '{}' cannot be {}", file.name(), piece,
                       id.dump());
    const auto at = id.get<std::size_t>();
    pieces.resize(std::max(pieces.size(), at + 1));
    pieces[at] = piece;
  }
  return pieces;
}

// The steps before the model; false when they make its input bytes (`bytes` is that step).
bool read_text_options(const TokenizerFile& file, PieceTextOptions& options, Json& bytes) {
  options.prefix = WordPrefix::never;
  options.splits_words = false;
  options.byte_fallback = file.model().value("byte_fallback", false);
  for (const Json& step : file.steps("normalizer", "normalizers")) {
    options.normalisers.push_back(normaliser_of(file, step));
  }
  for (const Json& step : file.steps("pre_tokenizer", "pretokenizers")) {
    if (type_of(step) == "ByteLevel") {
      bytes = step;
      return false;
    }
    if (type_of(step) == "WhitespaceSplit") {
      options.splits_at_whitespace = true;
    } else if (type_of(step) == "Metaspace") {
      options.prefix = word_prefix(step);
      options.splits_words = step.value("split", true);
    } else {
      unknown_step(file, "pre_tokenizer", step);
    }
  }
  return true;
}

Subword read_bpe(const TokenizerFile& file, std::int64_t size) {
  const std::vector<AddedToken> added = file.added();
  const auto vocabulary = std::make_shared<const Vocabulary>(
      completed_pieces(listed(file), added, size, file.name()), file.name());
  PieceTextOptions text;
  Json bytes;
  std::shared_ptr<const Segmenter> segmenter;
  if (read_text_options(file, text, bytes)) {
    segmenter = std::make_shared<const PieceBpe>(vocabulary, merges_of(file), std::move(text),
                                                 piece_bpe_options(file.model()), file.name());
  } else {
    check<FormatError>(text.normalisers.empty(),
                       "{}: a normalizer before byte-level BPE is not supported", file.name());
    segmenter = std::make_shared<const ByteLevelBpe>(
        vocabulary, merges_of(file), byte_level_options(bytes, file.model(), file.name()),
        file.name());
  }
  return {std::move(segmenter), vocabulary, file.name(), special_pieces(added, *vocabulary)};
}

Subword read_unigram(const TokenizerFile& file, std::int64_t size) {
  const Json& vocab = file.vocab();
  check<FormatError>(vocab.is_array(), "{}: \"vocab\" is not a list of pieces", file.name());
  const std::vector<AddedToken> added = file.added();
  std::set<std::int64_t> specials;  // text is never cut into these
  for (const AddedToken& token : added) {
    if (token.special) {
      specials.insert(token.id);
    }
  }
  std::vector<std::string> pieces;
  std::vector<UnigramPiece> scores;
  double lowest = std::numeric_limits<double>::infinity();
  for (const Json& entry : vocab) {
    check<FormatError>(
        entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_number(),
        "{}: a piece of the vocabulary cannot be {}", file.name(), entry.dump());
    const auto id = static_cast<std::int32_t>(pieces.size());
    const double score = as_tokenizers_reads(entry[1].get<double>());
    pieces.push_back(entry[0].get<std::string>());
    lowest = std::min(lowest, score);
    if (!specials.contains(id)) {
      scores.push_back({id, score});
    }
  }
  const auto vocabulary = std::make_shared<const Vocabulary>(
      completed_pieces(std::move(pieces), added, size, file.name()), file.name());
  PieceTextOptions text;
  if (Json bytes; !read_text_options(file, text, bytes)) {
    unknown_step(file, "pre_tokenizer", bytes);
  }
  return {std::make_shared<const PieceUnigram>(vocabulary, std::move(scores),
                                               lowest - kUnknownPenalty, std::move(text)),
          vocabulary, file.name(), special_pieces(added, *vocabulary)};
}

}  // namespace

std::vector<std::string> completed_pieces(std::vector<std::string> pieces,
                                          const std::vector<AddedToken>& added, std::int64_t size,
                                          std::string_view name) {
  for (const AddedToken& token : added) {
    const auto at = static_cast<std::size_t>(token.id);
    check<FormatError>(token.id >= 0 && token.id < size,
                       "{}: '{}' has id {}, but the model only {} ids (\"vocab_size\")", name,
                       token.text, token.id, size);
    pieces.resize(std::max(pieces.size(), at + 1));
    check<FormatError>(pieces[at].empty() || pieces[at] == token.text,
                       "{}: id {} is both '{}' and '{}'", name, token.id, pieces[at], token.text);
    pieces[at] = token.text;
  }
  check<FormatError>(static_cast<std::int64_t>(pieces.size()) <= size,
                     "{}: the vocabulary has {} pieces, but the model only {} ids (\"vocab_size\")",
                     name, pieces.size(), size);
  pieces.resize(static_cast<std::size_t>(size));
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    if (pieces[id].empty()) {
      pieces[id] = fmt::format("{}{}>", kUnnamed, id);
    }
  }
  return pieces;
}

SpecialPieces special_pieces(const std::vector<AddedToken>& added, const Vocabulary& vocabulary) {
  SpecialPieces special;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.piece(id).starts_with(kUnnamed)) {
      special.silent.push_back(id);
    }
  }
  for (const AddedToken& token : added) {
    const bool is_core = token.text == "<s>" || token.text == Vocabulary::kEnd ||
                         token.text == Vocabulary::kPad || token.text == Vocabulary::kUnknown;
    if (!is_core) {
      special.whole.push_back({token.text, token.strips_left, token.strips_right});
    }
    if (token.special) {
      special.silent.push_back(token.id);
    }
  }
  return special;
}

std::vector<AddedToken> read_added_tokens(const std::filesystem::path& path) {
  return read_typed(path.string(), [&] { return TokenizerFile(path).added(); });
}

Subword read_tokenizer_json(const std::filesystem::path& path, std::int64_t vocabulary_size) {
  return read_typed(path.string(), [&] {
    const TokenizerFile file(path);
    const std::string type = file.model().value("type", "");
    check<FormatError>(type == "BPE" || type == "Unigram",
                       "{}: a model of type '{}' is not supported; BPE and Unigram are",
                       file.name(), type);
    return type == "BPE" ? read_bpe(file, vocabulary_size) : read_unigram(file, vocabulary_size);
  });
}

}  // namespace yona
