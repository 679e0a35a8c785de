// A convolution over the tokens of ragged sequences.
#pragma once

#include "yona/nn/linear.h"
#include "yona/tensor/ops/neighbours.h"

namespace yona {

class Convolution : public Module {
 public:
  // Its weight is [out, width · in], the window's first token first.
  Convolution(std::int64_t in, std::int64_t out, const Window& window)
      : in_(in), window_(window), product_(window.width * in, out) {
    add(product_);
  }

  // x [T, in] → [T, out]. A causal one with a cache has the newest token of each row alone, x
  // [rows, in]; what came before is in the cache. There are `sentences` sentences.
  Ragged operator()(const Ragged& x, std::int64_t sentences, Context& c,
                    const LinearOptions& options = {}) const {
    return x.with(product_(window(x, sentences, c), c, options));
  }

 private:
  // [T, width · in]
  Tensor window(const Ragged& x, std::int64_t sentences, Context& c) const;

  std::int64_t in_;
  Window window_;
  Linear product_;
};

}  // namespace yona
