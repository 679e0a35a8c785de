#include "yona/study/seeds.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace yona {

std::vector<std::uint64_t> study_seeds(const StudySetting& setting) {
  std::vector<std::uint64_t> seeds{setting.seed};
  if (!setting.is_small()) {
    seeds.insert(seeds.end(), {setting.seed + 1, setting.seed + 2});
  }
  return seeds;
}

std::vector<std::pair<std::string, std::vector<Json>>> grouped_points(const Json& points,
                                                                      const char* key) {
  std::vector<std::pair<std::string, std::vector<Json>>> groups;
  for (const auto& [name, point] : points.items()) {
    const std::string text = point[key].get<std::string>();
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& group) { return group.first == text; });
    if (found == groups.end()) {
      found = groups.insert(groups.end(), {text, {}});
    }
    found->second.push_back(point);
  }
  return groups;
}

std::string Spread::text() const { return fmt::format("{:.3f} ± {:.3f}", mean, deviation); }

Spread spread_of(const std::vector<Json>& points, const std::function<double(const Json&)>& value) {
  Spread spread;
  const auto count = static_cast<double>(points.size());
  for (const Json& point : points) {
    spread.mean += value(point) / count;
  }
  for (const Json& point : points) {
    spread.deviation +=
        points.size() < 2 ? 0.0 : std::pow(value(point) - spread.mean, 2) / (count - 1);
  }
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
}

Spread spread_of(const std::vector<Json>& points, const char* field) {
  return spread_of(points, [field](const Json& point) { return point[field].get<double>(); });
}

}  // namespace yona
