// `yona shortlist`: which target pieces may translate which source pieces, from parallel text or
// from a table that another program made.

#include "yona/decode/shortlist.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/json.h"
#include "yona/base/log.h"
#include "yona/cli/commands.h"
#include "yona/cli/translation_input.h"
#include "yona/decode/lexicon.h"
#include "yona/decode/piece_alignment.h"
#include "yona/decode/translator.h"
#include "yona/decode/words.h"
#include "yona/inspect/alignment.h"

namespace yona::cli {

namespace {

struct ShortlistFlags {
  std::string model, source, target, alignments, lexicon, output;
  std::string by = "text";
  std::string per_piece = "100";
  std::string frequent = "100";
  std::string max_lines = "1000000";
  std::string threads = "0";
  bool json = false;
};

// Sentence pairs, and the links between their words where a file has them.
struct AlignedLines {
  std::vector<SentencePair> pairs;
  std::vector<std::string> links;      // as written
  std::vector<std::uint64_t> numbers;  // of the links' lines
};

// Counts the translations of the pieces of one model in one of three ways.
class Counter {
 public:
  Counter(const TranslationModel& model, Backend& backend)
      : model_(model),
        backend_(backend),
        translator_({&model}, backend, options()),
        counts_(model.info().config.source_vocabulary, model.info().config.target_vocabulary),
        pairs_(model.info().config.source_vocabulary, model.info().config.target_vocabulary) {}

  // By the text alone: pairs are kept, and aligned at the end.
  void add_for_alignment(const SentencePair& pair) {
    const Ids target = target_ids(pair.target);
    pairs_.add(translator_.source_ids(pair.source), target);
    for (const std::int32_t id : target) {
      counts_.add_frequency(id, 1);
    }
  }
  void align() {
    const auto translations = align_pieces(pairs_, {}, *backend_.exec().pool);
    for (std::size_t source = 0; source < translations.size(); ++source) {
      for (const PieceTranslation& translation : translations[source]) {
        counts_.add_translation(static_cast<std::int32_t>(source), translation.target,
                                translation.probability);
      }
    }
  }

  // By attention: the target is forced through the model, and each of its pieces counts for the
  // source pieces that it looks at.
  void add_by_attention(const std::vector<SentencePair>& pairs) {
    const std::vector<Hypothesis> forced = translator_.score(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      counts_.add(translator_.source_ids(pairs[i].source), forced[i].ids, forced[i].attention);
    }
  }

  // By links between words: all pieces of a word for all pieces of the other.
  void add_by_links(const SentencePair& pair, const GoldAlignment& links) {
    const Ids source = translator_.source_ids(pair.source);
    const Ids target = target_ids(pair.target);
    const auto source_words = words_of(source, model_.subwords().source.vocabulary());
    const auto target_words = words_of(target, model_.subwords().target.vocabulary());
    SoftAlignment weights(target.size(), std::vector<float>(source.size()));
    for (const AlignmentLink& link : links.possible) {
      for (std::size_t t = 0; t < target.size(); ++t) {
        for (std::size_t s = 0; s < source.size(); ++s) {
          if (source_words[s] == link.source && target_words[t] == link.target) {
            weights[t][s] = 1;
          }
        }
      }
    }
    counts_.add(source, target, weights);
  }

  LexiconLines add_lexicon(const std::string& path) {
    return read_lexicon(path, model_.subwords().source.vocabulary(),
                        model_.subwords().target.vocabulary(), counts_);
  }

  bool fits(const SentencePair& pair) const {
    const auto most = static_cast<std::size_t>(translator_.max_source());
    const Ids source = translator_.source_ids(pair.source);
    return !source.empty() && source.size() <= most && target_ids(pair.target).size() < most;
  }

  Shortlist best(const ShortlistSize& size) const {
    const Vocabulary& target = model_.subwords().target.vocabulary();
    Shortlist shortlist =
        counts_.best(size, {target.end(), target.unknown()}, model_.info().shared_vocabulary);
    shortlist.set_vocabulary(model_.subwords().fingerprint());
    return shortlist;
  }

