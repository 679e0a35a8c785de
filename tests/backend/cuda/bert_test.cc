// An encoder on the device in bf16, where parameters are f32 and activations are not: vectors of
// texts as the reference has them in f32.

#include "yona/models/bert.h"

#include "yona/nn/parameters.h"
#include "yona/tensor/operand.h"

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaBert : public CudaTest {
 protected:
  static std::vector<double> vectors(const BertConfig& config, Backend& backend,
                                     Precision precision) {
    Bert model(config);
    Parameters parameters(model, backend, Gradients::no);
    parameters.initialise(5);
    Region region(backend, std::int64_t{1} << 26U);
    Context c{.region = region, .precision = precision};
    const RoundedWeights rounded(parameters.weights(), c);
    const std::vector<std::int32_t> ids{1, 7, 3, 9, 2, 1, 4, 2, 1, 30, 31, 2};
    const std::vector<std::int32_t> types{0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1};
    const std::vector<std::int64_t> offsets{0, 5, 8, 12};
    const BertInput input = model.input({.ids = ids, .offsets = offsets, .types = types}, region);
    return values_of(model.text_vectors(input, model.states(input, c), c));
  }
};

TEST_F(CudaBert, InBf16IsTheReference) {
  for (const TextVector vector : {TextVector::first, TextVector::mean}) {
    for (const NormPosition norm : {NormPosition::post, NormPosition::pre}) {
      BertConfig config{.vocabulary = 40, .layers = 2, .d_model = 64, .d_ff = 128, .heads = 2};
      config.text_vector = vector;
      config.norm = norm;
      const std::vector<double> expected = vectors(config, reference(), Precision::f32);
      expect_near(vectors(config, cuda(), Precision::f32), expected, kCudaF32, "f32");
      expect_near(vectors(config, cuda(), Precision::bf16), expected, 3 * kCudaBf16, "bf16");
    }
  }
}

}  // namespace
}  // namespace yona::testing
