// The memory of a training step: planned exactly, constant from step to step, taken from the region
// alone. Calls of operator new are counted: it is replaced in this program.

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "yona/tasks/seq2seq/seq2seq_objective.h"
#include "yona/train/learner.h"

#include "tests/harness/toy_model.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> allocations{0};

void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  if (counting) {
    ++allocations;
  }
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment)) {
    return memory;
  }
  throw std::bad_alloc();
}

// Not inlined: GCC would see free() beside new and warn that they do not match.
[[gnu::noinline]] void release(void* memory) { std::free(memory); }

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t& /*no*/) noexcept {
  return allocate(bytes);  // of std::stable_sort; what is too much for it ends the test
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t /*a*/) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t /*a*/) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*b*/, std::align_val_t /*a*/) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t /*b*/, std::align_val_t /*a*/) noexcept {
  release(memory);
}

namespace yona::testing {
namespace {

TransformerConfig tiny_config() {
  TransformerConfig config = toy_config();
  config.d_model = 32;
  config.d_ff = 64;
  config.dropout = 0.3;
  config.attention_dropout = 0.1;
  config.activation_dropout = 0.1;
  return config;
}

Batch batch_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& lengths) {
  Batch batch;
  batch.clear();
  for (const auto& [source, target] : lengths) {
    for (std::int64_t i = 0; i < source; ++i) {
      batch.sides[kSource].ids.push_back(static_cast<std::int32_t>(i % 10));
    }
    for (std::int64_t i = 0; i < target; ++i) {
      batch.sides[kTarget].ids.push_back(static_cast<std::int32_t>(i % 9));
    }
    batch.sides[kSource].end_example();
    batch.sides[kTarget].end_example();
    batch.example_ids.push_back(batch.example_ids.size());
    batch.weights.push_back(1.0F);
  }
  return batch;
}

const Batch kBatch = batch_of({{7, 5}, {1, 1}, {16, 16}, {3, 12}});

struct Step {
  Step(const TransformerConfig& config, const std::string& backend, const Seq2SeqLoss& loss = {})
      : objective(config, loss),
        parameters(objective.model(), shared_backend(backend), Gradients::yes),
        learner(objective, parameters, shared_backend(backend)) {
    parameters.initialise(1);
    parameters.zero_gradients();
  }
  std::int64_t peak(const Batch& batch) {
    learner.accumulate(batch, {}, objective.weight(batch));
    return learner.peak_bytes();
  }

  Seq2SeqObjective objective;
  Parameters parameters;
  Learner learner;
};

std::vector<TransformerConfig> variants() {
  std::vector<TransformerConfig> configs(3, tiny_config());
  configs[1].norm = NormPosition::pre;
  configs[1].activation = FeedForwardActivation::gelu;
  configs[1].positions = PositionKind::learned;
  configs[2].attention = AttentionKind::additive;
  configs[2].tying = Tying::none;
  configs[2].d_k = 5;
  return configs;
}

TEST(StepMemory, IsPredictedExactlyByTheMetaBackend) {
  for (const TransformerConfig& config : variants()) {
    for (const double rdrop : {0.0, 1.0}) {
      const Seq2SeqLoss loss{.label_smoothing = 0.1, .rdrop = rdrop};
      Step planned(config, "meta", loss);
      Step real(config, "cpu", loss);
      EXPECT_EQ(planned.peak(kBatch), real.peak(kBatch));
    }
  }
}

TEST(StepMemory, DoesNotGrowFromStepToStep) {
  for (const TransformerConfig& config : variants()) {
    Step step(config, "cpu");
    const std::int64_t first = step.peak(kBatch);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(step.peak(kBatch), first);
    }
    step.peak(batch_of({{3, 3}}));  // a smaller batch between
    EXPECT_EQ(step.peak(kBatch), first);
  }
}

TEST(StepMemory, IsLinearInTheSentenceLength) {
  TransformerConfig config = tiny_config();
  config.max_positions = 2048;
  const auto at = [&](std::int64_t length) {
    Step fresh(config, "meta");
    return static_cast<double>(fresh.peak(batch_of({{length, length}})));
  };
  const double slope = (at(1024) - at(512)) / 512;
  EXPECT_NEAR((at(2048) - at(1024)) / 1024, slope, 0.05 * slope);
}

// Layouts and ids are made before, as the data loader's thread does. On the meta backend no kernel
// runs, so what is counted is the engine: modules, ops, tape and region. (Of the CPU's kernels
// oneDNN alone calls malloc, a few times for each product.)
TEST(StepMemory, NeedsNoAllocationInTheSteadyState) {
  for (const TransformerConfig& config : variants()) {
    Backend& backend = shared_backend("meta");
    Transformer model(config);
    const Parameters parameters(model, backend, Gradients::yes);
    Region region(backend);
    const auto tokens = [&](const Side& side) {
      return Tokens{ids_of(side.ids, region),
                    make_layout(side.offsets, kBatch.example_ids, region)};
    };
    const Tokens source = tokens(kBatch.sides[kSource]);
    const Tokens target = tokens(kBatch.sides[kTarget]);
    const CrossEntropyOptions options{
        .smoothing = 0.1F, .row_scale = Tensor(region, DType::f32, {kBatch.sides[kTarget].rows()})};
    Tape tape;
    const auto step = [&] {
      Context c{.region = region, .tape = &tape, .training = true};
      const Ragged states = model.decode(target, model.encode(source, c), c);
      linear_cross_entropy(states.values, model.projection(), target.ids, options, c);
      tape.backward();
    };
    step();
    allocations = 0;
    counting = true;
    step();
    counting = false;
    EXPECT_EQ(allocations, 0);
  }
}

}  // namespace
}  // namespace yona::testing