 private:
  static DecodeOptions options() {
    DecodeOptions options;
    options.alignments = true;
    return options;
  }
  Ids target_ids(std::string_view text) const {
    Ids ids;
    model_.subwords().target.encode(text, ids);
    ids.push_back(model_.subwords().target.vocabulary().end());
    return ids;
  }

  const TranslationModel& model_;
  Backend& backend_;
  Translator translator_;
  ShortlistCounts counts_;
  PiecePairs pairs_;
};

// Reads up to `count` pairs that the model can take; false at the end of the source.
bool read_pairs(LineReader& source, LinesBeside& target, LinesBeside& links, std::size_t count,
                const Counter& counter, AlignedLines& lines) {
  lines = {};
  LineReader::Line line;
  while (lines.pairs.size() < count) {
    if (!source.next(line)) {
      target.check_end(source.lines());
      links.check_end(source.lines());
      return false;
    }
    SentencePair pair{std::string(line.text), target.next()};
    std::string linked = links.next();
    if (line.valid_utf8 && !line.cut && counter.fits(pair)) {
      lines.pairs.push_back(std::move(pair));
      lines.links.push_back(std::move(linked));
      lines.numbers.push_back(source.lines());
    }
  }
  return true;
}

void count_lines(const ShortlistFlags& flags, const AlignedLines& lines, Counter& counter) {
  if (flags.alignments.empty() && flags.by == "attention") {
    counter.add_by_attention(lines.pairs);
    return;
  }
  for (std::size_t i = 0; i < lines.pairs.size(); ++i) {
    if (flags.alignments.empty()) {
      counter.add_for_alignment(lines.pairs[i]);
    } else {
      const std::string name = fmt::format("{}:{}", flags.alignments, lines.numbers[i]);
      counter.add_by_links(lines.pairs[i], parse_alignment(lines.links[i], 0, name));
    }
  }
}

// How many sentence pairs there were.
std::int64_t count_text(const ShortlistFlags& flags, Counter& counter) {
  constexpr std::int64_t kAtOnce = 256;
  LineReader source(flags.source);
  LinesBeside target("--train-tgt", flags.target);
  LinesBeside links("--alignments", flags.alignments);
  const std::int64_t most = integer_value("--max-lines", flags.max_lines, {1});
  std::int64_t done = 0;
  AlignedLines lines;
  for (bool more = true; more && done < most;) {
    more = read_pairs(source, target, links,
                      static_cast<std::size_t>(std::min(kAtOnce, most - done)), counter, lines);
    count_lines(flags, lines, counter);
    done += static_cast<std::int64_t>(lines.pairs.size());
    log().debug("{} sentence pairs", grouped(done));
  }
  check(done > 0, "--train-src: {} has no sentence to count in", flags.source);
  if (flags.alignments.empty() && flags.by == "text") {
    counter.align();
  }
  return done;
}

void report_unknown(const ShortlistFlags& flags, const LexiconLines& lines) {
  check<FormatError>(lines.unknown < lines.read,
                     "{}: none of its {} has pieces of the model; it must be made from text that "
                     "is cut into the model's sub-words",
                     flags.lexicon, counted(lines.read, "line"));
  if (lines.unknown > 0) {
    log().warn("{}: {} of {} with pieces that the model does not have", flags.lexicon,
               grouped(static_cast<std::int64_t>(lines.unknown)), counted(lines.read, "line"));
  }
}

void check_flags(const CLI::App& app, const ShortlistFlags& flags) {
  require_flag(app, "--model", !flags.model.empty(), "name a model folder");
  require_flag(app, "--output", !flags.output.empty(), "name a file for the shortlist");
  require_folder("--model", flags.model);
  word_value("--by", flags.by, {"text", "attention"});
  if (!flags.lexicon.empty()) {
    check(flags.source.empty() && flags.target.empty() && flags.alignments.empty(),
          "--lexicon is counted already; leave --train-src, --train-tgt and --alignments out");
    require_file("--lexicon", flags.lexicon);
    return;
  }
  require_flag(app, "--train-src", !flags.source.empty(), "name a file of the source language");
  require_flag(app, "--train-tgt", !flags.target.empty(), "name the file of its translations");
  require_file("--train-src", flags.source);
}

// What is there may be replaced if it is a shortlist.
void check_output(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return;
  }
  try {
    Shortlist::load(path);
  } catch (const Error&) {
    fail("--output: {} already exists and is not a shortlist; name another file", path);
  }
}

int run(const CLI::App& app, const ShortlistFlags& flags) {
  check_flags(app, flags);
  check_output(flags.output);
  const ShortlistSize size{.per_piece = integer_value("--per-piece", flags.per_piece, {0, 1 << 20}),
                           .frequent = integer_value("--frequent", flags.frequent, {0, 1 << 20})};
  const auto threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  const auto backend = make_backend("cpu", {.threads = threads});
  const auto model = TranslationModel::load(flags.model, *backend, packing_of(flags.model));
  Counter counter(*model, *backend);
  Json result{{"output", flags.output}};
  std::string from;
  if (flags.lexicon.empty()) {
    const std::int64_t pairs = count_text(flags, counter);
    from = fmt::format("{} sentence pairs", grouped(pairs));
    result["sentence_pairs"] = pairs;
  } else {
    const LexiconLines lines = counter.add_lexicon(flags.lexicon);
    report_unknown(flags, lines);
    from = counted(lines.read, "line");
    result["lines"] = lines.read;
  }
  const Shortlist shortlist = counter.best(size);
  shortlist.save(flags.output);
  result["translations"] = shortlist.translations();
  if (flags.json) {
    fmt::print("{}\n", result.dump());
  } else {
    fmt::print("{} translations of pieces from {} in {}\n", grouped(shortlist.translations()), from,
               flags.output);
  }
  return 0;
}

}  // namespace

