// What a sub-layer gives to the residual sum and the norm around it (nn/norm.h): r, or what is left
// of it while its last product, r = a Wᵀ + b, waits: the norm may make that with its own work, in
// one kernel (tensor/ops/linear_norm.h).
#pragma once

#include "yona/nn/linear.h"
#include "yona/tensor/ops/linear_norm.h"

namespace yona {

class SubLayerResult {
 public:
  SubLayerResult() = default;
  SubLayerResult(Ragged r) : values_(std::move(r)) {}  // NOLINT(google-explicit-constructor)
  // a and the sub-layer's last product, which waits where the norm behind it may gain by that.
  SubLayerResult(const Ragged& a, const Linear& last, Context& c)
      : values_(joins_norm(last.weight(), c) ? a : last(a, c)),
        last_(joins_norm(last.weight(), c) ? &last : nullptr) {}

  bool there() const { return static_cast<bool>(values_.values); }
  // r, formed now if it was not.
  Ragged formed(Context& c) const { return last_ != nullptr ? (*last_)(values_, c) : values_; }
  // The product that waits, or nullptr; and a, or r.
  const Linear* last() const { return last_; }
  const Ragged& values() const { return values_; }

 private:
  Ragged values_;
  const Linear* last_ = nullptr;
};

}  // namespace yona
