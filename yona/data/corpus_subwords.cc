// Pairs become lines: both sides of each in turn, or one side of all.

#include "yona/data/corpus_subwords.h"

#include <memory>
#include <string>
#include <utility>

#include "yona/base/error.h"

namespace yona {

namespace {

enum class Sides : std::uint8_t { both, source, target };

// Where nothing could be read, for a reason that the report has.
void check_readable(const CorpusReport& report) {
  const std::vector<std::string> reasons = report.reasons();
  check<FormatError>(reasons.empty(), "corpus {}: none of its {} lines is usable: {}", report.name,
                     report.lines, fmt::join(reasons, "; "));
}

class CorpusLines {
 public:
  CorpusLines(const std::vector<CorpusSpec>& corpora, Sides sides)
      : corpora_(corpora), sides_(sides) {}

  bool next(std::string& line) {
    if (has_target_left_) {
      has_target_left_ = false;
      line.swap(pair_.target);
      return true;
    }
    while (reader_ != nullptr || opened_ < corpora_.size()) {
      if (reader_ == nullptr) {
        reader_ = std::make_unique<PairReader>(corpora_[opened_++]);
        has_pair_ = false;
      }
      if (reader_->next(pair_)) {
        has_pair_ = true;
        line.swap(sides_ == Sides::target ? pair_.target : pair_.source);
        has_target_left_ = sides_ == Sides::both;
        return true;
      }
      if (!has_pair_) {
        check_readable(reader_->report());
      }
      reader_.reset();
    }
    return false;
  }

 private:
  const std::vector<CorpusSpec>& corpora_;
  Sides sides_;
  std::size_t opened_ = 0;
  std::unique_ptr<PairReader> reader_;
  TextPair pair_;
  bool has_pair_ = false;  // of the corpus that is being read
  bool has_target_left_ = false;
};

Subword train_side(const std::vector<CorpusSpec>& corpora, const SubwordTraining& options,
                   Sides sides) {
  std::vector<std::string_view> names;
  names.reserve(corpora.size());
  for (const CorpusSpec& corpus : corpora) {
    names.push_back(corpus.name);
  }
  const std::string_view side = sides == Sides::both     ? ""
                                : sides == Sides::source ? " (source)"
                                                         : " (target)";
  const std::string name = fmt::format("corpus {}{}", fmt::join(names, ", "), side);
  CorpusLines lines(corpora, sides);
  return Subword(train_subword([&](std::string& line) { return lines.next(line); }, options, name));
}

}  // namespace

SubwordPair train_subwords(const std::vector<CorpusSpec>& corpora, SubwordTraining options,
                           VocabularySharing sharing) {
  check(!corpora.empty(), "data: no corpus is given");
  for (const CorpusSpec& corpus : corpora) {
    options.tags.insert(options.tags.end(), corpus.source_tags.begin(), corpus.source_tags.end());
    options.tags.insert(options.tags.end(), corpus.target_tags.begin(), corpus.target_tags.end());
  }
  if (sharing == VocabularySharing::shared) {
    const Subword both = train_side(corpora, options, Sides::both);
    return {both, both};
  }
  return {train_side(corpora, options, Sides::source), train_side(corpora, options, Sides::target)};
}

}  // namespace yona
