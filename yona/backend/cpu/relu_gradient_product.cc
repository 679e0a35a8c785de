// The gradient behind a relu and a product, on CPUs: one after the other.

#include "yona/backend/registration.h"

namespace yona {

namespace {

void relu_gradient_product(const ReluGradientProductArgs& args, Exec& exec) {
  cpu_kernels().matmul.function()(args.product(), exec);
  cpu_kernels().bias_activation_backward.function()(args.gradient(), exec);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.relu_gradient_product = relu_gradient_product;
});

}  // namespace
}  // namespace yona
