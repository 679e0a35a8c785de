#include "yona/cli/attention_corpus.h"

#include <functional>
#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/log.h"
#include "yona/data/line_reader.h"
#include "yona/text/utf8.h"

namespace yona::cli {

namespace {

// Files read side by side, line by line.
class ParallelLines {
 public:
  explicit ParallelLines(const std::vector<std::filesystem::path>& paths) {
    for (const std::filesystem::path& path : paths) {
      readers_.push_back(std::make_unique<LineReader>(path));
    }
    texts_.resize(paths.size());
  }

  bool next() {
    std::size_t there = 0;
    valid_ = true;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      LineReader::Line line;
      if (readers_[i]->next(line)) {
        ++there;
        texts_[i] = line.text;
        valid_ = valid_ && line.valid_utf8 && !line.cut;
      }
    }
    check<FormatError>(there == 0 || there == readers_.size(), "{} and {} differ in length; {}",
                       readers_.front()->name(), readers_.back()->name(),
                       "a line of one belongs to the same line of the other");
    return there != 0;
  }

  bool valid() const { return valid_; }
  const std::string& text(std::size_t file) const { return texts_[file]; }
  std::string place(std::size_t file) const {
    return fmt::format("{}:{}", readers_[file]->name(), readers_[file]->lines());
  }

 private:
  std::vector<std::unique_ptr<LineReader>> readers_;
  std::vector<std::string> texts_;
  bool valid_ = true;
};

// Calls `use` for each usable line. What it throws as InvalidArgument (too many tokens) leaves the
// line out.
void for_each_line(ParallelLines& lines, const std::function<void()>& use) {
  std::int64_t used = 0;
  std::int64_t left_out = 0;
  std::string first;
  while (lines.next()) {
    try {
      check(lines.valid(), "not UTF-8, or longer than a line may be");
      check(!is_all_space(lines.text(0)), "blank");
      use();
      ++used;
    } catch (const InvalidArgument& error) {
      if (left_out++ == 0) {
        first = fmt::format("{}: {}", lines.place(0), error.what());
      }
    }
  }
  if (left_out > 0) {
    log().warn("{} left out; the first is {}",
               counted(static_cast<std::uint64_t>(left_out), "line"), first);
  }
  check<FormatError>(used > 0, "attention: no line is left to look at");
}

}  // namespace

FigureSums corpus_figures(const TranslationModel& model, Backend& backend,
                          const CorpusFiles& files) {
  std::vector<std::filesystem::path> paths{files.source};
  if (!files.target.empty()) {
    paths.push_back(files.target);
  }
  ParallelLines lines(paths);
  FigureSums sums;
  for_each_line(lines, [&] {
    const std::optional<std::string> target =
        files.target.empty() ? std::nullopt : std::optional(lines.text(1));
    sums.add(inspect_attention(model, backend, lines.text(0), target));
  });
  return sums;
}

AlignmentScores alignment_scores(const TranslationModel& model, Backend& backend,
                                 const CorpusFiles& files) {
  ParallelLines lines({files.source, files.target, files.gold});
  AlignmentScores scores;
  std::int64_t outside = 0;
  for_each_line(lines, [&] {
    const WordTokens source = word_tokens(model.subwords().source, lines.text(0));
    const WordTokens target = word_tokens(model.subwords().target, lines.text(1));
    GoldAlignment gold = parse_alignment(lines.text(2), files.gold_base, lines.place(2));
    outside += drop_outside(gold, static_cast<std::int64_t>(source.words.size()),
                            static_cast<std::int64_t>(target.words.size()));
    scores.add(inspect_attention(model, backend, source.ids, target.ids), source, target, gold);
  });
  if (outside > 0) {
    log().warn("{}: {} beyond the sentences left out; links are source-target, from {}",
               files.gold.string(), counted(static_cast<std::uint64_t>(outside), "link"),
               files.gold_base);
  }
  return scores;
}

}  // namespace yona::cli
