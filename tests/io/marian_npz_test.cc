// tests/fixtures/marian_npz holds models that Marian trained (tools/fixtures/marian_npz.py); what
// it translates with them is compared in tests/decode/marian_folder_test.cc.

#include "yona/io/marian_npz.h"

#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;

std::filesystem::path marian_fixture(const char* name) {
  return std::filesystem::path(YONA_FIXTURES) / "marian_npz" / name / "model.npz";
}

TEST(MarianNpz, DescribesAPostNormModelWithOneTable) {
  const MarianNpz model(marian_fixture("spm"));
  const ModelDescription& d = model.description();
  EXPECT_EQ(d.config.norm, NormPosition::post);
  EXPECT_EQ(d.config.tying, Tying::all);
  EXPECT_EQ(d.config.activation, FeedForwardActivation::silu);
  EXPECT_EQ(d.config.d_model, 16);
  EXPECT_EQ(d.config.d_k, 8);
  EXPECT_EQ(d.config.d_ff, 24);
  EXPECT_EQ(d.config.encoder_layers, 2);
  EXPECT_EQ(d.config.source_vocabulary, 45);
  EXPECT_TRUE(d.config.departures.projection_bias);
  EXPECT_EQ(d.config.departures.padding, Padding::barred);
  EXPECT_NEAR(d.config.position_base, std::pow(10000.0, 8.0 / 7.0), 1e-6);
}

TEST(MarianNpz, DescribesAPreNormModelWithTwoVocabularies) {
  const ModelDescription d = MarianNpz(marian_fixture("prenorm")).description();
  EXPECT_EQ(d.config.norm, NormPosition::pre);
  EXPECT_EQ(d.config.tying, Tying::target);
  EXPECT_EQ(MarianNpz(marian_fixture("words")).description().config.tying, Tying::none);
  EXPECT_EQ(d.config.activation, FeedForwardActivation::relu);
  EXPECT_FALSE(d.shared_vocabulary);
  EXPECT_NE(d.config.source_vocabulary, d.config.target_vocabulary);
}

TEST(MarianNpz, TurnsProductsAndAddsAPadding) {
  const MarianNpz model(marian_fixture("words"));
  const NpzFile file(marian_fixture("words"));
  const auto at = [](const void* data, std::int64_t index) {
    float value = 0;
    std::memcpy(&value, static_cast<const char*>(data) + index * 4, sizeof(value));
    return value;
  };
  const auto ours = model.find("decoder.layers.1.feed_forward.inner.weight");
  const NamedArray* theirs = file.find("decoder_l2_ffn_W1");
  ASSERT_TRUE(ours.has_value() && theirs != nullptr);
  EXPECT_EQ(ours->shape, (Shape{24, 16}));
  EXPECT_EQ(theirs->shape, (Shape{16, 24}));
  EXPECT_EQ(at(ours->data, 5 * 16 + 3), at(theirs->data, 3 * 24 + 5));
  const auto table = model.find("encoder.embedding.weight");
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->shape, (Shape{model.description().config.source_vocabulary, 16}));
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(at(table->data, table->shape.elements() - 1 - i), 0);
  }
  EXPECT_EQ(MarianNpz(marian_fixture("prenorm")).find("encoder.norm.weight")->shape, Shape{16});
  EXPECT_FALSE(model.find("encoder.positions.weight").has_value());
  EXPECT_FALSE(model.find("encoder.layers.x.self_attention.query.weight").has_value());
  EXPECT_FALSE(model.find("encoder.layers.7.self_attention.query.weight").has_value());
}

// The fixture with some text of its configuration replaced by other text of the same length.
std::string with_option(std::string_view from, std::string_view to) {
  std::string bytes = testing::read_bytes(marian_fixture("spm"));
  const std::size_t at = bytes.find(from);
  EXPECT_EQ(from.size(), to.size());
  EXPECT_NE(at, std::string::npos) << from;
  return bytes.replace(at, from.size(), to);
}

TEST(MarianNpz, NamesTheOptionThatItCannotRun) {
  const testing::TempDir folder;
  const auto error_of = [&](std::string_view from, std::string_view to) {
    testing::write_bytes(folder / "model.npz", with_option(from, to));
    return message_of<FormatError>([&] { MarianNpz(folder / "model.npz"); });
  };
  EXPECT_THAT(error_of("type: transformer", "type: transforme_"), HasSubstr("\"type\""));
  EXPECT_THAT(error_of("transformer-ffn-activation: swish", "transformer-ffn-activation: gelu_"),
              HasSubstr("\"transformer-ffn-activation\" gelu_ is not supported"));
  EXPECT_THAT(error_of("transformer-postprocess: dan", "transformer-postprocess: dah"),
              HasSubstr("are neither post-norm"));
  EXPECT_THAT(error_of("transformer-ffn-depth: 2", "transformer-ffn-depth: 3"),
              HasSubstr("\"transformer-ffn-depth\""));
  EXPECT_THAT(error_of("dim-emb: 16", "dim-emb: 15"), HasSubstr("are not sizes of a Transformer"));
  EXPECT_THAT(error_of("transformer-heads: 2", "transformer-heads: 0"),
              HasSubstr("are not sizes of a Transformer"));
}

TEST(MarianNpz, RefusesAnArchiveThatIsNoModel) {
  const auto path = std::filesystem::path(YONA_FIXTURES) / "npz" / "stored.npz";
  EXPECT_THAT(message_of<FormatError>([&] { MarianNpz model(path); }),
              HasSubstr("not a Marian model: it has no special:model.yml"));
}

}  // namespace
}  // namespace yona
