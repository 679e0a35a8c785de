// Ops of tests: what plain compositions need and the engine, where they are fused, does not have.
// Slow, in double, in host memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "yona/tensor/context.h"
#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/matmul.h"
#include "yona/tensor/ragged.h"

#include "tests/harness/random_tensor.h"

namespace yona::testing {

// Adds to the gradient of x, as an op's backward does.
inline void add_to_gradient(const Tensor& x, std::vector<double> values, Context& c) {
  const GradientTarget target = gradient_target(x, c.region);
  if (target.accumulate) {
    const std::vector<double> there = values_of(target.tensor);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += there[i];
    }
  }
  if (target.tensor) {
    set_values(target.tensor, values);
  }
}

// x ∘ factors, which are constants.
inline Tensor multiply(const Tensor& x, const std::vector<double>& factors, Context& c) {
  const auto product = [factors](std::vector<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] *= factors.at(i);
    }
    return values;
  };
  Tensor y = tensor_of(product(values_of(x)), x.shape(), x.dtype(), c.region);
  if (records(c, x)) {
    y.set_requires_gradient();
    c.tape->record([x, y, product, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        add_to_gradient(x, product(values_of(dy)), c);
      }
    });
  }
  return y;
}

// max(0, x): a product with 1 where x is positive and 0 elsewhere.
inline Tensor relu(const Tensor& x, Context& c) {
  std::vector<double> factors = values_of(x);
  std::transform(factors.begin(), factors.end(), factors.begin(),
                 [](double value) { return value > 0 ? 1.0 : 0.0; });
  return multiply(x, factors, c);
}

// tanh(x), with slope 1 - tanh²(x).
inline Tensor tanh_of(const Tensor& x, Context& c) {
  std::vector<double> values = values_of(x);
  std::vector<double> slopes;
  for (double& value : values) {
    value = std::tanh(value);
    slopes.push_back(1.0 - value * value);
  }
  Tensor y = tensor_of(values, x.shape(), x.dtype(), c.region);
  if (records(c, x)) {
    y.set_requires_gradient();
    c.tape->record([x, y, slopes, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        std::vector<double> dx = values_of(dy);
        std::transform(dx.begin(), dx.end(), slopes.begin(), dx.begin(), std::multiplies<>());
        add_to_gradient(x, dx, c);
      }
    });
  }
  return y;
}

// x plus a vector in every row: the product of a column of ones with the vector.
inline Tensor add_to_rows(const Tensor& x, const Tensor& vector, Context& c) {
  const Tensor ones = tensor_of(std::vector<double>(static_cast<std::size_t>(x.rows()), 1.0),
                                {x.rows(), 1}, x.dtype(), c.region);
  const Tensor row = vector.reshape({1, vector.elements()});
  return add(x, matmul(ones, row, Transpose::no, c), c);
}

// What dropout multiplies each element of `rows` rows by.
inline std::vector<double> dropout_factors(const Dropout& dropout, const std::vector<double>& like,
                                           const Layout& layout, std::int64_t channels) {
  std::vector<double> factors(like.size(), 1.0);
  for (std::size_t i = 0; i < factors.size() && dropout; ++i) {
    const auto row = static_cast<std::int64_t>(i) / channels;
    const auto channel = static_cast<std::int64_t>(i) % channels;
    factors[i] = keeps(dropout, layout.row_keys_data()[row], channel) ? double{dropout.scale} : 0.0;
  }
  return factors;
}

// One sentence per length, with ids that are not their places in the batch.
inline std::shared_ptr<const Layout> layout_of(const std::vector<std::int64_t>& lengths,
                                               Region& region) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint64_t> ids;
  for (const std::int64_t length : lengths) {
    offsets.push_back(offsets.back() + length);
    ids.push_back(100 + 7 * ids.size());
  }
  return make_layout(offsets, ids, region);
}

}  // namespace yona::testing
