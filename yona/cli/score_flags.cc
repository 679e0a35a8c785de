#include "yona/cli/score_flags.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "yona/base/error.h"
#include "yona/cli/command.h"
#include "yona/score/bleu.h"
#include "yona/score/brackets.h"
#include "yona/score/chrf.h"
#include "yona/score/class_figures.h"
#include "yona/score/ter.h"

namespace yona::cli {

namespace {

constexpr std::int64_t kMostSamples = 10'000'000;

BleuTokenizer tokenizer_of(const ScoreFlags& flags) {
  try {
    return bleu_tokenizer(flags.tokenizer);
  } catch (const InvalidArgument& error) {
    fail("--tokenize: {}", error.what());
  }
}

Bleu bleu_of(const ScoreFlags& flags) {
  BleuOptions options;
  options.tokenizer = tokenizer_of(flags);
  options.lowercase = flags.lowercase;
  const auto names = bleu_smoothing_names();
  const std::string smoothing = word_value("--smooth-method", flags.smoothing, names);
  options.smoothing =
      static_cast<BleuSmoothing>(std::find(names.begin(), names.end(), smoothing) - names.begin());
  if (!flags.smooth_value.empty()) {
    check(smoothing == "floor" || smoothing == "add-k",
          "--smooth-value: --smooth-method {} takes none; floor and add-k do", smoothing);
    options.smooth_value = number_value("--smooth-value", flags.smooth_value, {});
  }
  options.max_order =
      static_cast<int>(integer_value("--max-ngram-order", flags.max_order, {1, 64}));
  // A sentence may have no 4-grams at all.
  options.effective_order = flags.effective_order || flags.sentence;
  return Bleu(options);
}

Chrf chrf_of(const ScoreFlags& flags) {
  ChrfOptions options;
  options.char_order =
      static_cast<int>(integer_value("--chrf-char-order", flags.char_order, {0, 64}));
  options.word_order =
      static_cast<int>(integer_value("--chrf-word-order", flags.word_order, {0, 64}));
  options.beta = static_cast<int>(integer_value("--chrf-beta", flags.beta, {1, 1000}));
  options.lowercase = flags.chrf_lowercase;
  options.whitespace = flags.chrf_whitespace;
  options.eps_smoothing = flags.chrf_eps_smoothing;
  return Chrf(options);
}

Ter ter_of(const ScoreFlags& flags) {
  return Ter({flags.ter_normalized, flags.ter_no_punct, flags.ter_asian, flags.ter_case});
}

std::vector<std::string> metric_names(const ScoreFlags& flags) {
  std::vector<std::string> known{"bleu", "chrf", "ter", "brackets"};
  const std::vector<std::string> labels = class_figure_names();
  known.insert(known.end(), labels.begin(), labels.end());
  std::vector<std::string> names;
  for (const std::string& item : flags.metrics) {
    std::istringstream parts(item);
    for (std::string part; std::getline(parts, part, ',');) {
      names.push_back(word_value("--metrics", part, known));
    }
  }
  return names.empty() ? std::vector<std::string>{"bleu"} : names;
}

void add_bleu_flags(CLI::App& app, ScoreFlags& flags) {
  const std::string group = "BLEU";
  add_text(app, flags.tokenizer,
           {"--tokenize", "NAME",
            "13a (the default: WMT's), intl, zh, char or none (tokenised already)", group});
  add_switch(app, flags.lowercase, {"--lowercase", "", "upper and lower case are the same", group});
  add_text(app, flags.smoothing,
           {"--smooth-method", "NAME",
            "for orders without a match: exp (the default), floor, add-k or none", group});
  add_text(app, flags.smooth_value,
           {"--smooth-value", "X", "of floor (default 0.1) and add-k (default 1)", group});
  add_text(app, flags.max_order, {"--max-ngram-order", "N", "longest n-grams (default 4)", group});
  add_switch(app, flags.effective_order,
             {"--effective-order", "", "leave out orders that the text is too short for", group});
  add_switch(app, flags.force, {"--force", "", "do not warn of lines that look tokenised", group});
}

void add_other_metric_flags(CLI::App& app, ScoreFlags& flags) {
  std::string group = "chrF";
  add_text(app, flags.char_order,
           {"--chrf-char-order", "N", "longest character n-grams (default 6)", group});
  add_text(app, flags.word_order,
           {"--chrf-word-order", "N", "longest word n-grams (default 0); 2 is chrF++", group});
  add_text(app, flags.beta, {"--chrf-beta", "N", "weight of recall (default 2)", group});
  add_switch(app, flags.chrf_lowercase, {"--chrf-lowercase", "", "lower case", group});
  add_switch(app, flags.chrf_whitespace, {"--chrf-whitespace", "", "white space counts", group});
  add_switch(app, flags.chrf_eps_smoothing,
             {"--chrf-eps-smoothing", "", "smooth as chrF++.py, NLTK and Moses do", group});
  group = "TER";
  add_switch(app, flags.ter_normalized,
             {"--ter-normalized", "", "replace entities, cut off punctuation", group});
  add_switch(app, flags.ter_no_punct, {"--ter-no-punct", "", "remove punctuation", group});
  add_switch(app, flags.ter_asian,
             {"--ter-asian-support", "", "do these for Chinese and Japanese too", group});
  add_switch(app, flags.ter_case,
             {"--ter-case-sensitive", "", "upper and lower case differ", group});
}

void add_tree_flags(CLI::App& app, ScoreFlags& flags) {
  add_switch(
      app, flags.evalb,
      {"--evalb", "", "brackets: print EVALB's report, with a line for each sentence", "Trees"});
}

void check_tree_flags(const ScoreFlags& flags, std::size_t systems) {
  if (!scores_trees(flags)) {
    check(!flags.evalb, "score: --evalb prints figures of trees; add --metrics brackets");
    return;
  }
  const std::vector<std::string> names = metric_names(flags);
  check(std::all_of(names.begin(), names.end(), [](const auto& n) { return n == "brackets"; }),
        "score: --metrics brackets is for trees and the others are for text; run them apart");
  check(path_list(flags.references).size() <= 1 && !flags.reference_tabs,
        "score: --metrics brackets takes one --ref, which holds one gold tree for each sentence");
  check(!flags.evalb || (systems == 1 && !flags.json && !flags.sentence && !flags.score_only &&
                         !flags.confidence),
        "score: --evalb is for one system, without --json, --sentence, --score-only and "
        "--confidence");
}

void add_label_flags(CLI::App& app, ScoreFlags& flags) {
  const std::string group = "Labels";
  add_text(app, flags.reference_column,
           {"--ref-column", "NAME",
            "column of --ref with the labels: a name in the first line, or a number from 1 "
            "(default: label, or the first)",
            group});
  add_text(app, flags.hypothesis_column,
           {"--hyp-column", "NAME", "the same of --hyp (default: the first)", group});
  add_text(
      app, flags.positive,
      {"--positive", "LABEL",
       "F1 of this class (default: of two the second, 1 of 0 and 1; of more the mean)", group});
}

void check_label_flags(const ScoreFlags& flags) {
  if (!scores_labels(flags)) {
    check(
        flags.reference_column.empty() && flags.hypothesis_column.empty() && flags.positive.empty(),
        "score: --ref-column, --hyp-column and --positive are for labels; add --metrics accuracy");
    return;
  }
  const std::vector<std::string> names = metric_names(flags);
  check(label_metrics_of(flags).size() == std::set(names.begin(), names.end()).size(),
        "score: --metrics {} are for labels and the others are not; run them apart",
        fmt::join(class_figure_names(), ", "));
  check(path_list(flags.references).size() <= 1 && !flags.reference_tabs,
        "score: labels are compared with one --ref, without --ref-tabs; --ref-column selects a "
        "column");
  check(!flags.sentence && !flags.confidence && !flags.paired_bootstrap &&
            !flags.paired_randomisation && !flags.evalb,
        "score: --sentence, --confidence, --paired-bs, --paired-ar and --evalb are not for labels; "
        "remove them");
}

void add_test_flags(CLI::App& app, ScoreFlags& flags) {
  const std::string group = "Significance";
  add_switch(app, flags.confidence,
             {"--confidence", "", "95 % interval of one system, by bootstrap", group});
  add_text(app, flags.confidence_samples,
           {"--confidence-n", "N", "its resamples (default 1000)", group});
  add_switch(app, flags.paired_bootstrap,
             {"--paired-bs", "", "test each --hyp against the first: paired bootstrap", group});
  add_text(app, flags.bootstrap_samples,
           {"--paired-bs-n", "N", "its resamples (default 1000)", group});
  add_switch(app, flags.paired_randomisation,
             {"--paired-ar", "", "or approximate randomisation", group});
  add_text(app, flags.trials, {"--paired-ar-n", "N", "its trials (default 10000)", group});
  add_text(app, flags.seed, {"--seed", "N", "of the random numbers (default 12345)", group});
}

}  // namespace

void add_score_flags(CLI::App& app, ScoreFlags& flags) {
  add_list(app, flags.references,
           {"--ref", "FILE…", "reference; several files: several references"});
  add_list(app, flags.hypotheses,
           {"--hyp", "FILE…", "translations (default: standard input); several: several systems"});
  add_switch(app, flags.reference_tabs,
             {"--ref-tabs", "", "lines of --ref hold references between tabs, any number"});
  add_list(
      app, flags.metrics,
      {"-m,--metrics", "NAME…",
       "bleu (the default), chrf, ter; brackets: trees; accuracy, f1, matthews, spearman: labels"});
  add_switch(app, flags.sentence, {"--sentence", "", "a score for each line"});
  add_text(app, flags.width, {"-w,--width", "N", "decimals (default 1, of labels 4)"});
  add_switch(app, flags.score_only, {"-b,--score-only", "", "print only the number"});
  add_switch(app, flags.brief, {"--short", "", "short signatures"});
  add_switch(app, flags.json, {"--json", "", "the result as JSON"});
  add_bleu_flags(app, flags);
  add_other_metric_flags(app, flags);
  add_tree_flags(app, flags);
  add_label_flags(app, flags);
  add_test_flags(app, flags);
}

void check_score_flags(const ScoreFlags& flags) {
  const std::size_t systems = std::max<std::size_t>(1, path_list(flags.hypotheses).size());
  const bool paired = flags.paired_bootstrap || flags.paired_randomisation;
  check(!flags.paired_bootstrap || !flags.paired_randomisation,
        "score: --paired-bs and --paired-ar exclude each other; give one");
  check(!paired || systems > 1,
        "score: a paired test compares systems; name two or more with --hyp, the baseline first");
  check(!flags.confidence || systems == 1,
        "score: --confidence is for one system; --paired-bs gives the intervals of several");
  check(!flags.sentence || (systems == 1 && !paired && !flags.confidence),
        "score: --sentence is for one system, without tests");
  check(!flags.reference_tabs || path_list(flags.references).size() <= 1,
        "score: --ref-tabs takes one --ref, which holds all references");
  check_label_flags(flags);
  check_tree_flags(flags, systems);
}

bool scores_trees(const ScoreFlags& flags) {
  const std::vector<std::string> names = metric_names(flags);
  return std::find(names.begin(), names.end(), "brackets") != names.end();
}

bool scores_labels(const ScoreFlags& flags) { return !label_metrics_of(flags).empty(); }

std::vector<std::string> label_metrics_of(const ScoreFlags& flags) {
  const std::vector<std::string> names = metric_names(flags);
  std::vector<std::string> metrics = class_figure_names();
  std::erase_if(metrics, [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) == names.end();
  });
  return metrics;
}

