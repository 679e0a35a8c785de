// Repetitions of a measurement with other seeds, and their spread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "yona/study/study.h"

namespace yona {

// Three, or one in a small study, counted from the study's own.
std::vector<std::uint64_t> study_seeds(const StudySetting& setting);

// The points with the same text at `key`, in the order in which these texts are first met.
std::vector<std::pair<std::string, std::vector<Json>>> grouped_points(const Json& points,
                                                                      const char* key);

struct Spread {
  double mean = 0, deviation = 0;  // of the sample; 0 for a single one

  std::string text() const;  // "0.98 ± 0.01"
};
Spread spread_of(const std::vector<Json>& points, const std::function<double(const Json&)>& value);
Spread spread_of(const std::vector<Json>& points, const char* field);

}  // namespace yona
