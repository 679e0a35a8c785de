// A layer bound to weights in memory: f64 on the reference backend, random values in every
// parameter, and a context to run it in.
#pragma once

#include <string>
#include <vector>

#include "yona/nn/parameters.h"

#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"

namespace yona::testing {

class BoundModule {
 public:
  explicit BoundModule(Module& module)
      : parameters(module, shared_backend("reference"), Gradients::yes, DType::f64),
        region(shared_backend("reference"), std::int64_t{1} << 26U) {
    soil(region, 1 << 20);
    set_values(parameters.weights(), random_values(parameters.count(), 12));
    parameters.zero_gradients();
  }

  // A parameter by name, for compositions.
  Tensor operator[](const std::string& name) const {
    const Parameters::Entry* entry = parameters.find(name);
    check(entry != nullptr, "test: no parameter {}", name);
    return entry->value;
  }

  // Random values that take gradients, in sentences of these lengths.
  Ragged input(const std::vector<std::int64_t>& lengths, std::int64_t d, std::uint64_t key = 3) {
    const auto layout = layout_of(lengths, region);
    Tensor values =
        tensor_of(random_values(layout->tokens * d, key), {layout->tokens, d}, DType::f64, region);
    values.set_requires_gradient();
    return {values, layout};
  }

  Parameters parameters;
  Region region;
  Context c{.region = region};
};

}  // namespace yona::testing
