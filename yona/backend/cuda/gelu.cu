#include "yona/backend/cuda/common/gelu.cuh"
#include "yona/backend/cuda/common/map.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

const Registration registration([](Kernels& table) {
  table.gelu = map<Gelu>;
  table.gelu_backward = map_backward<Gelu>;
  table.gelu_tanh = map<GeluTanh>;
  table.gelu_tanh_backward = map_backward<GeluTanh>;
});

}  // namespace
}  // namespace yona::cuda
