// Folders that transformers wrote (tools/fixtures/causal_lm.py): the logits are equal, and so are
// those of the folder that yona writes from them.

#include "yona/io/causal_lm/lm_weights.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/io/json_file.h"
#include "yona/io/safetensors.h"
#include "yona/tensor/attention_cache.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(YONA_FIXTURES) / "causal_lm";

struct Loaded {
  explicit Loaded(const fs::path& folder, const char* backend = "cpu")
      : description(read_lm_description(folder)),
        model(description.config),
        parameters(model, shared_backend(backend), Gradients::no),
        region(shared_backend(backend), std::int64_t{1} << 26U) {
    read_lm_weights(folder, description, parameters);
  }

  std::vector<double> logits(const std::vector<std::vector<std::int32_t>>& texts) {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets{0};
    for (const auto& text : texts) {
      ids.insert(ids.end(), text.begin(), text.end());
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
    Context c{.region = region};
    const Ragged states =
        model.decode({ids_of(ids, region), make_layout(offsets, {}, region)}, {}, c);
    return values_of(model.logits(states.values, c));
  }

  std::vector<std::int32_t> greedy(std::vector<std::int32_t> ids, std::size_t length) {
    while (ids.size() < length) {
      const std::vector<double> all = logits({ids});
      const auto last = all.end() - model.outputs();
      ids.push_back(static_cast<std::int32_t>(std::max_element(last, all.end()) - last));
    }
    return ids;
  }

  LmDescription description;
  CausalLm model;
  Parameters parameters;
  Region region;
};

std::vector<double> flat(const Json& logits) {
  std::vector<double> values;
  for (const Json& text : logits) {
    for (const Json& row : text) {
      for (const Json& value : row) {
        values.push_back(value.get<double>());
      }
    }
  }
  return values;
}

using Texts = std::vector<std::vector<std::int32_t>>;

void expect_equal(const fs::path& folder) {
  const Json expected = read_json(folder / "expected.json");
  Loaded loaded(folder);
  expect_near(loaded.logits(expected["ids"].get<Texts>()), flat(expected["logits"]), 2e-5,
              folder.string());
  for (const auto& tokens : expected["greedy"].get<Texts>()) {
    EXPECT_EQ(loaded.greedy({tokens.begin(), tokens.begin() + 6}, tokens.size()), tokens) << folder;
  }
}

TEST(LmWeights, GiveTheLogitsAndTokensOfTransformers) {
  for (const char* kind : {"gpt2", "llama3", "mistral", "qwen2", "qwen3"}) {
    expect_equal(kFixtures / kind);
  }
}

// More of them: tools/fixtures/causal_lm.py FOLDER --seeds 5 --all
TEST(LmWeights, GiveTheLogitsOfTheFoldersThatAreNamed) {
  const char* more = std::getenv("YONA_LM_FOLDERS");
  if (more == nullptr) {
    GTEST_SKIP() << "YONA_LM_FOLDERS is not set";
  }
  int count = 0;
  for (const auto& entry : fs::directory_iterator(more)) {
    expect_equal(entry.path());
    ++count;
  }
  EXPECT_GT(count, 0);
}

TEST(LmWeights, AreWrittenSoThatTheyReadBackEqual) {
  for (const char* kind : {"gpt2", "llama3", "mistral", "qwen2", "qwen3"}) {
    const TempDir folder;
    Loaded first(kFixtures / kind);
    write_language_model(folder.path(), first.description,
                         lm_config(first.description.config, {.begin = 1, .end = 2}),
                         first.parameters, first.parameters.weights());
    Loaded second(folder.path());
    EXPECT_EQ(second.description.config, first.description.config) << kind;
    EXPECT_EQ(second.description.family, first.description.family) << kind;
    EXPECT_EQ(second.logits({{3, 1, 4, 1, 5, 9}}), first.logits({{3, 1, 4, 1, 5, 9}})) << kind;
    // The same tensors under the same names.
    const SafetensorsFile ours(folder / "model.safetensors");
    const SafetensorsFile theirs(kFixtures / kind / "model.safetensors");
    const auto our_names = ours.names();
    const auto their_names = theirs.names();
    EXPECT_EQ(std::set<std::string>(our_names.begin(), our_names.end()),
              std::set<std::string>(their_names.begin(), their_names.end()))
        << kind;
  }
}

TEST(LmWeights, NameWhatIsMissingOrOfAnotherShape) {
  const TempDir folder;
  fs::copy(kFixtures / "gpt2", folder.path(), fs::copy_options::recursive);
  Json config = read_json(folder / "config.json");
  config["n_layer"] = 3;
  write_json(folder / "config.json", config);
  EXPECT_THAT(
      message_of<FormatError>([&] { Loaded loaded(folder.path()); }),
      ::testing::HasSubstr("the weights have no tensor 'transformer.h.2.attn.c_attn.weight"));
  config["n_layer"] = 2;
  config["vocab_size"] = 41;
  write_json(folder / "config.json", config);
  EXPECT_THAT(
      message_of<FormatError>([&] { Loaded loaded(folder.path()); }),
      ::testing::HasSubstr(
          "tensor 'transformer.wte.weight' has shape [40, 16], config.json wants [41, 16]"));
}

}  // namespace
}  // namespace yona::testing
