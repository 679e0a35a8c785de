// What the engine refuses: requests of too much work, memory or attention, and glossaries.
#include <atomic>

#include <gtest/gtest.h>

#include "yona/serve/engine/engine.h"

#include "tests/serve/engine/waiting_job.h"

namespace yona {
namespace {

using serve::Engine;
using serve::HttpError;
using testing::engine_options;
using testing::some_lines;
using testing::waiting_job;

// The status and message of what submit() or the job says.
std::pair<int, std::string> refusal_of(Engine& engine, testing::Waiting& waiting) {
  try {
    engine.submit(waiting.job);
    waiting.results.get();
  } catch (const HttpError& error) {
    return {error.status, error.what()};
  }
  return {200, ""};
}

TEST(Engine, RefusesMoreWorkThanAllowedWithTheLimit) {
  auto options = engine_options();
  options.limits.work = 1000;
  Engine engine(options);
  auto wide = waiting_job(some_lines(0, 2));
  wide.job->search = {.beam = 32, .max_length = 20};
  const auto [status, text] = refusal_of(engine, wide);
  EXPECT_EQ(status, 413);
  EXPECT_NE(text.find("1280 steps"), text.npos) << text;
  EXPECT_NE(text.find("1000 are allowed at most"), text.npos) << text;
  auto plain = waiting_job(some_lines(0, 2));
  EXPECT_EQ(refusal_of(engine, plain).first, 200);
}

TEST(Engine, CountsTheWorkOfAllPartsOfARequestBeforeItBegins) {
  auto options = engine_options();
  options.limits.work = 700;
  Engine engine(options);
  std::vector<testing::Waiting> parts;
  std::vector<std::shared_ptr<serve::TranslationJob>> jobs;
  for (std::size_t i = 0; i < 5; ++i) {
    parts.push_back(waiting_job(some_lines(i, 1)));
    jobs.push_back(parts.back().job);
  }
  try {
    engine.submit_parts(jobs);
    ADD_FAILURE() << "not refused";
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status, 413);
    EXPECT_NE(std::string(error.what()).find("700 are allowed at most"), std::string::npos);
  }
  EXPECT_EQ(engine.figures().waiting_jobs, 0);
  engine.submit_parts({jobs.front()});
  EXPECT_EQ(parts.front().results.get().size(), 1U);
  engine.close();
  EXPECT_EQ(engine.figures().sentences, 1U);
}

TEST(Engine, CountsTheAttentionOfAllPartsOfARequest) {
  auto options = engine_options();
  options.limits.attention = 2000;
  Engine engine(options);
  auto first = waiting_job({"two"});
  first.job->attention = true;
  first.job->attention_count->given = 1999;  // by other parts
  const auto [status, text] = refusal_of(engine, first);
  EXPECT_EQ(status, 413);
  auto second = waiting_job({"two"});
  second.job->attention = true;
  second.job->attention_count->foreseen = 2000;
  EXPECT_EQ(refusal_of(engine, second).first, 413);
  auto third = waiting_job({"two"});
  third.job->attention = true;
  EXPECT_EQ(refusal_of(engine, third).first, 200);
}

TEST(Engine, LeavesABatchWhenAnotherPartHasFailed) {
  Engine engine(engine_options());
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  auto waiting = waiting_job(some_lines(0, 8));
  waiting.job->cancelled = cancelled;
  std::atomic<int> steps{0};
  waiting.job->progress = [&](const serve::SentenceProgress&) {
    ++steps;
    *cancelled = true;
  };
  EXPECT_EQ(refusal_of(engine, waiting).first, 499);
  EXPECT_LE(steps, 8);  // none has made a second step
}

TEST(Engine, RefusesASearchThatTakesTooMuchMemory) {
  auto options = engine_options();
  options.limits.cache_bytes = 64 << 10;
  Engine engine(options);
  auto wide = waiting_job(some_lines(0, 1));
  wide.job->search = {.beam = 64, .max_length = 40};
  const auto [status, text] = refusal_of(engine, wide);
  EXPECT_EQ(status, 413);
  EXPECT_NE(text.find("64 beams of up to 40 tokens"), text.npos) << text;
}

TEST(Engine, RefusesAGlossaryOfTooManyTermsAtOnce) {
  Engine engine(engine_options());
  auto waiting = waiting_job({"seven past two"});
  for (int i = 0; i < 129; ++i) {
    waiting.job->glossary.push_back({"a" + std::to_string(i), "b"});
  }
  const auto [status, text] = refusal_of(engine, waiting);
  EXPECT_EQ(status, 400);
  EXPECT_NE(text.find("expected at most 128 terms, got 129"), text.npos) << text;
}

TEST(Engine, RefusesAGlossaryWithALongTermAtOnce) {
  Engine engine(engine_options());
  auto waiting = waiting_job({"seven past two"});
  waiting.job->glossary = {{std::string(257, 'a'), "b"}};
  const auto [status, text] = refusal_of(engine, waiting);
  EXPECT_EQ(status, 400);
  EXPECT_NE(text.find("the source of a term has more than the 256 bytes"), text.npos) << text;
}

TEST(Engine, SaysWhenTheTermsOfASentenceDoNotFitIntoItsTranslation) {
  Engine engine(engine_options());
  auto waiting = waiting_job({"seven past two"});
  std::string term = "Donau";
  for (int i = 0; i < 30; ++i) {
    term += "dampfschiff";
  }
  waiting.job->glossary = {{"two", term}};
  const auto [status, text] = refusal_of(engine, waiting);
  EXPECT_EQ(status, 400);
  EXPECT_NE(text.find("\"glossary\": the terms of a sentence take"), text.npos) << text;
  EXPECT_NE(text.find("\"max_length\""), text.npos) << text;
}

TEST(Engine, RefusesAttentionAboveALimitBeforeAndAfterDecoding) {
  auto options = engine_options();
  options.limits.attention = 400;  // one layer of four heads
  Engine engine(options);
  auto many = waiting_job(some_lines(0, 20));
  many.job->attention = true;
  std::atomic<int> steps{0};
  many.job->progress = [&](const serve::SentenceProgress&) { ++steps; };
  const auto [status, text] = refusal_of(engine, many);
  EXPECT_EQ(status, 413);
  EXPECT_NE(text.find("400 are allowed at most"), text.npos) << text;
  EXPECT_EQ(steps, 0);
  options.limits.attention = 40;  // enough for the source alone
  Engine strict(options);
  auto one = waiting_job({"two"});
  one.job->attention = true;
  one.job->progress = [&](const serve::SentenceProgress&) { ++steps; };
  EXPECT_EQ(refusal_of(strict, one).first, 413);
  EXPECT_GT(steps, 0);
}

TEST(Engine, RefusesLooksInsideThatWouldBeTooLarge) {
  auto options = engine_options();
  options.limits.explained_tokens = 2;
  Engine engine(options);
  const auto refused = [](Engine& its, const std::string& task, const Json& request) {
    const auto job = std::make_shared<serve::TaskJob>();
    std::promise<Json> answer;
    job->model = "en-de";
    job->task = task;
    job->request = request;
    job->done = [&](Json json) { answer.set_value(std::move(json)); };
    job->failed = [&](const std::exception_ptr& error) { answer.set_exception(error); };
    try {
      its.submit(job);
      answer.get_future().get();
    } catch (const HttpError& error) {
      return error.status;
    }
    return 200;
  };
  EXPECT_EQ(refused(engine, "explain", {{"q", "seven past two"}}), 413);
  EXPECT_EQ(refused(engine, "beam", {{"q", "seven past two"}, {"beam", 4}}), 200);
  options.limits.tree_nodes = 100;
  Engine strict(options);
  EXPECT_EQ(refused(strict, "beam", {{"q", "seven past two"}, {"beam", 64}}), 413);
  EXPECT_EQ(refused(strict, "beam", {{"q", "two"}, {"beam", 1}}), 200);
  options.limits.cache_bytes = 1000;
  Engine small(options);
  EXPECT_EQ(refused(small, "beam", {{"q", "two"}, {"beam", 64}}), 413);
}

}  // namespace
}  // namespace yona
