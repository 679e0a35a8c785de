// Collects the registrations of static initialisation; the tables are filled at first use.

#include "yona/backend/registration.h"

#include <utility>
#include <vector>

namespace yona {

namespace {

std::vector<std::pair<BackendKind, Registration::Fill>>& registrations() {
  static std::vector<std::pair<BackendKind, Registration::Fill>> list;
  return list;
}

void fill_table(Kernels& table, BackendKind kind) {
  for (const auto& [registered_kind, fill] : registrations()) {
    if (registered_kind == kind) {
      fill(table);
    }
  }
}

}  // namespace

Registration::Registration(BackendKind kind, Fill fill) {
  registrations().emplace_back(kind, fill);
}

const Kernels& reference_kernels() {
  static const Kernels table = [] {
    Kernels filled;
    fill_table(filled, BackendKind::reference);
    return filled;
  }();
  return table;
}

const Kernels& cpu_kernels() {
  static const Kernels table = [] {
    Kernels filled = reference_kernels();
    fill_table(filled, BackendKind::cpu);
    return filled;
  }();
  return table;
}

}  // namespace yona
