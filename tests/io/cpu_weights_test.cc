#include "yona/io/cpu_weights.h"

#include <gtest/gtest.h>

#include "yona/io/causal_lm/language_model.h"
#include "yona/io/causal_lm/lm_weights.h"

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

TEST(CpuWeights, AreReadOnceAndKeptInBytesOnlyForInt8) {
  const std::filesystem::path folder = std::filesystem::path(YONA_FIXTURES) / "causal_lm" / "gpt2";
  const LmDescription description = read_lm_description(folder);
  for (const Packing packing : {Packing::no, Packing::yes, Packing::int8}) {
    CausalLm model(description.config);
    const Parameters parameters(model, shared_backend("cpu"), Gradients::no);
    CpuWeights weights;
    int reads = 0;
    weights.open(folder, parameters, packing, [&] {
      ++reads;
      read_lm_weights(folder, description, parameters);
    });
    EXPECT_EQ(reads, 1);
    EXPECT_EQ(weights.quantised() != nullptr, packing == Packing::int8);
  }
}

}  // namespace
}  // namespace yona::testing
