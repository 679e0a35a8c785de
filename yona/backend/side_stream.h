// A second stream of a backend: on a GPU, data is exchanged on it while the backend computes. On a
// device without streams it is the backend itself.
#pragma once

#include "yona/backend/exec.h"

namespace yona {

class SideStream {
 public:
  // The backend's own.
  explicit SideStream(Exec& exec) : exec_(exec) {}
  virtual ~SideStream() = default;
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

  // For kernels that need neither scratch memory nor a library: add, fill, round_bf16.
  Exec& exec() const { return exec_; }
  // What is given to exec() from now on waits for all that the backend has been given, gradients of
  // parameters whose sums wait for the end of a backward pass included.
  virtual void follow() {}
  // What the backend is given from now on waits for all that exec() has been given.
  virtual void join() {}

 private:
  Exec& exec_;
};

}  // namespace yona
