// Could the difference be chance? Two tests for systems that translated the same lines: the paired
// bootstrap (Koehn 2004) and approximate randomisation (Riezler and Maxwell 2005), computed from
// segment statistics, so that nothing is tokenised or aligned again.
//
// They are sacreBLEU's tests with random numbers of our own: p-values and intervals agree with it
// as far as two of its own runs with different seeds do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "yona/score/metric.h"

namespace yona {

// The mean over resamples of the lines, and half the width of the interval that holds 95 % of them.
struct Confidence {
  double mean = 0.0;
  double half_width = 0.0;
};

struct TestResult {
  double score = 0.0;
  std::optional<Confidence> confidence{};  // with the bootstrap
  std::optional<double> p_value{};         // against the first system, which has none
};

struct TestOptions {
  std::int64_t samples = 1000;
  std::uint64_t seed = 12345;
};

// Each system's interval, and the probability of a difference from the first as large as the one
// seen, or larger, if there were none. All systems must have the same lines; one alone gets its
// interval. Throws InvalidArgument otherwise, or for fewer than one sample.
std::vector<TestResult> paired_bootstrap(const Metric& metric,
                                         std::span<const SegmentStatistics> systems,
                                         const TestOptions& options = {});

// The same probability by exchanging lines between the systems at random; no intervals.
std::vector<TestResult> paired_randomisation(const Metric& metric,
                                             std::span<const SegmentStatistics> systems,
                                             const TestOptions& options = {.samples = 10000});

}  // namespace yona
