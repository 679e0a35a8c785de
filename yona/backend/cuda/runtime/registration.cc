#include "yona/backend/cuda/runtime/registration.h"

#include <vector>

namespace yona::cuda {

namespace {

std::vector<Registration::Fill>& registrations() {
  static std::vector<Registration::Fill> list;
  return list;
}

}  // namespace

Registration::Registration(Fill fill) { registrations().push_back(fill); }

const Kernels& kernels() {
  static const Kernels table = [] {
    Kernels filled;
    for (const Registration::Fill fill : registrations()) {
      fill(filled);
    }
    return filled;
  }();
  return table;
}

}  // namespace yona::cuda
