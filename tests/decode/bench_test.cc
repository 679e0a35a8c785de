#include "yona/decode/bench.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(TranslateBench, CountsEveryTokenOnce) {
  TranslateBenchOptions options;
  options.config = preset("tiny");
  options.config.source_vocabulary = options.config.target_vocabulary = 60;
  options.batch = 2;
  options.sentences = 5;
  options.source_length = 4;
  options.new_tokens = 3;
  options.repetitions = 2;
  options.threads = 1;
  options.profile = true;
  for (const std::int64_t beam : {1, 3}) {
    options.beam = beam;
    const Json result = bench_translate(options);
    EXPECT_NEAR(result.at("tok_s").get<double>() * result.at("s").get<double>(), 15.0, 1e-6);
    EXPECT_NEAR(result.at("ms").get<double>(), result.at("s").get<double>() * 1e3, 1e-9);
    EXPECT_GE(result.at("first_s").get<double>(), result.at("load_s").get<double>());
    EXPECT_TRUE(result.at("ms_by_kernel").contains("top_k"));
  }
}

}  // namespace
}  // namespace yona
