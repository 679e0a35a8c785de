// A seeded sample of lines goes to SentencePiece's trainer; its complaints become yona's.

#include "yona/text/subword_training.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include <sentencepiece_trainer.h>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/base/random.h"
#include "yona/text/subword.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::size_t kLongestLine = 4192;           // bytes; SentencePiece's own limit
constexpr std::string_view kTrainerMark = "\u2585";  // SentencePiece's mark for rare characters
constexpr int kThreads = 4;  // fixed: unigram's sums are cut by it, and the file records it

struct NumberedLine {
  std::int64_t number = 0;
  std::string text;
};

bool is_usable(const std::string& line) {
  return line.size() <= kLongestLine && line.find_first_not_of(" \t") != std::string::npos &&
         line.find('\0') == std::string::npos && line.find(kTrainerMark) == std::string::npos &&
         is_utf8(line);
}

// At most max_lines usable lines, each equally likely (Vitter's algorithm R), in their order.
std::vector<NumberedLine> sample_lines(const LineSource& next_line, std::int64_t max_lines,
                                       std::uint64_t seed, std::int64_t& usable) {
  std::vector<NumberedLine> kept;
  RandomSequence random(mix(seed, hash_name("sub-word lines")));
  std::string line;
  usable = 0;
  while (next_line(line)) {
    if (!is_usable(line)) {
      continue;
    }
    const std::int64_t number = usable++;
    if (number < max_lines) {
      kept.push_back({number, line});
      continue;
    }
    const std::uint64_t place = random.below(static_cast<std::uint64_t>(usable));
    if (place < kept.size()) {
      kept[place] = {number, line};
    }
  }
  std::sort(kept.begin(), kept.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return kept;
}

// Hands the lines over one by one and lets go of each, so that they are not held twice.
class LineIterator : public sentencepiece::SentenceIterator {
 public:
  explicit LineIterator(std::vector<NumberedLine> lines) : lines_(std::move(lines)) {}

  bool done() const override { return at_ == lines_.size(); }
  void Next() override { std::string().swap(lines_[at_++].text); }  // NOLINT: the library's name
  const std::string& value() const override { return lines_[at_].text; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<NumberedLine> lines_;
  std::size_t at_ = 0;
};

std::vector<std::string> tag_pieces(const SubwordTraining& options) {
  std::vector<std::string> pieces;
  for (const std::string& tag : options.tags) {
    check_tag(tag);
    if (std::find(pieces.begin(), pieces.end(), tag) == pieces.end()) {
      pieces.push_back(tag);
    }
  }
  for (int index = static_cast<int>(pieces.size()); index < options.reserved; ++index) {
    pieces.push_back(reserved_piece(index));
  }
  return pieces;
}

std::unordered_map<std::string, std::string> trainer_arguments(const SubwordTraining& options,
                                                               bool large) {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  std::unordered_map<std::string, std::string> arguments{
      {"model_type", std::string(name_of(options.algorithm))},
      {"vocab_size", std::to_string(options.vocabulary_size - 1)},  // <pad> is ours
      {"eos_id", "0"},
      {"unk_id", "1"},
      {"bos_id", "-1"},
      {"pad_id", "-1"},
      {"hard_vocab_limit", "false"},
      {"byte_fallback", flag(options.byte_fallback)},
      {"split_digits", flag(options.split_digits)},
      {"normalization_rule_name", options.normalization},
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"max_sentence_length", std::to_string(kLongestLine)},
      {"num_threads", std::to_string(kThreads)},
      {"train_extremely_large_corpus", flag(large)},
      {"minloglevel", options.verbose ? "0" : "3"}};
  if (const std::vector<std::string> pieces = tag_pieces(options); !pieces.empty()) {
    arguments["user_defined_symbols"] = fmt::format("{}", fmt::join(pieces, ","));
  }
  return arguments;
}

void check_options(const SubwordTraining& options, std::string_view corpus) {
  check(
      options.algorithm == SubwordAlgorithm::bpe || options.algorithm == SubwordAlgorithm::unigram,
      "sub-words: cannot train a {} model; choose bpe or unigram", name_of(options.algorithm));
  constexpr std::string_view kNames[] = {"identity", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf"};
  check(std::find(std::begin(kNames), std::end(kNames), options.normalization) != std::end(kNames),
        "sub-words: unknown normalization '{}'; choose {}", options.normalization,
        fmt::join(kNames, ", "));
  check(options.character_coverage >= 0.98 && options.character_coverage <= 1,
        "sub-words: character coverage {} is out of range; choose 0.98 to 1",
        options.character_coverage);
  check(options.max_lines > 0, "sub-words: max_lines is {}; it must be positive",
        options.max_lines);
  check(options.reserved >= 0, "sub-words: {} reserved pieces; choose 0 or more", options.reserved);
  const int fixed = 3 + static_cast<int>(tag_pieces(options).size()) +
                    (options.byte_fallback ? 256 : 0);  // </s>, <unk>, <pad>, tags, bytes
  check(options.vocabulary_size > fixed,
        "sub-words: a vocabulary of {} for {} is too small: {} pieces are special ones, tags and "
        "bytes; choose more, such as 8000",
        options.vocabulary_size, corpus, fixed);
}

[[noreturn]] void fail_with_trainer_message(const std::string& message,
                                            const SubwordTraining& options,
                                            std::string_view corpus) {
  const std::size_t at = message.find("smaller than required_chars. ");
  int size = 0;
  int needed = 0;
  if (at != std::string::npos &&
      std::sscanf(message.c_str() + at, "smaller than required_chars. %d vs %d", &size, &needed) ==
          2) {
    fail("sub-words: a vocabulary of {} for {} is too small for its characters; choose {} or more",
         options.vocabulary_size, corpus, needed + 1);
  }
  fail("sub-words: training on {} failed: {}", corpus, message);
}

}  // namespace

std::string train_subword(const LineSource& next_line, const SubwordTraining& options,
                          std::string_view corpus) {
  check_options(options, corpus);
  std::int64_t usable = 0;
  std::vector<NumberedLine> lines =
      sample_lines(next_line, options.max_lines, options.seed, usable);
  check(!lines.empty(), "sub-words: {} has no usable line of text to train on", corpus);
  std::size_t bytes = 0;
  for (const NumberedLine& line : lines) {
    bytes += line.text.size();
  }
  const bool large = bytes > (std::size_t{1} << 30U);
  LineIterator iterator(std::move(lines));
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(trainer_arguments(options, large),
                                                                 &iterator, &model);
  if (!status.ok()) {
    fail_with_trainer_message(status.ToString(), options, corpus);
  }
  const int size = static_cast<int>(parse_spm(model, corpus).pieces.size()) + 1;
  if (size < options.vocabulary_size) {
    check(options.size_policy == SubwordTraining::SizePolicy::at_most,
          "sub-words: a vocabulary of {} is too large for {} ({} lines); choose {} or less",
          options.vocabulary_size, corpus, usable, size);
    log().warn("sub-words: {} ({} lines) is too small for a vocabulary of {}; it gets {}", corpus,
               usable, options.vocabulary_size, size);
  }
  return model;
}

}  // namespace yona
