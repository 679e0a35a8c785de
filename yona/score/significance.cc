#include "yona/score/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yona/base/error.h"
#include "yona/base/random.h"

namespace yona {

namespace {

using Sums = std::vector<double>;

void check_systems(std::span<const SegmentStatistics> systems, const TestOptions& options) {
  check(!systems.empty() && systems[0].segments() > 0, "score: there are no lines to test");
  for (const SegmentStatistics& system : systems) {
    check(system.segments() == systems[0].segments() && system.width() == systems[0].width(),
          "score: systems of {} and {} lines cannot be compared", systems[0].segments(),
          system.segments());
  }
  check(options.samples >= 1, "score: a test of {} samples; expected at least 1", options.samples);
}

RandomSequence sequence(const TestOptions& options, std::string_view purpose) {
  return RandomSequence(mix(options.seed, hash_name(purpose)));
}

void add(Sums& sums, std::span<const double> row) {
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k] += row[k];
  }
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Confidence confidence_of(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const std::size_t cut = scores.size() / 40;  // 2.5 % at each end
  return {mean(scores), 0.5 * (scores[scores.size() - cut - 1] - scores[cut])};
}

// One more than counted, so that the test never claims certainty.
double p_value(const std::vector<double>& differences, double seen) {
  const auto larger = std::count_if(differences.begin(), differences.end(),
                                    [seen](double difference) { return difference > seen; });
  return static_cast<double>(larger + 1) / static_cast<double>(differences.size() + 1);
}

std::vector<TestResult> plain_scores(const Metric& metric,
                                     std::span<const SegmentStatistics> systems) {
  std::vector<TestResult> results;
  for (const SegmentStatistics& system : systems) {
    results.push_back({metric.score(system.sums()).value, {}, {}});
  }
  return results;
}

// [system][sample]
std::vector<std::vector<double>> resampled_scores(const Metric& metric,
                                                  std::span<const SegmentStatistics> systems,
                                                  const TestOptions& options) {
  RandomSequence random = sequence(options, "bootstrap");
  std::vector<std::vector<double>> scores(systems.size());
  std::vector<std::size_t> lines(systems[0].segments());
  for (std::int64_t sample = 0; sample < options.samples; ++sample) {
    for (std::size_t& line : lines) {
      line = random.below(lines.size());
    }
    for (std::size_t s = 0; s < systems.size(); ++s) {
      Sums sums(metric.width());
      for (const std::size_t line : lines) {
        add(sums, systems[s][line]);
      }
      scores[s].push_back(metric.score(sums).value);
    }
  }
  return scores;
}

// Differences between two systems after each pair of lines was exchanged or not.
std::vector<double> exchanged_differences(const Metric& metric, const SegmentStatistics& first,
                                          const SegmentStatistics& second,
                                          const TestOptions& options) {
  const Sums unchanged = first.sums();
  Sums both = unchanged;
  add(both, second.sums());
  // One mixture is the first system and the chosen lines' difference, the other what then remains.
  SegmentStatistics difference = second;
  for (std::size_t i = 0; i < first.segments(); ++i) {
    for (std::size_t k = 0; k < first.width(); ++k) {
      difference[i][k] -= first[i][k];
    }
  }
  RandomSequence random = sequence(options, "randomisation");
  std::vector<double> differences;
  for (std::int64_t trial = 0; trial < options.samples; ++trial) {
    Sums one = unchanged;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < first.segments(); ++i) {
      bits = i % 32 == 0 ? random.next() : bits >> 1U;
      if ((bits & 1U) != 0) {
        add(one, difference[i]);
      }
    }
    Sums other = both;
    for (std::size_t k = 0; k < other.size(); ++k) {
      other[k] -= one[k];
    }
    differences.push_back(std::abs(metric.score(one).value - metric.score(other).value));
  }
  return differences;
}

}  // namespace

std::vector<TestResult> paired_bootstrap(const Metric& metric,
                                         std::span<const SegmentStatistics> systems,
                                         const TestOptions& options) {
  check_systems(systems, options);
  std::vector<TestResult> results = plain_scores(metric, systems);
  const auto scores = resampled_scores(metric, systems, options);
  for (std::size_t s = 0; s < systems.size(); ++s) {
    results[s].confidence = confidence_of(scores[s]);
    if (s == 0) {
      continue;
    }
    std::vector<double> differences;
    for (std::size_t sample = 0; sample < scores[s].size(); ++sample) {
      differences.push_back(std::abs(scores[s][sample] - scores[0][sample]));
    }
    // Centred: how far resamples stray from their own mean, where the null hypothesis has 0.
    const double centre = mean(differences);
    for (double& difference : differences) {
      difference -= centre;
    }
    results[s].p_value = p_value(differences, std::abs(results[0].score - results[s].score));
  }
  return results;
}

std::vector<TestResult> paired_randomisation(const Metric& metric,
                                             std::span<const SegmentStatistics> systems,
                                             const TestOptions& options) {
  check_systems(systems, options);
  std::vector<TestResult> results = plain_scores(metric, systems);
  for (std::size_t s = 1; s < systems.size(); ++s) {
    results[s].p_value = p_value(exchanged_differences(metric, systems[0], systems[s], options),
                                 std::abs(results[0].score - results[s].score));
  }
  return results;
}

}  // namespace yona
