#include "yona/score/significance.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/score/fixture.h"

namespace yona::testing {
namespace {

struct Problem {
  std::vector<std::string> names;
  std::vector<SegmentStatistics> systems;
};

Problem problem_of(const Json& fixture, const Metric& metric) {
  References references;
  for (const Json& line : fixture["references"]) {
    references.push_back({line.get<std::string>()});
  }
  Problem problem;
  for (const auto& [name, lines] : fixture["systems"].items()) {
    problem.names.push_back(name);
    problem.systems.push_back(
        corpus_statistics(metric, lines.get<std::vector<std::string>>(), references));
  }
  return problem;
}

void expect_near(const std::optional<double>& ours, const Json& theirs, double tolerance) {
  ASSERT_EQ(ours.has_value(), !theirs.is_null());
  if (ours) {
    EXPECT_NEAR(*ours, theirs.get<double>(), tolerance);
  }
}

// 4000 samples: the deviation of a p-value is at most 0.008, that of an interval's end about 2 %.
TEST(Significance, AgreesWithSacreBleuWithinSamplingError) {
  const Json fixture = score_fixture("tests");
  int results = 0;
  for (const std::string kind : {"bs", "ar"}) {
    for (const auto& metric : std::initializer_list<std::shared_ptr<Metric>>{
             std::make_shared<Bleu>(), std::make_shared<Chrf>(), std::make_shared<Ter>()}) {
      const Problem problem = problem_of(fixture, *metric);
      const TestOptions options{.samples = 4000};
      const auto made = kind == "bs" ? paired_bootstrap(*metric, problem.systems, options)
                                     : paired_randomisation(*metric, problem.systems, options);
      for (const Json& expected : fixture["results"]) {
        if (expected["test"] != kind || expected["metric"] != metric->name()) {
          continue;
        }
        const auto place = std::find(problem.names.begin(), problem.names.end(),
                                     expected["system"].get<std::string>());
        const TestResult& result = made[static_cast<std::size_t>(place - problem.names.begin())];
        SCOPED_TRACE(expected.dump());
        ++results;
        EXPECT_EQ(result.score, expected["score"].get<double>());
        expect_near(result.p_value, expected["p_value"], 0.035);
        std::optional<double> mean;
        std::optional<double> half_width;
        if (result.confidence) {
          mean = result.confidence->mean;
          half_width = result.confidence->half_width;
        }
        expect_near(mean, expected["mean"], 0.1);
        expect_near(half_width, expected["ci"], 0.25);
      }
    }
  }
  EXPECT_EQ(results, 18);
}

SegmentStatistics statistics_of(const std::vector<double>& edits) {
  SegmentStatistics statistics(edits.size(), 2);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    statistics[i][0] = edits[i];
    statistics[i][1] = 10;
  }
  return statistics;
}

TEST(Significance, FindsNoneBetweenASystemAndItself) {
  const std::vector<SegmentStatistics> same(2, statistics_of({1, 2, 3, 4, 5, 6}));
  EXPECT_GT(paired_bootstrap(Ter(), same)[1].p_value,
            0.0009);  // sacreBLEU's too: no spread, 1/1001
  EXPECT_EQ(paired_randomisation(Ter(), same, {.samples = 99})[1].p_value, 0.01);
}

TEST(Significance, FindsWhatIsBetterOnEveryLine) {
  const std::vector<SegmentStatistics> systems{statistics_of(std::vector<double>(100, 5.0)),
                                               statistics_of(std::vector<double>(100, 1.0))};
  EXPECT_LT(*paired_randomisation(Ter(), systems)[1].p_value, 0.001);
  EXPECT_LT(*paired_bootstrap(Ter(), systems)[1].p_value, 0.01);
}

TEST(Significance, HasNoSpreadWhereAllLinesAreAlike) {
  const SegmentStatistics system = statistics_of(std::vector<double>(20, 5.0));
  const auto result = paired_bootstrap(Ter(), {&system, 1}, {.samples = 100});
  EXPECT_EQ(result[0].score, 50.0);
  EXPECT_DOUBLE_EQ(result[0].confidence->mean, 50.0);
  EXPECT_EQ(result[0].confidence->half_width, 0.0);
  EXPECT_FALSE(result[0].p_value.has_value());
}

TEST(Significance, RepeatsItselfForTheSameSeed) {
  const std::vector<SegmentStatistics> systems{statistics_of({1, 5, 2, 7, 3, 3}),
                                               statistics_of({2, 4, 2, 8, 1, 2})};
  const auto p = [&](std::uint64_t seed) {
    return *paired_randomisation(Ter(), systems, {.samples = 500, .seed = seed})[1].p_value;
  };
  EXPECT_EQ(p(1), p(1));
  EXPECT_NE(p(1), p(2));
}

TEST(Significance, RefusesSystemsOfDifferentLines) {
  const std::vector<SegmentStatistics> systems{statistics_of({1, 2}), statistics_of({1})};
  EXPECT_EQ(message_of<InvalidArgument>([&] { paired_bootstrap(Ter(), systems); }),
            "score: systems of 2 and 1 lines cannot be compared");
  EXPECT_EQ(message_of<InvalidArgument>([&] { paired_bootstrap(Ter(), {}); }),
            "score: there are no lines to test");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              paired_bootstrap(Ter(), {systems.data(), 1}, {.samples = 0});
            }),
            "score: a test of 0 samples; expected at least 1");
}

}  // namespace
}  // namespace yona::testing
