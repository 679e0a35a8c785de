#include "yona/tasks/language_model/tokenizer_training.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/io/atomic_file.h"
#include "yona/io/tokenizer_json.h"
#include "yona/text/subword.h"
#include "yona/text/subword_training.h"
#include "yona/text/tokenizer/bpe_training.h"
#include "yona/text/tokenizer/plain_segmenters.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

using SortedJson = nlohmann::json;  // 50,000 pieces in an ordered object take quadratic time

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;  // of text that is looked at
constexpr const char* kEndOfText = "<|endoftext|>";
constexpr const char* kEndOfLine = "<eos>";
constexpr const char* kUnknown = "<unk>";

struct NewTokenizer {
  SortedJson json;
  std::string end;
  std::string unknown{};  // "": bytes are never unknown
};

void for_each_part(const LmDataConfig& data, const std::function<void(std::string_view)>& take) {
  DocumentReader reader(data.train, data.documents);
  std::uint64_t bytes = 0;
  for (DocumentReader::Part part; bytes < kMostBytes && reader.next(part);) {
    take(part.text);
    bytes += part.text.size();
  }
  check<FormatError>(bytes > 0, "{}: there is no text to read",
                     data.train.empty() ? "data.train" : data.train.front().string());
}

SortedJson added_token(const std::string& text, std::size_t id) {
  return {{"id", id},        {"content", text},     {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

SortedJson whole_file(SortedJson model, SortedJson added) {
  return {{"version", "1.0"},          {"truncation", nullptr}, {"padding", nullptr},
          {"added_tokens", added},     {"normalizer", nullptr}, {"pre_tokenizer", nullptr},
          {"post_processor", nullptr}, {"decoder", nullptr},    {"model", std::move(model)}};
}

SortedJson table_of(const std::vector<std::string>& pieces) {
  SortedJson table = SortedJson::object();
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    table[pieces[id]] = id;
  }
  return table;
}

SortedJson bpe_model(const std::vector<std::string>& pieces, SortedJson merges,
                     const SortedJson& unknown) {
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", unknown},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", table_of(pieces)},
          {"merges", std::move(merges)}};
}

NewTokenizer train_bpe(const LmDataConfig& data) {
  constexpr std::int64_t kBytes = 256;
  const std::int64_t size = data.vocabulary_size > 0 ? data.vocabulary_size : 8192;
  check(size > kBytes, "data.vocabulary_size: byte-level BPE needs more than {} tokens, not {}",
        kBytes, size);
  BpeTrainer trainer;
  for_each_part(data, [&](std::string_view text) { trainer.add(text); });
  LearnedBpe learned = trainer.learn(size - 1);
  SortedJson merges = SortedJson::array();
  for (const auto& [left, right] : learned.merges) {
    merges.push_back(fmt::format("{} {}", left, right));
  }
  learned.pieces.emplace_back(kEndOfText);
  SortedJson json =
      whole_file(bpe_model(learned.pieces, std::move(merges), nullptr),
                 SortedJson::array({added_token(kEndOfText, learned.pieces.size() - 1)}));
  const SortedJson byte_level{{"type", "ByteLevel"},
                              {"add_prefix_space", false},
                              {"trim_offsets", true},
                              {"use_regex", true}};
  json["pre_tokenizer"] = json["post_processor"] = json["decoder"] = byte_level;
  return {json, kEndOfText};
}

NewTokenizer train_characters(const LmDataConfig& data) {
  std::set<std::string> characters;
  for_each_part(data, [&](std::string_view text) {
    while (!text.empty()) {
      const std::size_t length = utf8_length(text);
      characters.emplace(text.substr(0, length));
      text.remove_prefix(length);
    }
  });
  std::vector<std::string> pieces{kUnknown, kEndOfText};
  pieces.insert(pieces.end(), characters.begin(), characters.end());
  SortedJson json =
      whole_file(bpe_model(pieces, SortedJson::array(), kUnknown),
                 SortedJson::array({added_token(kUnknown, 0), added_token(kEndOfText, 1)}));
  json["decoder"] = {{"type", "Fuse"}};
  return {json, kEndOfText, kUnknown};
}

// The most frequent words; of equally frequent ones the first by their bytes.
NewTokenizer train_words(const LmDataConfig& data) {
  std::unordered_map<std::string, std::int64_t> counts;
  for_each_part(data, [&](std::string_view text) {
    for (const std::string_view word : whitespace_words(text)) {
      ++counts[std::string(word)];
    }
  });
  counts.erase(kUnknown);
  counts.erase(kEndOfLine);
  std::vector<std::pair<std::string, std::int64_t>> words(counts.begin(), counts.end());
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> pieces{kUnknown, kEndOfLine};
  for (const auto& [word, count] : words) {
    if (data.vocabulary_size > 0 &&
        static_cast<std::int64_t>(pieces.size()) >= data.vocabulary_size) {
      break;
    }
    pieces.push_back(word);
  }
  SortedJson json =
      whole_file({{"type", "WordLevel"}, {"vocab", table_of(pieces)}, {"unk_token", kUnknown}},
                 SortedJson::array({added_token(kUnknown, 0), added_token(kEndOfLine, 1)}));
  json["pre_tokenizer"] = {{"type", "WhitespaceSplit"}};
  return {json, kEndOfLine, kUnknown};
}

NewTokenizer train_sentencepiece(const LmDataConfig& data) {
  SubwordTraining options;
  options.vocabulary_size =
      static_cast<int>(data.vocabulary_size > 0 ? data.vocabulary_size : 8000);
  options.size_policy = data.vocabulary_size > 0 ? SubwordTraining::SizePolicy::exact
                                                 : SubwordTraining::SizePolicy::at_most;
  options.reserved = 0;
  DocumentReader reader(data.train, DocumentUnit::line);
  DocumentReader::Part part;
  const LineSource next = [&](std::string& line) {
    const bool found = reader.next(part);
    line = found ? part.text : "";
    return found;
  };
  const std::string spm = train_subword(next, options, "data.train");
  const Subword subword(spm);
  SortedJson json = SortedJson::parse(tokenizer_json(spm, subword.vocabulary()));
  json["post_processor"] = nullptr;  // a prompt does not end in </s>
  return {json, std::string(Vocabulary::kEnd), std::string(Vocabulary::kUnknown)};
}

NewTokenizer trained(const LmDataConfig& data) {
  switch (data.tokens) {
    case TokenKind::bpe:
      return train_bpe(data);
    case TokenKind::sentencepiece:
      return train_sentencepiece(data);
    case TokenKind::words:
      return train_words(data);
    case TokenKind::characters:
      return train_characters(data);
  }
  fail("data.tokens: unknown kind {}", static_cast<int>(data.tokens));
}

}  // namespace

void train_lm_tokenizer(const LmDataConfig& data, std::int64_t max_positions,
                        const std::filesystem::path& folder, Reporter& reporter) {
  const NewTokenizer made = trained(data);
  const std::size_t size = made.json["model"]["vocab"].size();
  reporter.message(MessageLevel::info, fmt::format("tokeniser: {} tokens", size));
  SortedJson config{{"tokenizer_class", "PreTrainedTokenizerFast"},
                    {"bos_token", made.end},
                    {"eos_token", made.end},
                    {"model_max_length", max_positions},
                    {"clean_up_tokenization_spaces", false}};
  if (!made.unknown.empty()) {
    config["unk_token"] = made.unknown;
  }
  replace_file(folder / "tokenizer.json", made.json.dump() + "\n");
  replace_file(folder / "tokenizer_config.json", config.dump(2) + "\n");
}

}  // namespace yona
