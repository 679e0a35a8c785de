// The flags of `yona score`: named as sacreBLEU's where it has them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "yona/score/metric.h"
#include "yona/score/significance.h"

namespace yona::cli {

struct ScoreFlags {
  std::vector<std::string> references, hypotheses, metrics;
  bool reference_tabs = false;

  std::string tokenizer = "13a", smoothing = "exp", smooth_value, max_order = "4";
  bool lowercase = false, effective_order = false, force = false;

  std::string char_order = "6", word_order = "0", beta = "2";
  bool chrf_lowercase = false, chrf_whitespace = false, chrf_eps_smoothing = false;

  bool ter_normalized = false, ter_no_punct = false, ter_asian = false, ter_case = false;

  bool evalb = false;

  std::string reference_column, hypothesis_column, positive;

  bool confidence = false, paired_bootstrap = false, paired_randomisation = false;
  std::string confidence_samples = "1000", bootstrap_samples = "1000", trials = "10000";
  std::string seed = "12345";

  std::string width;
  bool sentence = false, score_only = false, brief = false, json = false;
};

void add_score_flags(CLI::App& app, ScoreFlags& flags);

// Throws InvalidArgument for flags that exclude each other.
void check_score_flags(const ScoreFlags& flags);

// Does --metrics name brackets: are the files trees?
bool scores_trees(const ScoreFlags& flags);

// Do all of --metrics compare labels? Their names, in the order of class_figure_names().
bool scores_labels(const ScoreFlags& flags);
std::vector<std::string> label_metrics_of(const ScoreFlags& flags);

// BLEU, chrF and TER in this order, those that --metrics names; BLEU alone by default. Or Brackets.
std::vector<std::unique_ptr<Metric>> metrics_of(const ScoreFlags& flags);

// The test that is asked for, or that of --confidence.
TestOptions test_options(const ScoreFlags& flags);

// Decimals: 1 unless given, 4 of labels.
int width_of(const ScoreFlags& flags);

}  // namespace yona::cli