Command add_shortlist(CLI::App& program) {
  CLI::App* app = add_command(
      program,
      {"shortlist", "build a lexical shortlist, for a faster output layer",
       "yona shortlist --model run --train-src train.en --train-tgt train.de --output run/lex\n"
       "yona translate --model run --shortlist run/lex < news.en\n"
       "yona shortlist --model run --lexicon lex.s2t --output run/lex --per-piece 50"});
  const auto flags = std::make_shared<ShortlistFlags>();
  add_text(*app, flags->model, {"-m,--model", "DIR", "the model that the shortlist is for"});
  add_text(*app, flags->source, {"--train-src", "FILE", "source sentences, one a line"});
  add_text(*app, flags->target, {"--train-tgt", "FILE", "their translations"});
  add_text(*app, flags->by,
           {"--by", "text|attention",
            "align pieces by co-occurrence (text, the default: IBM Model 1), or by the model's "
            "attention, which runs the model over every pair"});
  add_text(
      *app, flags->alignments,
      {"--alignments", "FILE", "word alignments to use instead, one line of `0-0 1-2` per pair"});
  add_text(*app, flags->lexicon,
           {"--lexicon", "FILE",
            "a table of pieces instead of text, in Marian's format: `target source probability` on "
            "each line"});
  add_text(*app, flags->output, {"-o,--output", "FILE", "the shortlist"});
  add_text(*app, flags->per_piece,
           {"--per-piece", "N", "translations kept for each piece (default 100)"});
  add_text(*app, flags->frequent,
           {"--frequent", "N", "the N most frequent pieces are always allowed (default 100)"});
  add_text(*app, flags->max_lines,
           {"--max-lines", "N", "sentence pairs to read (default 1000000)"});
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_switch(*app, flags->json, {"--json", "", "the result as JSON"});
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
