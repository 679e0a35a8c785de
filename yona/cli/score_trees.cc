#include "yona/cli/score_trees.h"

#include <algorithm>

#include <fmt/format.h>

#include "yona/base/log.h"
#include "yona/score/bracket_match.h"
#include "yona/score/bracket_scan.h"
#include "yona/score/evalb_report.h"

namespace yona::cli {

namespace {

constexpr std::size_t kShownErrors = 5;

bool has_unnamed_root(const std::string& line) {
  const ScannedTree tree = scan_brackets(line);
  return !tree.brackets.empty() && tree.brackets[0].label.empty() && !tree.words.empty();
}

void warn_of_errors(const NamedSegments& system, const NamedSegments& gold) {
  std::size_t errors = 0;
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < gold.lines.size(); ++i) {
    const BracketCounts counts = compare_brackets(system.lines[i], gold.lines[i]);
    if (counts.status == SentenceStatus::error && ++errors <= kShownErrors) {
      log().warn("{}:{}: error sentence, left out: {}", system.name, i + 1, counts.reason);
    }
    skipped += counts.status == SentenceStatus::skipped ? 1 : 0;
  }
  if (errors + skipped > 0) {
    log().warn("{}: {} of {} sentences are left out of the figures: {} errors, {} without a tree",
               system.name, errors + skipped, gold.lines.size(), errors, skipped);
  }
}

}  // namespace

void warn_about_trees(const std::vector<NamedSegments>& systems, const NamedSegments& gold) {
  const auto unnamed = std::count_if(gold.lines.begin(), gold.lines.end(), has_unnamed_root);
  if (unnamed > 0) {
    log().warn(
        "{}: {} trees have an outer bracket without a label, which counts as a constituent; "
        "call it TOP to leave it out",
        gold.name, unnamed);
  }
  for (const NamedSegments& system : systems) {
    warn_of_errors(system, gold);
  }
}

int print_evalb_report(const NamedSegments& system, const References& gold) {
  std::vector<BracketCounts> sentences;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    sentences.push_back(compare_brackets(system.lines[i], gold[i][0]));
  }
  fmt::print("{}", evalb_report(sentences));
  return 0;
}

}  // namespace yona::cli
