// Weights as a model keeps them, for tests of what is done to them before decoding.
#pragma once

#include <memory>

#include <gtest/gtest.h>

#include "yona/tensor/ops/embed.h"
#include "yona/tensor/ops/linear.h"
#include "yona/tensor/ops/matmul.h"

#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {

// A flat buffer with a table [70, 20] of which the last row is padding, a weight [40, 20], a bias.
class WeightBuffer : public ::testing::TestWithParam<const char*> {
 protected:
  Tensor table() const { return flat.slice(0, {70, 20}); }
  Tensor weight() const { return flat.slice(1400, {40, 20}); }
  Tensor bias() const { return flat.slice(2200, {40}); }

  // Rows of the table, a layer's output, and logits.
  std::vector<std::vector<double>> results() {
    const std::shared_ptr<const Layout> layout = layout_of({4}, region);
    const Tensor ids = ids_of({0, 68, 33, 69}, region);
    const EmbedOptions options{.scale = 3.0F, .padding_id = 69};
    return {values_of(embed(ids, *layout, table(), {}, options, c)),
            values_of(linear(x, weight(), bias(), {.activation = Activation::relu}, c)),
            values_of(matmul(x, table().row_range(0, 69), Transpose::yes, c))};
  }

  Region region{shared_backend(GetParam()), 1 << 22};
  Context c{.region = region};
  Tensor flat = tensor_of(random_values(2240, 1), {1, 2240}, DType::f32, region);
  Tensor x = tensor_of(random_values(60, 2), {3, 20}, DType::f32, region);
};

}  // namespace yona::testing
