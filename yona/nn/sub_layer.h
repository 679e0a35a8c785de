// What a sub-layer returns: r, which the residual sum and the norm around it (nn/norm.h) take next.
// Where one kernel can form the sub-layer's last product, r = a Wᵀ + b, together with the sum and
// the norm (tensor/ops/linear_norm.h), the result holds a and that product is still to be formed.
#pragma once

#include "yona/nn/linear.h"
#include "yona/tensor/ops/linear_norm.h"

namespace yona {

class SubLayerResult {
 public:
  SubLayerResult() = default;
  SubLayerResult(Ragged r) : values_(std::move(r)) {}  // NOLINT(google-explicit-constructor)
  // a and the sub-layer's last product, formed here unless the norm can form it.
  SubLayerResult(const Ragged& a, const Linear& last, Context& c)
      : values_(joins_norm(last.weight(), c) ? a : last(a, c)),
        last_(joins_norm(last.weight(), c) ? &last : nullptr) {}

  bool there() const { return static_cast<bool>(values_.values); }
  // r, formed now if it is not yet.
  Ragged formed(Context& c) const { return last_ != nullptr ? (*last_)(values_, c) : values_; }
  // The product that is still to be formed, or nullptr; and a, or r.
  const Linear* last() const { return last_; }
  const Ragged& values() const { return values_; }

 private:
  Ragged values_;
  const Linear* last_ = nullptr;
};

}  // namespace yona
