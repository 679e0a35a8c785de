// The second half of every sum over rows: partial sums, one row of them for each slice of the work,
// are added in a fixed order, whatever order the slices were computed in.
//
// Adding up a few hundred rows is a short kernel that does not fill the GPU. Gradients of
// parameters are not read before a backward pass ends, so its reductions are batched: one kernel
// adds them when the pass ends or the buffer is full.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>
#include <initializer_list>
#include <vector>

#include "yona/backend/exec.h"
#include "yona/backend/view.h"

namespace yona::cuda {

// out[c] += Σ_s partials[s · cols + c], for `slices` rows of `cols` partial sums. Nothing is done
// without an output.
struct ColumnSums {
  const float* partials = nullptr;
  float* out = nullptr;
  std::int64_t slices = 0;
  std::int64_t cols = 0;
};

class PendingSums {
 public:
  PendingSums() = default;
  ~PendingSums();
  PendingSums(const PendingSums&) = delete;
  PendingSums& operator=(const PendingSums&) = delete;

  // Of one call of a kernel: memory for its partial sums, `count` floats in up to three parts, then
  // the parts, aligned to 256 bytes, which keep their values until they have been added.
  void begin(std::int64_t count, cudaStream_t stream);
  float* take(std::int64_t count);
  // At once, or when the pass ends.
  void add(std::initializer_list<ColumnSums> sums, cudaStream_t stream);
  // What was added is there for the kernels that follow: needed before the end of a pass alone.
  void flush(cudaStream_t stream);

  void begin_pass() { in_pass_ = true; }
  void end_pass(cudaStream_t stream);
  // Forgets what waits.
  void abandon_pass();

 private:
  void launch(cudaStream_t stream);

  std::vector<ColumnSums> waiting_;
  bool in_pass_ = false;
  float* memory_ = nullptr;
  std::int64_t capacity_ = 0;  // floats
  std::int64_t used_ = 0;
};

// Both halves in a pass over the rows: out[c] += Σ_r rows[r, c], where the kernel that wrote the
// rows could not add them up. In bias_activation_backward.cu.
void add_rows(const View& rows, const View& out, Exec& exec);

}  // namespace yona::cuda
