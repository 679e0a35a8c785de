// Places where a long computation may be preempted: between the layers of a model and between the
// steps of a search. A server runs shorter work there; everything else has no hook, and pays for a
// look at a thread's variable.
#pragma once

#include <functional>

namespace yona {

// Installs a hook for the calling thread, and puts back what was there before in the end. Null: the
// computation cannot be preempted (a CUDA graph is being captured). The hook must outlive this
// object and must not throw. While it runs, the thread has no hook.
class PreemptionScope {
 public:
  using Hook = std::function<void()>;

  explicit PreemptionScope(const Hook* hook);
  ~PreemptionScope();
  PreemptionScope(const PreemptionScope&) = delete;
  PreemptionScope& operator=(const PreemptionScope&) = delete;

 private:
  const Hook* before_;
};

// Calls the hook of this thread, if there is one.
void preemption_point();

}  // namespace yona
