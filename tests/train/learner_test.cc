// The promise that a step of a shape seen before allocates nothing, kept by counting every call of
// operator new. Calls from inside oneDNN are its own affair and left out.

#include "yona/train/learner.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <new>
#include <string_view>

#include <gtest/gtest.h>

#include "yona/tasks/seq2seq/seq2seq_objective.h"
#include "yona/train/optimiser.h"

#include "tests/harness/thread_ranks.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

bool is_called_by_onednn() {
  void* frames[64];
  const int count = ::backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    if (::dladdr(frames[i], &info) != 0 && info.dli_fname != nullptr &&
        std::string_view(info.dli_fname).find("libdnnl") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (counting.load(std::memory_order_relaxed) && !is_called_by_onednn()) {
    ++allocations;
  }
  const std::size_t rounded = (size + alignment) / alignment * alignment;  // at least one byte
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

// Out of sight: where the compiler sees free() it takes new and delete for a mismatch.
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return std::malloc(size > 0 ? size : 1);  // of std::stable_sort, which does with less
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}

namespace yona {
namespace {

Batch batch_of(const std::vector<std::int64_t>& lengths) {
  Batch batch;
  batch.clear();
  for (const std::int64_t length : lengths) {
    for (std::int64_t t = 0; t < length; ++t) {
      batch.sides[kSource].ids.push_back(static_cast<std::int32_t>(2 + t % 90));
      batch.sides[kTarget].ids.push_back(static_cast<std::int32_t>(2 + (3 * t + length) % 90));
    }
    batch.sides[kSource].end_example();
    batch.sides[kTarget].end_example();
    batch.example_ids.push_back(batch.example_ids.size());
    batch.weights.push_back(1.0F);
  }
  return batch;
}

struct StepCase {
  const char* name;
  Precision precision = Precision::f32;
  double rdrop = 0.0;
  double ema = 0.0;
};

class StepAllocations : public ::testing::TestWithParam<StepCase> {};

// One thread: which thread first meets a shape, and prepares for it, is otherwise chance.
TEST_P(StepAllocations, AreNoneOnceAShapeHasBeenSeen) {
  const auto backend = make_backend("cpu", {.threads = 1});
  TransformerConfig config = preset("tiny");
  config.source_vocabulary = config.target_vocabulary = 100;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 64;
  config.d_ff = 96;
  config.attention_dropout = 0.1;
  Seq2SeqObjective objective(config, {.rdrop = GetParam().rdrop});
  Parameters parameters(objective.model(), *backend, Gradients::yes);
  parameters.initialise(1);
  TrainConfig train;
  train.ema = GetParam().ema;
  train.clip_norm = 1.0;
  Optimiser optimiser(parameters, *backend, train);
  Learner learner(objective, parameters, *backend, GetParam().precision);
  const std::vector<Batch> batches{batch_of({5, 17, 40, 1}), batch_of({33, 9})};
  double norm = 0;
  const auto step = [&](std::uint64_t update) {
    parameters.zero_gradients();
    double weight = 0;
    for (const Batch& batch : batches) {
      weight += objective.weight(batch);
    }
    for (const Batch& batch : batches) {
      learner.accumulate(batch, {.update = update}, weight);
    }
    optimiser.step(static_cast<std::int64_t>(update), 1e-3);
    norm = optimiser.gradient_norm();
  };
  step(1);
  step(2);
  for (std::uint64_t update = 3; update < 6; ++update) {
    allocations = 0;
    counting = true;
    step(update);
    counting = false;
    EXPECT_EQ(allocations.load(), 0) << "at step " << update;
  }
  EXPECT_GT(norm, 0);
}

INSTANTIATE_TEST_SUITE_P(Learner, StepAllocations,
                         ::testing::Values(StepCase{"f32"}, StepCase{"bf16", Precision::bf16},
                                           StepCase{"rdrop", Precision::f32, 1.0},
                                           StepCase{"ema", Precision::f32, 0.0, 0.9}),
                         [](const auto& each) { return each.param.name; });

TEST(Learner, RanksShareValidationWithTheBitsOfOne) {
  const std::vector<Batch> batches{batch_of({5, 17}), batch_of({33}), batch_of({2, 9, 4}),
                                   batch_of({21}), batch_of({1, 1})};
  const auto evaluated = [&](Communicator* ranks) {
    const auto backend = make_backend("cpu", {.threads = 1});
    TransformerConfig config = preset("tiny");
    config.source_vocabulary = config.target_vocabulary = 100;
    config.encoder_layers = config.decoder_layers = 1;
    Seq2SeqObjective objective(config, {});
    Parameters parameters(objective.model(), *backend, Gradients::yes);
    parameters.initialise(1);
    Learner learner(objective, parameters, *backend);
    const Team team(ranks);
    learner.share(team);
    return learner.evaluate(std::span<const Batch>(batches));
  };
  const LossSums alone = evaluated(nullptr);
  EXPECT_EQ(alone.rows, 93);
  EXPECT_GT(alone.nll, 0);
  for (const int size : {2, 3, 7}) {  // of seven, two have nothing to do
    run_ranks(size, [&](Communicator& ranks) {
      const LossSums shared = evaluated(&ranks);
      EXPECT_EQ(shared.nll, alone.nll);
      EXPECT_EQ(shared.loss, alone.loss);
      EXPECT_EQ(shared.rows, alone.rows);
    });
  }
}

struct FinalCase {
  const char* name;
  Arch arch = Arch::transformer;
  bool recompute = false;
  double rdrop = 0.0;
  Precision precision = Precision::f32;
  bool reversible = false;
};

class FinalGradients : public ::testing::TestWithParam<FinalCase> {};

// What ranks exchange while the backward pass goes on must be what the gradient is at its end.
TEST_P(FinalGradients, DoNotChangeOnceTheyAreSaidToBeFinal) {
  const auto backend = make_backend("cpu", {.threads = 1});
  Seq2SeqConfig config = preset("tiny");
  config.arch = GetParam().arch;
  config.source_vocabulary = config.target_vocabulary = 100;
  config.encoder_layers = config.decoder_layers = 3;
  config.reversible = GetParam().reversible;
  config.norm = config.reversible ? NormPosition::pre : config.norm;
  Seq2SeqObjective objective(config, {.rdrop = GetParam().rdrop});
  objective.model().set_recompute(GetParam().recompute);
  Parameters parameters(objective.model(), *backend, Gradients::yes);
  parameters.initialise(1);
  Learner learner(objective, parameters, *backend, GetParam().precision);
  const Batch batch = batch_of({5, 17, 4, 1});
  for (std::uint64_t update = 1; update < 3; ++update) {
    std::int64_t seen = parameters.count();
    std::int64_t times = 0;
    std::vector<float> expected(static_cast<std::size_t>(seen));
    learner.when_final([&](std::int64_t final_from) {
      if (final_from < seen) {
        const std::vector<float> now =
            parameters.gradients().columns(final_from, seen - final_from).to_vector<float>();
        std::copy(now.begin(), now.end(), expected.begin() + final_from);
        seen = final_from;
        ++times;
      }
    });
    parameters.zero_gradients();
    learner.accumulate(batch, {.update = update}, objective.weight(batch));
    EXPECT_EQ(seen, 0);
    EXPECT_GT(times, 3) << "little can be overlapped";
    EXPECT_EQ(parameters.gradients().to_vector<float>(), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Learner, FinalGradients,
    ::testing::Values(FinalCase{"transformer"}, FinalCase{"recompute", Arch::transformer, true},
                      FinalCase{"rdrop", Arch::transformer, false, 1.0},
                      FinalCase{"bf16", Arch::transformer, false, 0.0, Precision::bf16},
                      FinalCase{"reversible", Arch::transformer, false, 1.0, Precision::f32, true},
                      FinalCase{"rnn", Arch::rnn}, FinalCase{"convs2s", Arch::convs2s},
                      FinalCase{"bytenet", Arch::bytenet}),
    [](const auto& each) { return each.param.name; });

TEST(Learner, CountsWhatIsAllocated) {
  allocations = 0;
  counting = true;
  ::operator delete(::operator new(4));
  counting = false;
  EXPECT_EQ(allocations.load(), 1);
}

}  // namespace
}  // namespace yona
