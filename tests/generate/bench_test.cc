#include "yona/generate/bench.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(GenerateBench, CountsEveryNewToken) {
  GenerateBenchOptions options;
  options.config = causal_lm_preset("char-small");
  options.config.layers = 1;
  options.config.vocabulary = 40;
  options.batch = 3;
  options.prompt_length = 5;
  options.new_tokens = 4;
  options.repetitions = 2;
  options.threads = 1;
  options.profile = true;
  for (const Packing packing : {Packing::yes, Packing::int8, Packing::no}) {
    for (const double temperature : {0.0, 1.0}) {
      options.type = {.packing = packing};
      options.temperature = temperature;
      const Json result = bench_generate(options);
      EXPECT_NEAR(result.at("tok_s").get<double>() * result.at("ms").get<double>() / 1e3, 12.0,
                  1e-6);
      EXPECT_GT(result.at("prefill_tok_s").get<double>(), 0.0);
      EXPECT_GT(result.at("decode_tok_s").get<double>(), 0.0);
      EXPECT_TRUE(result.at("ms_by_kernel").contains("cached_attention"));
    }
  }
}

}  // namespace
}  // namespace yona
