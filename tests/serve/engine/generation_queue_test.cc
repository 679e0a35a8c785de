#include "yona/serve/engine/generation_queue.h"

#include <functional>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "yona/serve/http.h"

namespace yona::testing {
namespace {

using serve::GenerationQueue;
using serve::GenerationTaskPtr;
using Sizes = GenerationQueue::Sizes;

class GenerationQueueTest : public ::testing::Test {
 protected:
  static std::shared_ptr<serve::GenerationJob> job(const std::string& client,
                                                   std::size_t prompts = 1,
                                                   std::int64_t new_tokens = 4) {
    auto made = std::make_shared<serve::GenerationJob>();
    made->client = client;
    made->prompts.assign(prompts, "a few words");
    made->options.max_new = new_tokens;
    return made;
  }
  static int refusal(const std::function<void()>& action) {
    try {
      action();
    } catch (const serve::HttpError& error) {
      return error.status;
    }
    return 0;
  }
  std::string next_client(GenerationQueue& queue, Sizes sizes = Sizes::all) {
    const GenerationTaskPtr task = queue.next(sizes);
    return task ? task->job->client : "";
  }

  const serve::GeneratorSummary model_{.id = "toy", .context = 64};
};

TEST_F(GenerationQueueTest, TakesPromptsFromTheClientThatWasGivenTheFewestTokens) {
  GenerationQueue queue({});
  queue.submit(job("many", 3), model_);
  queue.submit(job("few"), model_);
  EXPECT_EQ(next_client(queue), "many");  // the oldest of those that were given nothing
  queue.begin_prompt(*queue.next(Sizes::all), 5);
  EXPECT_EQ(next_client(queue), "few");
  queue.begin_prompt(*queue.next(Sizes::all), 3);
  EXPECT_EQ(next_client(queue), "many");  // the other has no more prompts
  EXPECT_EQ(queue.figures().waiting_requests, 1);
  EXPECT_EQ(queue.figures().prompt_tokens, 8U);
}

TEST_F(GenerationQueueTest, FindsSmallRequestsAlone) {
  GenerationQueue queue({.small_work = 20});
  queue.submit(job("large", 1, 60), model_);
  EXPECT_EQ(queue.next(Sizes::small), nullptr);
  queue.submit(job("small"), model_);
  EXPECT_EQ(next_client(queue, Sizes::small), "small");
  EXPECT_EQ(next_client(queue, Sizes::all), "large");
}

TEST_F(GenerationQueueTest, RefusesTooMuchWorkAndAFullQueue) {
  GenerationQueue queue({.work = 100, .queue_tokens = 10});
  EXPECT_EQ(refusal([&] { queue.submit(job("a", 10, 50), model_); }), 413);
  queue.submit(job("a", 5), model_);  // the first is taken whatever its size
  EXPECT_TRUE(queue.is_full());
  EXPECT_EQ(refusal([&] { queue.submit(job("b"), model_); }), 503);
  EXPECT_EQ(queue.figures().refused, 1U);
  queue.remove(queue.next(Sizes::all));
  EXPECT_FALSE(queue.is_full());
  queue.close();
  EXPECT_EQ(refusal([&] { queue.submit(job("b"), model_); }), 503);
  EXPECT_FALSE(queue.wait());
}

TEST_F(GenerationQueueTest, RefusesWhatWouldWaitTooLongByTheSpeedSoFar) {
  GenerationQueue queue({.answers = 1, .small_answers = 0});
  queue.submit(job("a"), model_);
  queue.submit(job("b"), model_);
  serve::GenerationTask& first = *queue.next(Sizes::all);
  queue.add_step(std::vector<serve::GenerationTask*>{&first}, 1, 1.0);
  queue.add_answer(first, 10);  // of 10 tokens, each of a second
  EXPECT_EQ(refusal([&] { queue.submit(job("c"), model_); }), 503);
  queue.begin_loading();  // how long that takes is not known, and does not count
  queue.submit(job("c"), model_);
  queue.end_loading();
  EXPECT_EQ(refusal([&] { queue.submit(job("d"), model_); }), 503);
}

TEST_F(GenerationQueueTest, EndsWhatIsGoneLateOrHasWaitedTooLong) {
  GenerationQueue queue({.longest_wait = std::chrono::duration<double>(0)});
  const auto gone = job("gone");
  gone->gone = std::make_shared<std::atomic<bool>>(true);
  const auto late = job("late");
  late->deadline = Clock::now();
  for (const auto& each : {gone, late, job("waiting"), job("joined")}) {
    queue.submit(each, model_);
  }
  queue.note_joined(*queue.all().back());
  std::map<std::string, int> statuses;
  for (const auto& [task, error] : queue.find_ended()) {
    statuses[task->job->client] = refusal([&, why = error] { std::rethrow_exception(why); });
  }
  EXPECT_EQ(statuses, (std::map<std::string, int>{{"gone", 499}, {"late", 504}, {"waiting", 503}}));
  const serve::GenerationFigures figures = queue.figures();
  EXPECT_EQ(std::tuple(figures.gone, figures.late, figures.refused), std::tuple(1U, 1U, 1U));
}

TEST_F(GenerationQueueTest, ForgetsARequestWithItsWaitingPrompts) {
  GenerationQueue queue({});
  queue.submit(job("a", 3), model_);
  const GenerationTaskPtr task = queue.next(Sizes::all);
  queue.begin_prompt(*task, 4);
  queue.note_joined(*task);
  queue.note_joined(*task);
  EXPECT_EQ(queue.figures().requests, 1);
  queue.remove(task);
  queue.remove(task);  // nothing, the second time
  EXPECT_EQ(queue.figures().requests, 0);
  EXPECT_EQ(queue.figures().waiting_requests, 0);
  EXPECT_EQ(queue.figures().waiting_tokens, 0);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace yona::testing