std::vector<std::unique_ptr<Metric>> metrics_of(const ScoreFlags& flags) {
  const std::vector<std::string> names = metric_names(flags);
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::unique_ptr<Metric>> metrics;
  if (has("bleu")) {
    metrics.push_back(std::make_unique<Bleu>(bleu_of(flags)));
  }
  if (has("chrf")) {
    metrics.push_back(std::make_unique<Chrf>(chrf_of(flags)));
  }
  if (has("ter")) {
    metrics.push_back(std::make_unique<Ter>(ter_of(flags)));
  }
  if (has("brackets")) {
    metrics.push_back(std::make_unique<Brackets>());
  }
  return metrics;
}

TestOptions test_options(const ScoreFlags& flags) {
  const auto samples = [&](const std::string& flag, const std::string& text) {
    return integer_value(flag, text, {1, kMostSamples});
  };
  TestOptions options;
  options.samples = flags.paired_bootstrap ? samples("--paired-bs-n", flags.bootstrap_samples)
                    : flags.paired_randomisation
                        ? samples("--paired-ar-n", flags.trials)
                        : samples("--confidence-n", flags.confidence_samples);
  options.seed = static_cast<std::uint64_t>(integer_value("--seed", flags.seed, {0}));
  return options;
}

int width_of(const ScoreFlags& flags) {
  const std::string width = !flags.width.empty() ? flags.width : scores_labels(flags) ? "4" : "1";
  return static_cast<int>(integer_value("--width", width, {0, 17}));
}

}  // namespace yona::cli
