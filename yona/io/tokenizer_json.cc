// Normalisation, cutting, ids and decoding, each as the part of tokenizers that does the same.

#include "yona/io/tokenizer_json.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "yona/base/base64.h"
#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/text/spm_file.h"

namespace yona {

namespace {

// Sorted maps: an ordered_json object of 32,000 pieces would be filled in quadratic time.
using SortedJson = nlohmann::json;

SortedJson replace(const SortedJson& pattern, const char* content) {
  return {{"type", "Replace"}, {"pattern", pattern}, {"content", content}};
}

// Runs of spaces become one and those at the end go, as SentencePiece does; the ones in front are
// dealt with by Metaspace.
SortedJson normalizer(const SpmNormalizer& spm) {
  SortedJson steps = SortedJson::array();
  if (!spm.precompiled_charsmap.empty()) {
    steps.push_back(
        {{"type", "Precompiled"}, {"precompiled_charsmap", base64(spm.precompiled_charsmap)}});
  }
  if (spm.remove_extra_whitespaces) {
    steps.push_back(replace({{"Regex", " +$"}}, ""));
    steps.push_back(replace({{"Regex", " {2,}"}}, " "));
  }
  return {{"type", "Sequence"}, {"normalizers", steps}};
}

SortedJson pre_tokenizer(const SpmNormalizer& spm) {
  return {{"type", "Metaspace"},
          {"replacement", kWordStart},
          {"prepend_scheme", spm.add_dummy_prefix ? "first" : "never"},
          {"split", false}};
}

SortedJson decoder(const SpmNormalizer& spm) {
  SortedJson steps = {
      replace({{"String", kWordStart}}, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}};
  if (spm.add_dummy_prefix) {
    steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  return {{"type", "Sequence"}, {"decoders", steps}};
}

// Every text ends in </s>.
SortedJson post_processor(const Vocabulary& vocabulary) {
  const SortedJson end = {{"SpecialToken", {{"id", Vocabulary::kEnd}, {"type_id", 0}}}};
  const auto sequence = [](const char* id) {
    return SortedJson{{"Sequence", {{"id", id}, {"type_id", 0}}}};
  };
  const SortedJson special = {{"id", Vocabulary::kEnd},
                              {"ids", SortedJson::array({vocabulary.end()})},
                              {"tokens", SortedJson::array({Vocabulary::kEnd})}};
  return {{"type", "TemplateProcessing"},
          {"single", SortedJson::array({sequence("A"), end})},
          {"pair", SortedJson::array({sequence("A"), sequence("B"), end})},
          {"special_tokens", {{std::string(Vocabulary::kEnd), special}}}};
}

// </s>, <unk> and <pad>, and the tags, which are one piece wherever they stand.
SortedJson added_tokens(const SpmFile& spm, const Vocabulary& vocabulary) {
  std::vector<std::pair<std::int32_t, bool>> tokens = {
      {vocabulary.end(), true}, {vocabulary.unknown(), true}, {vocabulary.pad(), true}};
  for (const SpmPiece& piece : spm.pieces) {
    const auto id = vocabulary.find(piece.text);
    if (piece.kind == SpmPiece::Kind::user_defined && id) {
      tokens.emplace_back(*id, false);
    }
  }
  std::sort(tokens.begin(), tokens.end());
  SortedJson list = SortedJson::array();
  for (const auto& [id, special] : tokens) {
    list.push_back({{"id", id},
                    {"content", vocabulary.piece(id)},
                    {"single_word", false},
                    {"lstrip", false},
                    {"rstrip", false},
                    {"normalized", false},
                    {"special", special}});
  }
  return list;
}

// Every way to make a piece out of two others, the best piece first: SentencePiece merges by the
// score of what comes out, tokenizers by the place in this list.
SortedJson merges(const SpmFile& spm, const Vocabulary& vocabulary) {
  struct Merge {
    float score;
    std::int32_t piece, left, right;
  };
  std::vector<Merge> list;
  for (const SpmPiece& piece : spm.pieces) {
    const auto id = vocabulary.find(piece.text);
    if (piece.kind != SpmPiece::Kind::normal || !id) {
      continue;
    }
    const std::string_view text = piece.text;
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
      const auto left = vocabulary.find(text.substr(0, cut));
      const auto right = vocabulary.find(text.substr(cut));
      if (left && right) {
        list.push_back({piece.score, *id, *left, *right});
      }
    }
  }
  std::sort(list.begin(), list.end(), [](const Merge& a, const Merge& b) {
    return std::tuple(-a.score, a.piece, a.left, a.right) <
           std::tuple(-b.score, b.piece, b.left, b.right);
  });
  SortedJson json = SortedJson::array();
  for (const Merge& merge : list) {
    json.push_back(vocabulary.piece(merge.left) + " " + vocabulary.piece(merge.right));
  }
  return json;
}

bool has_bytes(const SpmFile& spm) {
  return std::any_of(spm.pieces.begin(), spm.pieces.end(),
                     [](const SpmPiece& piece) { return piece.kind == SpmPiece::Kind::byte; });
}

SortedJson bpe(const SpmFile& spm, const Vocabulary& vocabulary) {
  SortedJson ids = SortedJson::object();
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    ids[vocabulary.piece(id)] = id;
  }
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", Vocabulary::kUnknown},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", true},
          {"byte_fallback", has_bytes(spm)},
          {"ignore_merges", false},
          {"vocab", ids},
          {"merges", merges(spm, vocabulary)}};
}

SortedJson unigram(const SpmFile& spm, const Vocabulary& vocabulary) {
  std::vector<double> scores(static_cast<std::size_t>(vocabulary.size()));
  for (const SpmPiece& piece : spm.pieces) {
    if (const auto id = vocabulary.find(piece.text)) {
      scores[static_cast<std::size_t>(*id)] = piece.score;
    }
  }
  SortedJson pieces = SortedJson::array();
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    pieces.push_back({vocabulary.piece(id), scores[static_cast<std::size_t>(id)]});
  }
  return {{"type", "Unigram"},
          {"unk_id", vocabulary.unknown()},
          {"vocab", pieces},
          {"byte_fallback", has_bytes(spm)}};
}

}  // namespace

std::string tokenizer_json(std::string_view spm, const Vocabulary& vocabulary,
                           std::string_view name) {
  const SpmFile file = parse_spm(spm, name);
  check<FormatError>(
      file.algorithm == SubwordAlgorithm::bpe || file.algorithm == SubwordAlgorithm::unigram,
      "{}: a {} model has no place in tokenizer.json; bpe and unigram have", name,
      name_of(file.algorithm));
  const bool merges_pieces = file.algorithm == SubwordAlgorithm::bpe;
  const SortedJson json = {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", added_tokens(file, vocabulary)},
      {"normalizer", normalizer(file.normalizer)},
      {"pre_tokenizer", pre_tokenizer(file.normalizer)},
      {"post_processor", post_processor(vocabulary)},
      {"decoder", decoder(file.normalizer)},
      {"model", merges_pieces ? bpe(file, vocabulary) : unigram(file, vocabulary)}};
  return json.dump() + "\n";
}

}  // namespace yona
