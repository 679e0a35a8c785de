// Scores as people and programs read them: the lines and the JSON keys are sacreBLEU's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/score/metric.h"
#include "yona/score/significance.h"

namespace yona {

struct ScoreReport {
  Score score;
  std::string signature;
  std::optional<Confidence> confidence;
};

// "BLEU|nrefs:1|… = 39.5 (μ = 39.4 ± 1.2) 69.0/45.8/32.6/23.5 (BP = 1.000 …)", or "39.5 (μ = …)"
// alone. `width` is the number of decimals.
std::string full_line(const ScoreReport& report, int width);
std::string score_only(const ScoreReport& report, int width);
// Lines of full_line() under each other, their " = " in one column.
std::string aligned_lines(const std::vector<ScoreReport>& reports, int width);

// name, score rounded to `width`, signature and its parts, verbose_score and confidence where there
// are such; and `unrounded` and `figures`, which sacreBLEU does not have.
Json to_json(const ScoreReport& report, int width);

// Several systems side by side, one column for each metric; the first is the baseline of
// tests.
struct SystemTable {
  struct Column {
    std::string metric;
    std::string signature;
    std::vector<TestResult> results;  // by system
  };
  std::vector<std::string> systems;
  std::vector<Column> columns;
};

std::string to_text(const SystemTable& table, int width);
Json to_json(const SystemTable& table);

}  // namespace yona
