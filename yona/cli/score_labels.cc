#include "yona/cli/score_labels.h"

#include <fmt/format.h>

#include "yona/score/label_scores.h"
#include "yona/score/report.h"

namespace yona::cli {

namespace {

void print_one_system(const LabelScorer& scorer, const NamedSegments& system,
                      const ScoreFlags& flags) {
  const int width = width_of(flags);
  std::vector<ScoreReport> reports;
  Json json = Json::array();
  std::string numbers;
  for (const std::string& metric : label_metrics_of(flags)) {
    reports.push_back({scorer.score(metric, system),
                       scorer.signature(metric, flags.brief && !flags.json ? SignatureStyle::brief
                                                                           : SignatureStyle::full),
                       {}});
    json.push_back(to_json(reports.back(), width));
    numbers += score_only(reports.back(), width) + "\n";
  }
  if (flags.json) {
    fmt::print("{}\n", (json.size() == 1 ? json[0] : json).dump(1));
  } else {
    fmt::print("{}", flags.score_only ? numbers : aligned_lines(reports, width));
  }
}

void print_systems(const LabelScorer& scorer, const std::vector<NamedSegments>& systems,
                   const ScoreFlags& flags) {
  SystemTable table;
  for (const NamedSegments& system : systems) {
    table.systems.push_back(system.name);
  }
  for (const std::string& metric : label_metrics_of(flags)) {
    SystemTable::Column& column = table.columns.emplace_back();
    column.signature =
        scorer.signature(metric, flags.brief ? SignatureStyle::brief : SignatureStyle::full);
    for (const NamedSegments& system : systems) {
      const Score score = scorer.score(metric, system);
      column.metric = score.name;
      column.results.push_back({score.value, {}, {}});
    }
  }
  fmt::print("{}", flags.json ? to_json(table).dump(4) + "\n" : to_text(table, width_of(flags)));
}

}  // namespace

int print_label_scores(const NamedSegments& references, const std::vector<NamedSegments>& systems,
                       const ScoreFlags& flags) {
  const LabelScorer scorer(references, systems, flags.positive);
  if (systems.size() == 1) {
    print_one_system(scorer, systems.front(), flags);
  } else {
    print_systems(scorer, systems, flags);
  }
  return 0;
}

}  // namespace yona::cli
