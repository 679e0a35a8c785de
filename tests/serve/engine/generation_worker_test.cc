#include "yona/serve/engine/generation_worker.h"

#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/serve/engine/generating.h"

namespace yona::testing {
namespace {

using serve::GenerationWorker;
using serve::HttpError;

class GenerationWorkerTest : public ::testing::Test {
 protected:
  // Of the shared model, after the limits were set.
  GenerationWorker& worker() {
    if (!worker_) {
      const auto options = generation_options();
      worker_ =
          std::make_unique<GenerationWorker>(options.models.front(), options.loading, limits_);
    }
    return *worker_;
  }
  int refused(const Generating& one) {
    try {
      worker().submit(one.job);
    } catch (const HttpError& error) {
      EXPECT_GE(error.retry_after, 1);
      return error.status;
    }
    return 0;
  }
  // The text when nothing else runs.
  std::string alone(const std::string& prompt, std::int64_t max_new) {
    const auto options = generation_options();
    GenerationWorker other(options.models.front(), options.loading, options.limits);
    auto one = generating({prompt}, {.max_new = max_new});
    other.submit(one.job);
    return one.text();
  }

  serve::GenerationLimits limits_ = generation_options().limits;

 private:
  std::unique_ptr<GenerationWorker> worker_;
};

// Halts the thread that computes at a job's first piece, until it is let go.
class Halt {
 public:
  std::function<void()> hook() {
    return [this] {
      if (!std::exchange(has_come_, true)) {
        reached_.set_value();
        go_.get_future().wait();
      }
    };
  }
  void wait_until_reached() { reached_.get_future().wait(); }
  void let_go() { go_.set_value(); }

