// `yona score`: BLEU, chrF and TER of translations, with sacreBLEU's figures and signatures;
// brackets of trees, with EVALB's; labels, with scikit-learn's and SciPy's.

#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/cli/commands.h"
#include "yona/cli/score_flags.h"
#include "yona/cli/score_labels.h"
#include "yona/cli/score_trees.h"
#include "yona/score/label_segments.h"
#include "yona/score/report.h"
#include "yona/score/segments.h"
#include "yona/score/tree_segments.h"

namespace yona::cli {

namespace {

using Metrics = std::vector<std::unique_ptr<Metric>>;

struct Problem {
  std::vector<NamedSegments> systems;
  References references;
};

enum class SegmentKind : std::uint8_t { text, trees };

NamedSegments read_named(const std::string& flag, const std::string& path, SegmentKind kind) {
  const bool is_standard_input = path == "-";
  const std::string name = is_standard_input ? "standard input" : path;
  try {
    LineReader reader(open_bytes(is_standard_input ? "/dev/stdin" : path), name);
    NamedSegments lines{name, read_segments(reader)};
    return kind == SegmentKind::trees ? tree_segments(std::move(lines)) : std::move(lines);
  } catch (const IoError& error) {
    fail("{}: {}", flag, error.what());  // the user's choice of file, so wrong use
  }
}

std::vector<NamedSegments> read_all(const std::string& flag, const std::vector<std::string>& items,
                                    SegmentKind kind) {
  std::vector<NamedSegments> files;
  for (const std::filesystem::path& path : path_list(items)) {
    files.push_back(read_named(flag, path.string(), kind));
  }
  return files;
}

std::vector<NamedSegments> read_systems(const ScoreFlags& flags, SegmentKind kind) {
  return flags.hypotheses.empty() ? std::vector{read_named("--hyp", "-", kind)}
                                  : read_all("--hyp", flags.hypotheses, kind);
}

Problem read_problem(const ScoreFlags& flags) {
  Problem problem;
  const SegmentKind kind = scores_trees(flags) ? SegmentKind::trees : SegmentKind::text;
  const std::vector<NamedSegments> files = read_all("--ref", flags.references, kind);
  problem.references =
      flags.reference_tabs ? split_references(files.at(0)) : join_references(files);
  problem.systems = read_systems(flags, kind);
  for (const NamedSegments& system : problem.systems) {
    check_lengths(system, files[0].name, problem.references);
  }
  if (kind == SegmentKind::trees) {
    check_gold_trees(files[0]);
    warn_about_trees(problem.systems, files[0]);
  }
  return problem;
}

// Scores are for text as people read it: "the cat ." is what a tokeniser leaves behind.
void warn_if_tokenised(const NamedSegments& system) {
  constexpr std::size_t kMany = 100;
  std::size_t count = 0;
  for (const std::string& line : system.lines) {
    count += line.ends_with(" .") ? 1 : 0;
  }
  if (count >= kMany) {
    log().warn("{}: {} lines end in \" .\"; scores are for detokenised text (--force: say nothing)",
               system.name, count);
  }
}

void print_lines(const ScoreReport& report, const ScoreFlags& flags) {
  const int width = width_of(flags);
  fmt::print("{}\n", flags.score_only ? score_only(report, width) : full_line(report, width));
}

int score_sentences(const Problem& problem, const Metrics& metrics, const ScoreFlags& flags) {
  const int width = width_of(flags);
  for (std::size_t i = 0; i < problem.references.size(); ++i) {
    for (const auto& metric : metrics) {
      std::vector<double> numbers(metric->width());
      metric->reduce(problem.systems[0].lines[i], problem.references[i], numbers);
      const ScoreReport report{
          metric->score(numbers),
          signature(*metric, {.references = problem.references[i].size()},
                    flags.brief ? SignatureStyle::brief : SignatureStyle::full),
          {}};
      if (flags.json) {
        Json json{{"line", i + 1}};
        json.update(to_json(report, width));
        fmt::print("{}\n", json.dump());
      } else {
        print_lines(report, flags);
      }
    }
  }
  return 0;
}

int score_one(const Problem& problem, const Metrics& metrics, const ScoreFlags& flags) {
  const int width = width_of(flags);
  const TestOptions options = test_options(flags);
  Circumstances circumstances{.references = reference_count(problem.references)};
  if (flags.confidence) {
    circumstances.bootstrap = options.samples;
    circumstances.seed = options.seed;
  }
  std::vector<ScoreReport> reports;
  for (const auto& metric : metrics) {
    const SegmentStatistics statistics =
        corpus_statistics(*metric, problem.systems[0].lines, problem.references);
    ScoreReport& report = reports.emplace_back();
    report.score = metric->score(statistics.sums());
    report.signature =
        signature(*metric, circumstances,
                  flags.brief && !flags.json ? SignatureStyle::brief : SignatureStyle::full);
    if (flags.confidence) {
      report.confidence = paired_bootstrap(*metric, {&statistics, 1}, options)[0].confidence;
    }
  }
  if (flags.json) {
    Json json = Json::array();
    for (const ScoreReport& report : reports) {
      json.push_back(to_json(report, width));
    }
    fmt::print("{}\n", (json.size() == 1 ? json[0] : json).dump(1));
  } else if (flags.score_only) {
    for (const ScoreReport& report : reports) {
      print_lines(report, flags);
    }
  } else {
    fmt::print("{}", aligned_lines(reports, width));
  }
  return 0;
}

int compare_systems(const Problem& problem, const Metrics& metrics, const ScoreFlags& flags) {
  const bool is_paired = flags.paired_bootstrap || flags.paired_randomisation;
  const TestOptions options = test_options(flags);
  Circumstances circumstances{.references = reference_count(problem.references)};
  circumstances.bootstrap = flags.paired_bootstrap ? options.samples : 0;
  circumstances.randomisation = flags.paired_randomisation ? options.samples : 0;
  circumstances.seed = options.seed;
  SystemTable table;
  for (const NamedSegments& system : problem.systems) {
    table.systems.push_back(is_paired && table.systems.empty() ? "Baseline: " + system.name
                                                               : system.name);
  }
  for (const auto& metric : metrics) {
    std::vector<SegmentStatistics> systems;
    for (const NamedSegments& system : problem.systems) {
      systems.push_back(corpus_statistics(*metric, system.lines, problem.references));
    }
    SystemTable::Column& column = table.columns.emplace_back();
    column.metric = metric->name();
    column.signature = signature(*metric, circumstances,
                                 flags.brief ? SignatureStyle::brief : SignatureStyle::full);
    if (flags.paired_bootstrap) {
      column.results = paired_bootstrap(*metric, systems, options);
    } else if (flags.paired_randomisation) {
      column.results = paired_randomisation(*metric, systems, options);
    } else {
      for (const SegmentStatistics& system : systems) {
        column.results.push_back({metric->score(system.sums()).value, {}, {}});
      }
    }
  }
  fmt::print("{}", flags.json ? to_json(table).dump(4) + "\n" : to_text(table, width_of(flags)));
  return 0;
}

int score_labels(const ScoreFlags& flags) {
  const NamedSegments references =
      label_segments(read_all("--ref", flags.references, SegmentKind::text).at(0),
                     LabelSide::references, flags.reference_column);
  std::vector<NamedSegments> systems = read_systems(flags, SegmentKind::text);
  for (NamedSegments& system : systems) {
    system = label_segments(std::move(system), LabelSide::predictions, flags.hypothesis_column);
    check_lengths(system, references.name, join_references({references}));
  }
  return print_label_scores(references, systems, flags);
}

int run(const CLI::App& app, const ScoreFlags& flags) {
  require_flag(app, "--ref", !flags.references.empty(),
               "name the file of right translations, trees or labels");
  check_score_flags(flags);
  width_of(flags);
  if (scores_labels(flags)) {
    return score_labels(flags);
  }
  const Metrics metrics = metrics_of(flags);
  test_options(flags);
  const Problem problem = read_problem(flags);
  if (!flags.force && metrics[0]->name() == "BLEU") {
    for (const NamedSegments& system : problem.systems) {
      warn_if_tokenised(system);
    }
  }
  if (flags.evalb) {
    return print_evalb_report(problem.systems[0], problem.references);
  }
  if (flags.sentence) {
    return score_sentences(problem, metrics, flags);
  }
  return problem.systems.size() == 1 ? score_one(problem, metrics, flags)
                                     : compare_systems(problem, metrics, flags);
}

}  // namespace

Command add_score(CLI::App& program) {
  CLI::App* app = add_command(
      program,
      {"score", "compute BLEU, chrF and TER, equal to sacreBLEU's; scores of trees and labels",
       "yona score --ref test.de --hyp out.de\n"
       "yona translate --model run --input test.en | yona score --ref test.de -m bleu,chrf\n"
       "yona score --ref test.de --hyp baseline.de better.de --paired-bs\n"
       "yona score --metrics brackets --ref gold.mrg --hyp parsed.mrg\n"
       "yona classify --model run --input texts | yona score --ref labels -m accuracy,f1"});
  const auto flags = std::make_shared<ScoreFlags>();
  add_score_flags(*app, *flags);
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace yona::cli
