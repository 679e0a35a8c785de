// Beam search after prompts against that of transformers (tests/fixtures/causal_lm/beams.json, made
// by tools/fixtures/lm_beams.py).

#include "yona/generate/beam_search.h"

#include <atomic>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/io/causal_lm/lm_weights.h"
#include "yona/io/json_file.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

const std::filesystem::path kModels = std::filesystem::path(YONA_FIXTURES) / "causal_lm";

struct FixtureLm {
  FixtureLm(const std::filesystem::path& folder, const char* backend)
      : description(read_lm_description(folder)),
        model(description.config),
        parameters(model, shared_backend(backend), Gradients::no) {
    read_lm_weights(folder, description, parameters);
  }
  LmDescription description;
  CausalLm model;
  Parameters parameters;
};

TEST(BeamSearch, FindsWhatTransformersFinds) {
  std::size_t answers = 0;
  for (const Json& each : read_json(kModels / "beams.json")) {
    SCOPED_TRACE(each.dump());
    const FixtureLm lm(kModels / each["folder"].get<std::string>(), "cpu");
    BeamSearch search(lm.model, shared_backend("cpu"), Precision::f32);
    const Json& expected = each["answers"];
    const std::vector<Hypothesis> found =
        search.run({.prompt = each["prompt"].get<std::vector<std::int32_t>>(),
                    .max_new = 12,
                    .beam = each["beam"].get<std::int64_t>(),
                    .n_best = static_cast<std::int64_t>(expected.size()),
                    .length_penalty = each["length_penalty"].get<double>(),
                    .end_ids = each["ends"].get<std::vector<std::int32_t>>()});
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i, ++answers) {
      EXPECT_EQ(found[i].ids, expected[i]["ids"].get<std::vector<std::int32_t>>());
      EXPECT_NEAR(found[i].score, expected[i]["score"].get<double>(), 2e-4);
    }
  }
  EXPECT_GT(answers, 60U);
}

TEST(BeamSearch, FindsTheSameAgainAndOnTheReference) {
  ToyLm toy(toy_llama(), "cpu");
  ToyLm plain(toy_llama(), "reference");
  BeamSearch search(toy.model, shared_backend("cpu"), Precision::f32);
  BeamSearch other(plain.model, shared_backend("reference"), Precision::f32);
  const BeamRequest request{.prompt = {1, 2, 3}, .max_new = 6, .beam = 3, .end_ids = {12}};
  const Ids first = search.run(request).front().ids;
  search.run({.prompt = {4}, .max_new = 8, .beam = 2});
  EXPECT_EQ(search.run(request).front().ids, first);
  EXPECT_EQ(other.run(request).front().ids, first);
}

TEST(BeamSearch, WithoutATokenThatEndsTextsGoesToTheLength) {
  ToyLm toy(toy_gpt2(), "cpu");
  BeamSearch search(toy.model, shared_backend("cpu"), Precision::f32);
  for (const Hypothesis& found :
       search.run({.prompt = {1, 2}, .max_new = 5, .beam = 4, .n_best = 4})) {
    EXPECT_EQ(found.ids.size(), 5U);
  }
}

TEST(BeamSearch, StopsWhenAskedAndRefusesWhatCannotBe) {
  ToyLm toy(toy_gpt2(), "cpu");
  BeamSearch search(toy.model, shared_backend("cpu"), Precision::f32);
  const std::atomic<bool> stop{true};
  EXPECT_THROW(search.run({.prompt = {1}, .max_new = 5, .interrupt = &stop}), Interrupted);
  EXPECT_THROW(search.run({.prompt = {1}, .max_new = 5, .beam = 2, .n_best = 3}), InvalidArgument);
}

}  // namespace
}  // namespace yona::testing
