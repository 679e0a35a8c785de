// The gradient behind a GELU and a product, on CPUs: one after the other.

#include "yona/backend/gelu_gradient.h"
#include "yona/backend/registration.h"

namespace yona {

namespace {

void gelu_gradient_product(const GeluGradientProductArgs& args, Exec& exec) {
  compose_gelu_gradient(cpu_kernels(), args, exec);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.gelu_gradient_product = gelu_gradient_product;
});

}  // namespace
}  // namespace yona
