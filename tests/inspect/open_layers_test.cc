#include "yona/inspect/open_layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/decode/stepper.h"

#include "tests/harness/temp_dir.h"
#include "tests/inspect/random_model.h"

namespace yona::testing {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

// A model's weights, and a sentence on its way through them.
struct OpenModel {
  explicit OpenModel(const TransformerConfig& config = small_config()) {
    const TempDir folder;
    write_random_model(folder.path(), config);
    model = TranslationModel::load(folder.path(), shared_backend("cpu"));
  }
  const TransformerConfig& config() const { return model->transformer().config(); }
  const Parameters& parameters() const { return model->parameters(); }

  std::unique_ptr<TranslationModel> model;
  Region region{shared_backend("cpu")};
  Context c{.region = region};
  std::vector<std::int32_t> ids{300, 301, 302, 0};
  Tokens tokens = tokens_of(std::span(&ids, 1), region);
};

void expect_equal(const Tensor& a, const Tensor& b) {
  EXPECT_THAT(a.to_vector<float>(), Pointwise(FloatNear(1e-5F), b.to_vector<float>()));
}

TEST(OpenLayers, BindsAModuleToTheModelsOwnWeights) {
  OpenModel open;
  Linear linear(16, 16);
  bind_weights(linear, open.parameters(), "encoder.layers.1.self_attention.output.", open.region);
  const Ragged x =
      open_input(Stack::encoder, open.config(), open.parameters(), open.tokens, open.c).sum;
  EXPECT_EQ(linear(x, open.c).values.cols(), 16);
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { bind_weights(linear, open.parameters(), "encoder.layers.9.", open.region); }),
            "explain: the model has no weight encoder.layers.9.weight");
}

TEST(OpenLayers, AttentionAndFeedForwardEqualTheLayersOwn) {
  std::vector<TransformerConfig> variants(4, small_config());
  variants[1].departures.gated = true;
  variants[1].activation = FeedForwardActivation::silu;
  variants[2].departures.biases = false;
  variants[3].activation = FeedForwardActivation::gelu_tanh;
  for (TransformerConfig& config : variants) {
    config.source_vocabulary = config.target_vocabulary = 400;
    Transformer transformer(config);
    Parameters parameters(transformer, shared_backend("cpu"), Gradients::no);
    parameters.initialise(5);
    Region region(shared_backend("cpu"));
    Context c{.region = region};
    const std::vector<std::int32_t> ids{300, 301, 302, 0};
    const Tokens tokens = tokens_of(std::span(&ids, 1), region);
    const Ragged x = open_input(Stack::encoder, config, parameters, tokens, c).sum;

    const BlockOptions block = config.block();
    MultiHeadAttention attention(config.d_model, block.heads, block.attention,
                                 block.attention_biases);
    bind_weights(attention, parameters, "encoder.layers.0.self_attention.", region);
    expect_equal(
        open_attention("encoder.layers.0.self_attention.", block, parameters, x, x, Mask::causal, c)
            .output.values,
        attention(x, Mask::causal, c).formed(c).values);
    FeedForward feed_forward(config.d_model, block.feed_forward, 0.0);
    bind_weights(feed_forward, parameters, "encoder.layers.0.feed_forward.", region);
    const OpenFeedForward open =
        open_feed_forward("encoder.layers.0.feed_forward.", block.feed_forward, parameters, x, c);
    expect_equal(open.output.values, feed_forward(x, c).formed(c).values);
    EXPECT_EQ(open.inner.cols(), config.d_ff);
  }
}

TEST(OpenLayers, ReadsEmbeddingsWithAndWithoutTheirPositions) {
  OpenModel open;
  const OpenInput input =
      open_input(Stack::decoder, open.config(), open.parameters(), open.tokens, open.c);
  const std::vector<float> plain = input.embeddings.values.to_vector<float>();
  const std::vector<float> sum = input.sum.values.to_vector<float>();
  const std::vector<double> table = sinusoids(4, 16, 10000.0);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    EXPECT_NEAR(sum[i], plain[i] + table[i], 1e-5);
  }
}

}  // namespace
}  // namespace yona::testing
