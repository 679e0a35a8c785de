// Gradients of several weights, on CPUs: one after the other. A product alone fills the cores.

#include "yona/backend/registration.h"

namespace yona {

namespace {

void weight_gradients(const WeightGradientsArgs& args, Exec& exec) {
  for (const WeightGradient& gradient : args.products) {
    cpu_kernels().matmul.function()(gradient.product(args.precision), exec);
  }
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.weight_gradients = weight_gradients; });

}  // namespace
}  // namespace yona
