// Several workers over one model: everything is done once, and what comes out is one worker's.

#include "yona/decode/workers.h"

#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/decode/translator.h"

#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

class WorkersTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    small_ = std::make_unique<SmallModel>();
    for (int i = 0; i < 3; ++i) {
      backends_.push_back(make_backend("cpu", {.threads = 1, .first_cpu = i}));
      places_.push_back({backends_.back().get(), i});
    }
  }
  static void TearDownTestSuite() {
    places_.clear();
    backends_.clear();
    small_.reset();
  }
  static std::unique_ptr<TranslationModel> load(Packing packing) {
    return TranslationModel::load(small_->path(), *backends_.front(), packing);
  }

  inline static std::unique_ptr<SmallModel> small_;
  inline static std::vector<std::unique_ptr<Backend>> backends_;
  inline static std::vector<WorkerPlace> places_;
};

TEST_F(WorkersTest, DoEveryItemOnce) {
  const auto model = load(Packing::yes);
  Workers workers({&model->transformer()}, places_, {});
  for (const std::size_t items : {0, 1, 2, 3, 50}) {
    std::vector<std::atomic<int>> done(items);
    workers.run(items, [&](Worker& /*worker*/, std::size_t item) { ++done[item]; });
    for (std::size_t i = 0; i < items; ++i) {
      EXPECT_EQ(done[i], 1) << i << " of " << items;
    }
  }
}

TEST_F(WorkersTest, HaveThreadsOfTheirOwn) {
  const auto model = load(Packing::yes);
  Workers workers({&model->transformer()}, places_, {});
  std::mutex mutex;
  std::set<std::thread::id> threads;
  workers.run(30, [&](Worker& /*worker*/, std::size_t /*item*/) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_GT(threads.size(), 1U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
}

TEST_F(WorkersTest, HandTheFirstErrorToTheCaller) {
  const auto model = load(Packing::yes);
  Workers workers({&model->transformer()}, places_, {});
  const auto fails = [&] {
    workers.run(100, [](Worker& /*worker*/, std::size_t item) {
      check(item != 7, "item {} is bad", item);
    });
  };
  EXPECT_EQ(message_of<InvalidArgument>(fails), "item 7 is bad");
  EXPECT_EQ(message_of<InvalidArgument>([&] { Workers none({&model->transformer()}, {}, {}); }),
            "translate: there is no worker");
}

TEST_F(WorkersTest, TranslateAndScoreAsOneDoes) {
  std::vector<TranslationRequest> requests;
  std::vector<SentencePair> pairs;
  for (std::size_t i = 0; i < 60; ++i) {
    requests.push_back({.text = small_->lines()[i], .id = i});
    pairs.push_back({small_->lines()[i], small_->lines()[i + 1]});
  }
  for (const Packing packing : {Packing::yes, Packing::int8}) {
    for (const std::int64_t beam : {1, 3}) {
      const auto model = load(packing);
      const DecodeOptions options{.beam = beam, .alignments = true};
      const TextOptions text{.batch_tokens = 64};
      Translator one({model.get()}, *backends_.front(), options, text);
      Translator three({model.get()}, places_, options, text);
      const auto expected = one.n_best(requests);
      const auto got = three.n_best(requests);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].front().text, expected[i].front().text);
        EXPECT_EQ(got[i].front().hypothesis.score, expected[i].front().hypothesis.score);
        EXPECT_EQ(got[i].front().hypothesis.attention, expected[i].front().hypothesis.attention);
      }
      const auto scores = three.score(pairs);
      const auto expected_scores = one.score(pairs);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        EXPECT_EQ(scores[i].score, expected_scores[i].score);
      }
    }
  }
}

}  // namespace
}  // namespace yona::testing
