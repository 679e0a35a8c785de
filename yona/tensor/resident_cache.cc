#include "yona/tensor/resident_cache.h"

namespace yona {

void ResidentCache::begin_step(const ResidentTables& tables) {
  tables_ = tables;
  next_self_ = next_cross_ = 0;
}

CachedKeys ResidentCache::append(const Tensor& keys_and_values, Context& /*c*/) {
  if (next_self_ == self_.size()) {
    self_.emplace_back(region_, keys_and_values.dtype(), Shape{rows_, keys_and_values.cols()});
  }
  return {.keys_and_values = self_[next_self_++],
          .counts = tables_.counts,
          .table = tables_.table,
          .fresh = keys_and_values,
          .places = tables_.places};
}

CachedKeys ResidentCache::memory(const Layout& /*layout*/, const std::function<Tensor()>& make,
                                 Context& c) {
  if (fresh_memory_) {
    const Tensor made = make();  // [tokens, width]
    check(made.rows() <= memory_tokens_,
          "resident cache: {} tokens of memory do not fit; the capacity is {}", made.rows(),
          memory_tokens_);
    if (next_cross_ == cross_.size()) {
      cross_.emplace_back(region_, made.dtype(), Shape{memory_tokens_, made.cols()});
    }
    const Tensor place = cross_[next_cross_].row_range(0, made.rows());
    c.kernels().add({.a = made.view(), .y = place.view()}, c.exec());
  }
  return {.keys_and_values = cross_[next_cross_++],
          .counts = tables_.memory_counts,
          .first = tables_.memory_first};
}

}  // namespace yona
