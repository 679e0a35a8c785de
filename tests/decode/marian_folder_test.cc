// Folders that Marian left (tools/fixtures/marian_npz.py), translated as Marian does: the same
// texts in the same order, scores within what its approximate exp() allows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/decode/generation_config.h"
#include "yona/decode/translator.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;

class MarianFolder : public ::testing::TestWithParam<const char*> {
 protected:
  MarianFolder()
      : folder_(fs::path(YONA_FIXTURES) / "marian_npz" / GetParam()),
        backend_(make_backend("cpu")) {}

  fs::path folder_;
  std::unique_ptr<Backend> backend_;
};

TEST_P(MarianFolder, HasTheCrossEntropyThatMarianHas) {
  const Json expected = read_json(folder_ / "expected.json");
  const auto model = TranslationModel::load(folder_, *backend_);
  std::vector<SentencePair> pairs;
  for (std::size_t i = 0; i < expected["lines"].size(); ++i) {
    pairs.push_back({expected["lines"][i], expected["targets"][i]});
  }
  double sum = 0;
  for (const Hypothesis& each : Translator({model.get()}, *backend_).score(pairs)) {
    sum -= each.log_probability;
  }
  const auto theirs = expected["cross_entropy"].get<double>();
  EXPECT_NEAR(sum / static_cast<double>(pairs.size()), theirs, 1e-4 * theirs);
}

// Not prenorm, which Marian decodes otherwise than it trains: see the fixture's script.
class DecodedMarianFolder : public MarianFolder {};

TEST_P(DecodedMarianFolder, TranslatesAsMarianDoes) {
  const Json expected = read_json(folder_ / "expected.json");
  for (const Packing packing : {Packing::no, Packing::yes}) {
    const auto model = TranslationModel::load(folder_, *backend_, packing);
    for (const std::int64_t beam : {1, 4}) {
      DecodeOptions options = folder_options(folder_, model->info());
      EXPECT_EQ(options.mode, BeamMode::marian);
      EXPECT_EQ(options.beam, 4);
      EXPECT_EQ(options.length_penalty, 1.0);
      options.beam = options.n_best = beam;
      Translator translator({model.get()}, *backend_, options);
      std::vector<TranslationRequest> requests;
      for (const Json& line : expected["lines"]) {
        requests.push_back({.text = line.get<std::string>()});
      }
      const auto answers = translator.n_best(requests);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const Json& theirs = expected[fmt::format("beam {}", beam)][i];
        ASSERT_EQ(answers[i].size(), theirs.size()) << requests[i].text;
        for (std::size_t n = 0; n < theirs.size(); ++n) {
          EXPECT_EQ(answers[i][n].text, theirs[n]["text"].get<std::string>()) << requests[i].text;
          EXPECT_NEAR(answers[i][n].hypothesis.score, theirs[n]["score"].get<double>(), 1e-3)
              << requests[i].text;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MarianFolder, ::testing::Values("spm", "words", "prenorm"));
INSTANTIATE_TEST_SUITE_P(All, DecodedMarianFolder, ::testing::Values("spm", "words"));

TEST(MarianFolders, AreDecodedAsTheirYamlSays) {
  const TempDir folder;
  fs::copy(fs::path(YONA_FIXTURES) / "marian_npz" / "spm", folder / "model");
  const fs::path model = folder / "model";
  const ModelInfo info = read_model_info(model);
  write_bytes(model / "decoder.yml",
              "models: [model.npz]\nvocabs: [vocab.spm, vocab.spm]\nbeam-size: 7\nnormalize: "
              "0.6\nword-penalty: 0.5\n"
              "max-length-factor: 2\nallow-unk: true\n");
  const DecodeOptions options = folder_options(model, info);
  EXPECT_EQ(options.beam, 7);
  EXPECT_EQ(options.length_penalty, 0.6);
  EXPECT_EQ(options.word_penalty, 0.5);
  EXPECT_EQ(options.limit.factor, 2);
  EXPECT_FALSE(options.suppress_unknown);
  fs::remove(model / "decoder.yml");
  EXPECT_EQ(folder_options(model, info).beam, 12);
}

}  // namespace
}  // namespace yona::testing
