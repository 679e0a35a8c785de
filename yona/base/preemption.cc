#include "yona/base/preemption.h"

#include <utility>

namespace yona {

namespace {

thread_local const PreemptionScope::Hook* current_hook = nullptr;

}  // namespace

PreemptionScope::PreemptionScope(const Hook* hook) : before_(std::exchange(current_hook, hook)) {}

PreemptionScope::~PreemptionScope() { current_hook = before_; }

void preemption_point() {
  if (current_hook != nullptr) [[unlikely]] {
    const PreemptionScope::Hook& hook = *current_hook;
    const PreemptionScope none(nullptr);
    hook();
  }
}

}  // namespace yona
