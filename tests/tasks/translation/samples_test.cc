#include "yona/tasks/translation/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/nn/parameters.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona::testing {
namespace {

using ::testing::Each;
using ::testing::SizeIs;

class SamplesTest : public ::testing::Test {
 protected:
  // Reads what was written; a model of random weights translates.
  SamplesReport run(const std::string& source, const std::string& target, std::int64_t count,
                    std::int64_t max_positions = 100) {
    const TempDir folder;
    write_bytes(folder / "valid.en", source);
    write_bytes(folder / "valid.de", target);
    CorpusSpec set;
    set.source_files = {folder / "valid.en"};
    set.target_files = {folder / "valid.de"};
    const Subword subword(sample_model(SubwordAlgorithm::bpe));
    TransformerConfig config;
    config.encoder_layers = config.decoder_layers = 2;
    config.d_model = 16;
    config.d_ff = 24;
    config.heads = 2;
    config.max_positions = max_positions;
    config.source_vocabulary = config.target_vocabulary = subword.vocabulary().size();
    Transformer model(config);
    Parameters parameters(model, shared_backend("cpu"), Gradients::no);
    parameters.initialise(3);
    return Samples(set, SubwordPair{subword, subword}, count, model, shared_backend("cpu")).run();
  }
};

TEST_F(SamplesTest, TranslatesTheFirstSentencesWithTheirAttention) {
  const SamplesReport report = run("the old farmer\nmy sister\nthe cat\n",
                                   "der alte Bauer\nmeine Schwester\ndie Katze\n", 2);
  ASSERT_THAT(report.samples, SizeIs(2));
  EXPECT_EQ(report.samples[0].input, "the old farmer");
  EXPECT_EQ(report.samples[1].expected, "meine Schwester");
  for (const OutputSample& sample : report.samples) {
    ASSERT_FALSE(sample.attention.empty());
    EXPECT_THAT(sample.attention, Each(SizeIs(sample.attention[0].size())));
    float sum = 0;
    for (const float weight : sample.attention[0]) {
      sum += weight;
    }
    EXPECT_NEAR(sum, 1.0F, 1e-4F);
  }
}

TEST_F(SamplesTest, LeavesOutWhatIsBlankTooLongOrNoText) {
  const SamplesReport report =
      run("\n\xff\xfe\nmy sister never opens the old door of the farmer\nthe cat\n",
          "a\nb\nc\ndie Katze\n", 4, 6);
  ASSERT_THAT(report.samples, SizeIs(1));
  EXPECT_EQ(report.samples[0].expected, "die Katze");
}

TEST_F(SamplesTest, AreNoneForAnEmptyFile) {
  EXPECT_THAT(run("", "", 4).samples, SizeIs(0));
  EXPECT_THAT(run("the cat\n", "die Katze\n", 0).samples, SizeIs(0));
}

}  // namespace
}  // namespace yona::testing
