#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"
#include "yona/nn/positions.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;

Json m2m_config() {
  return {{"model_type", "m2m_100"},
          {"d_model", 16},
          {"encoder_layers", 2},
          {"decoder_layers", 1},
          {"encoder_ffn_dim", 32},
          {"decoder_ffn_dim", 32},
          {"vocab_size", 100},
          {"max_position_embeddings", 64},
          {"pad_token_id", 1},
          {"eos_token_id", 2},
          {"decoder_start_token_id", 2},
          {"activation_function", "relu"},
          {"encoder_attention_heads", 4},
          {"decoder_attention_heads", 4}};
}

// fairseq: position p counts from <pad> + 1, wave i has the frequency 10000^(-i/(d/2 - 1)).
TEST(M2m100, HasFairseqsSinusoids) {
  const ModelDescription d = read_description(m2m_config(), "f");
  EXPECT_EQ(d.config.norm, NormPosition::pre);
  EXPECT_TRUE(d.config.departures.scaled_embedding);
  const auto table = sinusoids(40, 16, d.config.position_base, d.config.departures.first_position);
  for (const int position : {0, 1, 33, 39}) {
    for (int i = 0; i < 8; ++i) {
      const double angle = (position + 2) * std::pow(10000.0, -i / 7.0);
      EXPECT_NEAR(table[static_cast<std::size_t>(position * 16 + i)], std::sin(angle), 1e-9);
      EXPECT_NEAR(table[static_cast<std::size_t>(position * 16 + 8 + i)], std::cos(angle), 1e-9);
    }
  }
}

TEST(M2m100, RefusesWidthsWithoutSuchSinusoids) {
  Json config = m2m_config();
  config["d_model"] = 2;
  config["encoder_attention_heads"] = config["decoder_attention_heads"] = 1;
  EXPECT_THAT(message_of<FormatError>([&] { read_description(config, "f"); }),
              HasSubstr("\"d_model\" is 2"));
}

}  // namespace
}  // namespace yona
