// Sums over ranks and the sharded optimiser: the same bits as one process that accumulates.

#include "yona/train/gradient_sum.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "yona/backend/backend.h"
#include "yona/base/random.h"
#include "yona/nn/linear.h"
#include "yona/train/buffer_exchange.h"
#include "yona/train/optimiser.h"

#include "tests/harness/thread_ranks.h"

namespace yona {
namespace {

// Five granules and a bit: with four ranks every one owns something.
class Wide : public Module {
 public:
  Wide() { add("wide", wide_); }
  Linear wide_{700, 470};
};

std::vector<float> gradient_of(std::int64_t count, std::int64_t update, std::int64_t micro_batch) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::uint64_t state =
      mix(mix(7, static_cast<std::uint64_t>(update)), static_cast<std::uint64_t>(micro_batch));
  for (float& value : values) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    value = static_cast<float>(static_cast<std::int32_t>(state >> 32U)) * 1e-9F;
  }
  return values;
}

struct Trained {
  std::vector<float> weights;
  std::vector<OptimiserState> state;
  double norm = 0;
};

// Three updates of so many micro-batches, by one rank or as one of several.
Trained train(std::int64_t micro_batches, Communicator* ranks) {
  const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
  Wide model;
  Parameters parameters(model, *backend, Gradients::yes);
  parameters.initialise(3);
  TrainConfig config;
  config.ema = 0.9;
  config.clip_norm = 0.5;  // so that the norm decides bits
  config.weight_decay = 0.01;
  Optimiser optimiser(parameters, *backend, config, ranks);
  optimiser.start_average();
  GradientSum sum(parameters, *backend, micro_batches, ranks);
  for (std::int64_t update = 1; update <= 3; ++update) {
    for (std::int64_t round = 0; round < sum.rounds(); ++round) {
      if (sum.has_micro_batch(round)) {
        parameters.gradients().upload(
            gradient_of(parameters.count(), update, sum.micro_batch(round)));
      }
      sum.add(round);
    }
    optimiser.step(update, 1e-3, sum.total());
  }
  return {parameters.weights().to_vector<float>(), optimiser.collect(), optimiser.gradient_norm()};
}

TEST(GradientSum, RanksHaveTheBitsOfOneThatAccumulates) {
  for (const std::int64_t micro_batches : {4, 7}) {
    const Trained alone = train(micro_batches, nullptr);
    for (const int size : {1, 2, 3, 4}) {
      run_ranks(size, [&](Communicator& ranks) {
        const Trained together = train(micro_batches, &ranks);
        EXPECT_EQ(together.weights, alone.weights) << size << " ranks";
        EXPECT_EQ(together.norm, alone.norm);
        ASSERT_EQ(together.state.size(), ranks.rank() == 0 ? 3U : 0U);
        for (std::size_t i = 0; i < together.state.size(); ++i) {
          EXPECT_EQ(together.state[i].name, alone.state[i].name);
          EXPECT_EQ(together.state[i].values, alone.state[i].values);
        }
      });
    }
  }
}

// Several buckets for two and three ranks.
class Large : public Module {
 public:
  Large() { add("large", large_); }
  Linear large_{3000, 1500};
};

// The sum of an update, and of the next; `pace` says how far a backward pass is at each of its
// steps.
std::vector<std::vector<float>> summed(std::int64_t micro_batches, Communicator* ranks,
                                       Precision exchange, std::int64_t pace) {
  const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
  Large model;
  Parameters parameters(model, *backend, Gradients::yes);
  GradientSum sum(parameters, *backend, micro_batches, ranks, exchange);
  EXPECT_EQ(sum.overlaps(), ranks != nullptr && ranks->size() > 1);
  const Shards shards(parameters.count(), ranks != nullptr ? ranks->rank() : 0,
                      ranks != nullptr ? ranks->size() : 1);
  std::vector<std::vector<float>> sums;
  for (std::int64_t update = 1; update <= 2; ++update) {
    for (std::int64_t round = 0; round < sum.rounds(); ++round) {
      if (sum.has_micro_batch(round)) {
        const std::vector<float> gradient =
            gradient_of(parameters.count(), update, sum.micro_batch(round));
        parameters.zero_gradients();
        for (std::int64_t end = parameters.count(); pace > 0 && end > 0; end -= pace) {
          const std::int64_t begin = std::max<std::int64_t>(end - pace, 0);
          const std::vector<float> part(gradient.begin() + begin, gradient.begin() + end);
          parameters.gradients().columns(begin, end - begin).upload(part);
          sum.advance(begin);
        }
        if (pace == 0) {
          parameters.gradients().upload(gradient);
        }
      }
      sum.add(round);
    }
    std::vector<float> own = sum.total().to_vector<float>();
    sums.push_back(ranks != nullptr ? collect_slices(*ranks, shards, own) : own);
  }
  return sums;
}

