// Scaled dot-product attention over a ragged batch, forward and backward, with nothing around it:
// two sentences of 3 and 2 tokens, one head of 4 channels. Each sentence sees its own tokens only,
// which is why no padding and no padding mask exist.

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "yona/backend/backend.h"
#include "yona/tensor/context.h"
#include "yona/tensor/ops/attention.h"

namespace {

void print_rows(const char* name, const yona::Tensor& tensor) {
  const std::vector<float> values = tensor.to_vector<float>();
  const auto cols = static_cast<std::size_t>(tensor.cols());
  for (std::size_t row = 0; row < values.size() / cols; ++row) {
    const float* first = values.data() + row * cols;
    fmt::print("{} {}  [{:6.3f}]\n", name, row, fmt::join(first, first + cols, ", "));
  }
}

}  // namespace

int main() {
  const std::unique_ptr<yona::Backend> backend = yona::make_backend("cpu");
  yona::Region region(*backend);
  yona::Tape tape;
  yona::Context c{.region = region, .tape = &tape, .training = true};

  const std::vector<std::int64_t> offsets{0, 3, 5};
  const auto layout = yona::make_layout(offsets, {}, region);

  // Row t of x is the unit vector of channel t (the second sentence begins again at channel 0).
  std::vector<float> units(5 * 4, 0.0F);
  for (const std::size_t place : {0, 5, 10, 12, 17}) {
    units[place] = 2.0F;
  }
  const yona::Tensor x = c.empty(yona::DType::f32, {5, 4});
  x.upload(units);
  x.set_requires_gradient();

  yona::AttentionOptions options;
  options.d_k = options.d_v = 4;
  options.scale = 1.0F / std::sqrt(4.0F);
  options.mask = yona::Mask::causal;
  const yona::Tensor y = yona::attention(x, x, x, layout, layout, options, c);  // [5, 4]
  print_rows("y", y);

  // The gradient of the sum of y: every entry of dy is one.
  const yona::GradientTarget dy = yona::gradient_target(y, region);
  dy.tensor.upload(std::vector<float>(5 * 4, 1.0F));
  tape.backward();
  print_rows("dx", x.gradient());

  // The first token of a sentence can only see itself.
  const std::vector<float> result = y.to_vector<float>();
  return result[0] == 2.0F && result[12] == 2.0F && result[13] == 0.0F ? 0 : 1;
}
