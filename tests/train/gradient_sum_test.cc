// Sums over ranks and the sharded optimiser: the same bits as one process that accumulates.

#include "yona/train/gradient_sum.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "yona/backend/backend.h"
#include "yona/base/random.h"
#include "yona/nn/linear.h"
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