TEST(GradientSum, HasTheSameBitsHoweverFarRanksAreWhenTheyExchange) {
  for (const Precision exchange : {Precision::f32, Precision::bf16}) {
    for (const std::int64_t micro_batches : {3, 4}) {
      const auto alone = summed(micro_batches, nullptr, exchange, 0);
      for (const int size : {2, 3}) {
        run_ranks(size, [&](Communicator& ranks) {
          constexpr std::array<std::int64_t, 3> kPaces{300'000, 0, 1'700'000};
          const auto together = summed(micro_batches, &ranks, exchange,
                                       kPaces[static_cast<std::size_t>(ranks.rank())]);
          if (ranks.rank() == 0) {
            EXPECT_TRUE(together == alone) << size << " ranks, " << micro_batches;
          }
        });
      }
    }
  }
}

TEST(GradientSum, OfRoundedGradientsIsAddedInF32) {
  for (const std::int64_t micro_batches : {1, 3}) {
    const std::vector<float> sum = summed(micro_batches, nullptr, Precision::bf16, 0).front();
    std::vector<float> expected(sum.size());
    for (std::int64_t micro_batch = 0; micro_batch < micro_batches; ++micro_batch) {
      const std::vector<float> gradient =
          gradient_of(static_cast<std::int64_t>(sum.size()), 1, micro_batch);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        expected[i] += from_bf16(to_bf16(gradient[i]));
      }
    }
    EXPECT_TRUE(sum == expected) << micro_batches << " micro-batches";
  }
}

// Ranks whose GPUs reach each other, here by the post of threads.
class PostedExchange : public DeviceExchange {
 public:
  explicit PostedExchange(Communicator& ranks) : ranks_(ranks) {}
  void exchange(std::span<const Message> sends, std::span<const Message> receives,
                void* /*stream*/) override {
    messages += sends.size();
    ranks_.exchange(sends, receives);
  }
  std::size_t messages = 0;

 private:
  Communicator& ranks_;
};

TEST(GradientSum, GoesFromDeviceToDeviceWithTheSameBitsAndOneRankToItself) {
  const Trained alone = train(4, nullptr);
  for (const int size : {1, 3}) {
    run_ranks(size, [&](Communicator& ranks) {
      auto devices = std::make_unique<PostedExchange>(ranks);
      const PostedExchange& seen = *devices;
      ranks.use(std::move(devices));
      const Trained together = train(4, &ranks);
      EXPECT_EQ(together.weights, alone.weights) << size << " ranks";
      EXPECT_EQ(together.norm, alone.norm);
      EXPECT_GT(seen.messages, 0U);
    });
  }
}

TEST(GradientSum, OfOneMicroBatchInOneProcessIsTheGradientItself) {
  const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
  Wide model;
  Parameters parameters(model, *backend, Gradients::yes);
  GradientSum sum(parameters, *backend, 1);
  sum.add(0);
  EXPECT_EQ(sum.total().raw(), parameters.gradients().raw());
}

TEST(GradientSum, WeightsInUseAreTheAverageAtEveryRank) {
  for (const int size : {1, 3}) {
    run_ranks(size, [&](Communicator& ranks) {
      const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
      Wide model;
      Parameters parameters(model, *backend, Gradients::yes);
      parameters.initialise(3);
      TrainConfig config;
      config.ema = 0.5;
      Optimiser optimiser(parameters, *backend, config, &ranks);
      optimiser.start_average();
      GradientSum sum(parameters, *backend, size, &ranks);
      parameters.gradients().upload(gradient_of(parameters.count(), 1, 0));
      sum.add(0);
      optimiser.step(1, 1e-2, sum.total());
      const std::vector<float> before = parameters.weights().to_vector<float>();
      {
        const WeightsInUse average(parameters, optimiser);
        const std::vector<float> used = parameters.weights().to_vector<float>();
        EXPECT_NE(used, before);
        std::vector<float> first = used;
        if (ranks.rank() > 0) {
          const Message from{0, first.data(), static_cast<std::int64_t>(first.size() * 4)};
          ranks.exchange({}, std::span(&from, 1));
          EXPECT_EQ(used, first);
        }
        for (int rank = 1; ranks.rank() == 0 && rank < size; ++rank) {
          const Message to{rank, first.data(), static_cast<std::int64_t>(first.size() * 4)};
          ranks.exchange(std::span(&to, 1), {});
        }
      }
      EXPECT_EQ(parameters.weights().to_vector<float>(), before);
    });
  }
}

}  // namespace
}  // namespace yona
