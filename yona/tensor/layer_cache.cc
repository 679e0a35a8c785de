#include "yona/tensor/layer_cache.h"

#include "yona/base/error.h"

namespace yona {

Tensor LayerCache::state(const std::function<Tensor()>& /*make*/, Context& /*c*/) {
  fail<NotImplemented>("cache: recurrent layers are not run by this decoder");
}

void LayerCache::keep(const Tensor& /*state*/) {
  fail<NotImplemented>("cache: recurrent layers are not run by this decoder");
}

}  // namespace yona