 private:
  bool has_come_ = false;
  std::promise<void> reached_, go_;
};

TEST_F(GenerationWorkerTest, RequestsJoinWhileOthersAreUnderWayAndLeaveBeforeThem) {
  std::vector<std::string> ends;
  int pieces = 0;
  Generating shorter = generating({"a"}, {.max_new = 3});
  Generating longer = generating({"The dog"}, {.max_new = 40}, [&] {
    if (++pieces == 5) {
      worker().submit(shorter.job);
    }
  });
  const auto done = shorter.job->done;
  shorter.job->done = [&, done](const serve::GenerationUsage& usage) {
    ends.emplace_back(pieces < 40 ? "under way" : "ended");
    done(usage);
  };
  worker().submit(longer.job);
  EXPECT_EQ(longer.text(), alone("The dog", 40));
  EXPECT_EQ(shorter.text(), alone("a", 3));
  EXPECT_EQ(ends, std::vector<std::string>{"under way"});
}

TEST_F(GenerationWorkerTest, LooksAtAPromptInsteadOfGenerating) {
  Generating one = generating({"The dog"}, {.max_new = 1});
  serve::PromptLook seen;
  one.job->look = [&](const serve::PromptLook& look) { seen = look; };
  worker().submit(one.job);
  EXPECT_EQ(one.text(), "");
  ASSERT_FALSE(seen.maps.empty());
  EXPECT_EQ(seen.maps.front().queries, static_cast<std::int64_t>(seen.tokens.size()));
  std::string text;
  for (const std::string& token : seen.tokens) {
    text += token;
  }
  EXPECT_EQ(text, "The dog");
  Generating empty = generating({std::string(5000, 'x')}, {.max_new = 1});
  empty.job->look = one.job->look;
  worker().submit(empty.job);
  EXPECT_THROW(empty.text(), std::exception);
}

// The explanation ends with the distribution that the generator draws from, and its attention is
// what the attention route shows.
TEST_F(GenerationWorkerTest, ExplainsAStepWithTheGeneratorsOwnNumbers) {
  const std::string prompt = "The dog sees";
  Generating first = generating({prompt}, {.max_new = 1, .temperature = 0, .logprobs = 5});
  worker().submit(first.job);
  first.text();
  Generating looks = generating({prompt}, {.max_new = 1});
  serve::PromptLook seen;
  looks.job->look = [&](const serve::PromptLook& look) { seen = look; };
  worker().submit(looks.job);
  looks.text();
  Generating one = generating({prompt}, {.max_new = 1});
  one.job->step = {.layer = 1, .head = 2, .query = 3};
  Json answer;
  one.job->explain = [&](const Json& json) { answer = json; };
  worker().submit(one.job);
  EXPECT_EQ(one.text(), "");

  const std::vector<serve::TokenText>& best = first.pieces->front().best;
  ASSERT_EQ(best.size(), 5U);
  for (std::size_t i = 0; i < best.size(); ++i) {
    const Json& candidate = answer["next"][i];
    EXPECT_NEAR(std::log(candidate["probability"].get<double>()), best[i].logprob, 2e-3);
    EXPECT_NEAR(candidate["logit"].get<double>() - answer["log_sum"].get<double>(), best[i].logprob,
                1e-4);
  }
  const AttentionMap& map = seen.maps.at(1);
  ASSERT_EQ(answer["weights"].size(), seen.tokens.size());
  for (std::int64_t query = 0; query < map.queries; ++query) {
    const auto row = answer["weights"][static_cast<std::size_t>(query)].get<std::vector<float>>();
    EXPECT_THAT(row, ::testing::Pointwise(::testing::FloatNear(1e-5F), map.row(2, query)));
  }
  std::string text;
  for (const Json& token : answer["decoder_tokens"]) {
    text += token.get<std::string>();
  }
  EXPECT_EQ(text, prompt);
  Generating last = generating({prompt}, {.max_new = 1});
  last.job->explain = one.job->explain;
  worker().submit(last.job);
  last.text();
  EXPECT_EQ(answer["query"], seen.tokens.size() - 1);
}

TEST_F(GenerationWorkerTest, RefusesToExplainPromptsThatAreTooLong) {
  serve::GenerationLimits limits = generation_options().limits;
  EXPECT_EQ(limits.explained_tokens, 256);
  Generating longer = generating({std::string(90, 'x') + std::string(90, 'y')}, {.max_new = 1});
  longer.job->explain = [](const Json&) { FAIL(); };
  worker().submit(longer.job);
  EXPECT_THROW(longer.text(), InvalidArgument);  // the toy's context is 96 tokens
  Generating far = generating({std::string(300, 'x') + std::string(300, 'y')}, {.max_new = 1});
  far.job->explain = longer.job->explain;
  worker().submit(far.job);
  EXPECT_EQ(far.status(), 413);
}

TEST_F(GenerationWorkerTest, RemovesARequestWhoseClientHasGone) {
  const auto gone = std::make_shared<std::atomic<bool>>(false);
  int pieces = 0;
  Generating stays = generating({"a"}, {.max_new = 40});
  Generating goes = generating({"The dog", "b"}, {.max_new = 40}, [&] {
    if (++pieces == 5) {
      gone->store(true);
    }
  });
  goes.job->gone = gone;
  worker().submit(goes.job);
  worker().submit(stays.job);
  EXPECT_EQ(goes.status(), 499);
  EXPECT_LE(pieces, 6);
  EXPECT_EQ(stays.text(), alone("a", 40));
  EXPECT_EQ(worker().figures().gone, 1U);
}

TEST_F(GenerationWorkerTest, EndsARequestAtItsDeadline) {
  Generating late = generating({"a"}, {.max_new = 40});
  late.job->deadline = Clock::now();
  worker().submit(late.job);
  EXPECT_EQ(late.status(), 504);
  EXPECT_TRUE(late.pieces->empty());
  Generating slow;
  slow = generating({"The dog"}, {.max_new = 40}, [&] { slow.job->deadline = Clock::now(); });
  Generating other = generating({"a"}, {.max_new = 40});
  worker().submit(slow.job);
  worker().submit(other.job);
  EXPECT_EQ(slow.status(), 504);
  EXPECT_LT(slow.pieces->size(), 40U);
  EXPECT_EQ(other.text(), alone("a", 40));
  EXPECT_EQ(worker().figures().late, 2U);
}

TEST_F(GenerationWorkerTest, RefusesWhatTheQueueHasNoRoomFor) {
  limits_.queue_tokens = 20;
  Halt halt;
  Generating first = generating({"a"}, {.max_new = 3}, halt.hook());
  worker().submit(first.job);
  halt.wait_until_reached();
  EXPECT_FALSE(worker().is_full());
  Generating waits = generating({std::string(100, 'x')}, {.max_new = 3});  // whatever its length
  Generating refuses = generating({"b"}, {.max_new = 3});
  EXPECT_EQ(refused(waits), 0);
  EXPECT_TRUE(worker().is_full());
  EXPECT_EQ(refused(refuses), 503);
  EXPECT_EQ(worker().figures().waiting_requests, 1);
  halt.let_go();
  first.usage.get();
  EXPECT_EQ(waits.status(), 0);  // longer than the context
  Generating again = generating({"b"}, {.max_new = 3});
  EXPECT_EQ(refused(again), 0);
  again.usage.get();
  EXPECT_EQ(worker().figures().waiting_requests, 0);
  EXPECT_EQ(worker().figures().waiting_tokens, 0);
  EXPECT_EQ(worker().figures().refused, 1U);
}

TEST_F(GenerationWorkerTest, RefusesWhatHasWaitedTooLong) {
  limits_.answers = 1;
  limits_.small_answers = 0;
  limits_.longest_wait = std::chrono::milliseconds(500);
  Halt halt;
  Generating first = generating({"a"}, {.max_new = 30}, halt.hook());
  worker().submit(first.job);
  halt.wait_until_reached();
  Generating waits = generating({"b"}, {.max_new = 3});
  worker().submit(waits.job);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  halt.let_go();
  EXPECT_EQ(waits.status(), 503);
  EXPECT_EQ(first.text(), alone("a", 30));
}

TEST_F(GenerationWorkerTest, ServesClientsInTurn) {
  limits_.answers = 1;
  limits_.small_answers = 0;
  Halt halt;
  std::vector<std::string> order;
  std::vector<Generating> all;
  const auto add = [&](const std::string& client, const std::function<void()>& grown = {}) {
    all.push_back(generating({"a"}, {.max_new = 6}, grown));
    all.back().job->client = client;
    const auto done = all.back().job->done;
    all.back().job->done = [&order, client, done](const serve::GenerationUsage& usage) {
      order.push_back(client);
      done(usage);
    };
    worker().submit(all.back().job);
  };
  add("many", halt.hook());
  halt.wait_until_reached();
  for (int i = 0; i < 4; ++i) {
    add("many");
  }
  add("one");
  add("two");
  halt.let_go();
  for (Generating& one : all) {
    one.usage.get();
  }
  EXPECT_EQ(order,
            (std::vector<std::string>{"many", "one", "two", "many", "many", "many", "many"}));
}

TEST_F(GenerationWorkerTest, RequestsOfOneClientTakeTurnsByPrompts) {
  limits_.answers = 1;
  limits_.small_answers = 0;
  Halt halt;
  Generating document = generating({"a", "b", "c", "d"}, {.max_new = 4}, halt.hook());
  worker().submit(document.job);
  halt.wait_until_reached();
  std::size_t begun = 0;
  Generating small = generating({"e"}, {.max_new = 4}, [&] { begun = document.texts->size(); });
  worker().submit(small.job);
  halt.let_go();
  document.usage.get();
  small.usage.get();
  EXPECT_LE(begun, 2U);
  EXPECT_EQ(document.texts->size(), 4U);
}

TEST_F(GenerationWorkerTest, LetsALargeRequestJoinThoughSmallOnesComeAfterIt) {
  limits_.answers = 4;
  limits_.small_answers = 0;
  std::vector<std::string> order;
  Halt halt;
  std::vector<Generating> all;
  const auto add = [&](const std::string& name, std::int64_t answers, std::int64_t max_new,
                       const std::function<void()>& grown = {}) {
    all.push_back(generating({"a"}, {.max_new = max_new, .answers = answers}, grown));
    const auto done = all.back().job->done;
    all.back().job->done = [&order, name, done](const serve::GenerationUsage& usage) {
      order.push_back(name);
      done(usage);
    };
    worker().submit(all.back().job);
  };
  add("first", 1, 10, halt.hook());
  halt.wait_until_reached();
  add("wide", 4, 5);
  for (int i = 0; i < 6; ++i) {
    add("small", 1, 5);
  }
  halt.let_go();
  for (Generating& one : all) {
    one.usage.get();
  }
  EXPECT_EQ(order[0], "first");
  EXPECT_EQ(order[1], "wide");
}

TEST_F(GenerationWorkerTest, SmallRequestsDoNotWaitForLargeOnes) {
  limits_.answers = 1;
  limits_.small_answers = 1;
  limits_.small_work = 20;
  Halt halt;
  int pieces = 0;
  int pieces_before_small = 0;
  const auto hook = halt.hook();
  Generating large = generating({"a"}, {.max_new = 60}, [&] {
    ++pieces;
    hook();
  });
  worker().submit(large.job);
  halt.wait_until_reached();
  Generating next = generating({"b"}, {.max_new = 60});
  Generating small = generating({"c"}, {.max_new = 3}, [&] { pieces_before_small = pieces; });
  worker().submit(next.job);
  worker().submit(small.job);
  halt.let_go();
  EXPECT_EQ(small.text(), alone("c", 3));
  EXPECT_EQ(large.text(), alone("a", 60));
  EXPECT_EQ(next.text(), alone("b", 60));
  EXPECT_LT(pieces_before_small, 10);
}

TEST_F(GenerationWorkerTest, FinishesWhatItHasAcceptedWhenItIsClosed) {
  Halt halt;
  Generating running = generating({"The dog"}, {.max_new = 30}, halt.hook());
  worker().submit(running.job);
  halt.wait_until_reached();
  Generating waits = generating({"a"}, {.max_new = 30});
  worker().submit(waits.job);
  std::thread closing([&] { worker().close(); });
  halt.let_go();
  closing.join();
  EXPECT_EQ(running.text(), alone("The dog", 30));
  EXPECT_EQ(waits.text(), alone("a", 30));
  EXPECT_EQ(refused(generating({"a"}, {.max_new = 3})), 503);
}

TEST_F(GenerationWorkerTest, GoesOnWhereAnAnswerCannotBeWritten) {
  Generating broken = generating({"The dog"}, {.max_new = 30});
  broken.job->grow = [](const serve::GenerationPiece&) { throw InvalidArgument("cannot"); };
  Generating other = generating({"a"}, {.max_new = 10});
  worker().submit(broken.job);
  worker().submit(other.job);
  EXPECT_EQ(message_of<InvalidArgument>([&] { broken.usage.get(); }), "cannot");
  EXPECT_EQ(other.text(), alone("a", 10));
}

TEST_F(GenerationWorkerTest, CountsTokensAndRequests) {
  Generating one = generating({"The dog", "a"}, {.max_new = 7, .answers = 2});
  worker().submit(one.job);
  const serve::GenerationUsage usage = one.usage.get();
  worker().close();
  const serve::GenerationFigures figures = worker().figures();
  EXPECT_EQ(figures.prompt_tokens, static_cast<std::uint64_t>(usage.prompt_tokens));
  EXPECT_GE(figures.tokens, static_cast<std::uint64_t>(usage.completion_tokens));
  EXPECT_EQ(figures.requests, 0);
  EXPECT_EQ(figures.answers, 0);
  EXPECT_EQ(figures.waiting_requests, 0);
  EXPECT_GT(figures.steps, 0U);
}

}  // namespace
}  // namespace yona::testing
