// A pass with the cache must give what the whole text gives: for every variant of the model, with
// prompts in one pass or in parts, and sequences that join and leave.

#include "yona/tensor/sequence_cache.h"

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"
#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

using Text = std::vector<std::int32_t>;

// A text under way.
struct Row {
  Text text;
  std::int64_t first;
  std::int64_t cached = 0;
};

// What is computed of a text in a pass.
struct Fresh {
  Row* row;
  std::int64_t tokens;
};

void expect_pass_agrees(ToyLm& toy, SequenceCache& cache, const std::vector<Fresh>& parts) {
  std::vector<SequencePart> sequences;
  Text ids;
  for (const Fresh& part : parts) {
    Row& row = *part.row;
    sequences.push_back({.first = row.first, .cached = row.cached, .fresh = part.tokens});
    ids.insert(ids.end(), row.text.begin() + row.cached,
               row.text.begin() + row.cached + part.tokens);
  }
  Context c{.region = toy.region, .cache = &cache};
  cache.begin_step(sequences);
  const Tensor states = toy.model.decode({ids_of(ids, toy.region), cache.layout()}, {}, c).values;
  std::int64_t begin = 0;
  for (const Fresh& part : parts) {
    Row& row = *part.row;
    const std::int64_t end = row.cached + part.tokens;
    Context plain{.region = toy.region};
    const Ragged whole =
        toy.model.decode(toy.tokens({Text(row.text.begin(), row.text.begin() + end)}), {}, plain);
    expect_near(values_of(states.row_range(begin, part.tokens)),
                values_of(whole.values.row_range(row.cached, part.tokens)), kBackendF32, "states");
    begin += part.tokens;
    row.cached = end;
  }
}

// Prompts whole and in parts, single tokens beside prompts, a sequence that leaves and one that
// takes its place.
void expect_generation_agrees(const CausalLmConfig& config, std::string_view backend) {
  SCOPED_TRACE(backend);
  ToyLm toy(config, backend);
  SequenceCache cache(toy.region, 24);
  Row a{{1, 2, 3, 4, 5, 6, 7, 8}, cache.allocate(8).value()};
  Row b{{9, 3, 3, 1, 12, 2}, cache.allocate(6).value()};
  Row d{{4, 4, 2, 0, 1}, cache.allocate(5).value()};
  expect_pass_agrees(toy, cache, {{&a, 5}});
  expect_pass_agrees(toy, cache, {{&a, 1}, {&b, 3}, {&d, 2}});
  expect_pass_agrees(toy, cache, {{&a, 1}, {&d, 1}, {&b, 2}});
  expect_pass_agrees(toy, cache, {{&d, 1}, {&b, 1}, {&a, 1}});
  cache.release(a.first);
  Row e{{7, 7, 1, 5, 5, 5, 2, 0}, cache.allocate(8).value()};
  EXPECT_EQ(e.first, a.first);
  expect_pass_agrees(toy, cache, {{&e, 1}});
  expect_pass_agrees(toy, cache, {{&d, 1}, {&e, 7}});
}

TEST(SequenceCache, GivesWhatTheWholeTextGives) {
  CausalLmConfig qwen = toy_llama();
  qwen.qk_norm = true;
  CausalLmConfig mistral = toy_llama();
  mistral.attention_sizes.window = 3;
  CausalLmConfig reformer = toy_gpt2();
  reformer.attention = AttentionKind::reformer;
  reformer.attention_sizes.hashes = 2;
  reformer.attention_sizes.buckets = 4;
  reformer.attention_sizes.chunk = 2;
  for (const std::string_view backend : {"reference", "cpu"}) {
    expect_generation_agrees(reformer, backend);
    expect_generation_agrees(toy_gpt2(), backend);
    expect_generation_agrees(toy_llama(), backend);
    expect_generation_agrees(qwen, backend);
    expect_generation_agrees(mistral, backend);
  }
}

TEST(SequenceCache, CopiesASequenceForAnotherToGoOnFrom) {
  ToyLm toy(toy_llama(), "cpu");
  SequenceCache cache(toy.region, 24);
  Row a{{1, 2, 3, 4, 5, 6}, cache.allocate(8).value()};
  Row b{{1, 2, 3, 4, 9, 9}, cache.allocate(8).value()};
  expect_pass_agrees(toy, cache, {{&a, 5}});
  Context c{.region = toy.region};
  cache.copy(a.first, b.first, 4, c);
  b.cached = 4;
  expect_pass_agrees(toy, cache, {{&a, 1}, {&b, 2}});
}

TEST(SequenceCache, GivesTheFirstFreeSegmentThatFits) {
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  SequenceCache cache(region, 10);
  EXPECT_EQ(cache.allocate(4), 0);
  EXPECT_EQ(cache.allocate(3), 4);
  EXPECT_EQ(cache.allocate(4), std::nullopt);
  EXPECT_EQ(cache.allocate(3), 7);
  EXPECT_EQ(cache.free_rows(), 0);
  cache.release(4);
  EXPECT_EQ(cache.free_rows(), 3);
  EXPECT_EQ(cache.allocate(2), 4);
  EXPECT_EQ(cache.allocate(2), std::nullopt);
  EXPECT_EQ(cache.allocate(1), 6);
}

TEST(SequenceCache, RefusesWhatDoesNotFit) {
  ToyLm toy(toy_gpt2());
  SequenceCache cache(toy.region, 10);
  const std::int64_t first = cache.allocate(4).value();
  const std::vector<SequencePart> long_part{{.first = first, .cached = 2, .fresh = 3}};
  EXPECT_EQ(message_of<InvalidArgument>([&] { cache.begin_step(long_part); }),
            "sequence cache: 3 tokens after 2 do not fit the segment at row 0");
  EXPECT_EQ(message_of<InvalidArgument>([&] { cache.release(3); }),
            "sequence cache: no segment begins at row 3");
  EXPECT_EQ(message_of<InvalidArgument>([&] { cache.allocate(0); }),
            "sequence cache: a segment of 0 rows");
  const std::vector<SequencePart> part{{.first = first, .cached = 0, .fresh = 2}};
  cache.begin_step(part);
  Context c{.region = toy.region, .cache = &cache};
  const Tensor keys = tensor_of({1, 2, 3}, {3, 1}, DType::f32, toy.region);
  EXPECT_EQ(message_of<InvalidArgument>([&] { cache.append(keys, c); }),
            "sequence cache: keys [3, 1] of a step with 2 tokens");
  EXPECT_EQ(message_of<InvalidArgument>([&] { cache.memory({}, {}, c); }),
            "sequence cache: cross-attention has no place in a decoder alone");
}

}  // namespace
}  // namespace yona::testing
