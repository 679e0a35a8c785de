// Matrix products in f32 with many rows: op(b) is packed into panels as it goes along.
#pragma once

#include "yona/backend/kernel_args.h"
#include "yona/base/thread_pool.h"

namespace yona::cpu {

// args.c = op(a) · op(b) and the rest of MatmulArgs, for a sum over k ≥ 1 elements. The bits do not
// depend on the number of threads.
void panel_matmul(const MatmulArgs& args, std::int64_t k, ThreadPool& pool);

}  // namespace yona::cpu
