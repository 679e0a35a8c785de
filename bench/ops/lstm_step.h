// A recurrent layer of a training step: forward, and backward with the gradients of its weights and
// inputs, over sentences of 8 to 40 tokens. bench/peers/torch_lstm.py has the same lengths.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "yona/nn/parameters.h"
#include "yona/nn/recurrent.h"
#include "yona/tensor/ops/recurrent.h"

namespace yona::bench {

class LstmStep {
 public:
  LstmStep(Backend& backend, std::int64_t d, std::int64_t sentences, Precision precision)
      : backend_(backend),
        precision_(precision),
        layer_(d, d, Cell::lstm),
        parameters_(layer_, backend, Gradients::yes),
        region_(backend) {
    parameters_.initialise(1);
    std::vector<std::int64_t> offsets{0};
    for (std::int64_t s = 0; s < sentences; ++s) {
      offsets.push_back(offsets.back() + 8 + (s * 13) % 33);
    }
    layout_ = make_layout(offsets, {}, region_);
    const Context c{.region = region_, .precision = precision_};
    x_ = Tensor(region_, c.activation_type(DType::f32), Shape{layout_->tokens, d});
    backend_.kernels().fill({.y = x_.view(), .value = 0.25F}, backend_.exec());
    x_.set_requires_gradient();
  }

  std::int64_t tokens() const { return layout_->tokens; }
  // Of the products alone.
  double flops() const {
    const auto d = static_cast<double>(x_.cols());
    return 6.0 * 4 * 2 * d * d * static_cast<double>(tokens());
  }

  void run() {
    Tape tape;
    Context c{.region = region_, .tape = &tape, .training = true, .precision = precision_};
    const TimeOrder order = time_order(*layout_, Direction::forward, region_);
    const Tensor y = layer_(x_, order, {}, c);
    const GradientTarget dy = gradient_target(y, region_);
    backend_.kernels().fill({.y = dy.view(), .value = 1.0F}, backend_.exec());
    tape.backward();
    x_.storage()->gradient = {};
  }

 private:
  Backend& backend_;
  Precision precision_;
  Recurrent layer_;
  Parameters parameters_;
  Region region_;
  std::shared_ptr<const Layout> layout_;
  Tensor x_;
};

}  // namespace yona::bench
