#include "yona/serve/service.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

using serve::SearchChoice;
using serve::SentenceProgress;
using serve::SentenceResult;
using serve::TranslationJob;

struct Outcome {
  int done = 0, failed = 0;
  std::vector<SentenceResult> results;
};

std::shared_ptr<TranslationJob> job_of(std::size_t sentences, Outcome& outcome) {
  auto job = std::make_shared<TranslationJob>();
  job->sentences.resize(sentences);
  job->done = [&](std::vector<SentenceResult> results) {
    ++outcome.done;
    outcome.results = std::move(results);
  };
  job->failed = [&](const std::exception_ptr&) { ++outcome.failed; };
  return job;
}

SentenceResult named(const std::string& text) {
  SentenceResult result;
  result.n_best.push_back({.text = text});
  return result;
}

TEST(TranslationJob, IsDoneWithItsLastSentence) {
  Outcome outcome;
  const auto job = job_of(2, outcome);
  job->finish(1, named("b"));
  EXPECT_EQ(outcome.done, 0);
  job->finish(1, named("again"));
  EXPECT_EQ(outcome.done, 0);
  job->finish(0, named("a"));
  EXPECT_EQ(outcome.done, 1);
  EXPECT_EQ(outcome.results[1].n_best[0].text, "b");
}

TEST(TranslationJob, IsOverOnce) {
  Outcome outcome;
  const auto job = job_of(1, outcome);
  job->fail(std::make_exception_ptr(std::runtime_error("x")));
  job->fail(std::make_exception_ptr(std::runtime_error("x")));
  job->finish(0, named("a"));
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_EQ(outcome.done, 0);
  EXPECT_TRUE(job->is_over());
}

TEST(TranslationJob, FailsWhereItsAnswerCannotBeMade) {
  Outcome outcome;
  const auto job = job_of(1, outcome);
  job->done = [](const std::vector<SentenceResult>& /*results*/) { throw std::bad_alloc(); };
  EXPECT_NO_THROW(job->finish(0, named("a")));
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_TRUE(job->has_failed());
  job->fail(std::make_exception_ptr(std::runtime_error("x")));
  EXPECT_EQ(outcome.failed, 1);
}

TEST(TranslationJob, TellsNothingOnceItIsOver) {
  Outcome outcome;
  const auto job = job_of(1, outcome);
  int told = 0;
  job->progress = [&](const SentenceProgress& /*progress*/) { ++told; };
  job->tell({});
  EXPECT_FALSE(job->has_failed());
  job->fail(std::make_exception_ptr(std::runtime_error("x")));
  job->tell({});
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(job->has_failed());
}

TEST(SearchChoice, HasEqualKeysWhereItIsEqual) {
  EXPECT_EQ(SearchChoice{}.key(), SearchChoice{}.key());
  EXPECT_NE(SearchChoice{.beam = 4}.key(), SearchChoice{}.key());
  EXPECT_NE(SearchChoice{.beam = 4}.key(), SearchChoice{.max_length = 4}.key());
  EXPECT_NE(SearchChoice{.length_penalty = 0.6}.key(), SearchChoice{.length_penalty = 0.61}.key());
  EXPECT_NE(SearchChoice{.scores = true}.key(), SearchChoice{.alignments = true}.key());
}

}  // namespace
}  // namespace yona
