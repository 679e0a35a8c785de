// Operands of products rounded to bf16.
#pragma once

#include "yona/backend/view.h"
#include "yona/base/thread_pool.h"

namespace yona::cpu {

// Copies `from` (f32) into `to`, contiguous rows of from.cols elements, each value rounded to the
// nearest bf16 (even on ties). to.dtype is bf16, or f32 to keep the rounded values as f32 for
// machines that multiply nothing else. Rows of `to` beyond from's become zero.
void round_to_bf16(const View& from, const View& to, ThreadPool& pool);

// The same for `count` numbers in one place.
void round_to_bf16(const float* from, std::int64_t count, std::uint16_t* to);

// The other way, bf16 to f32, for those machines.
void widen_bf16(const View& from, const View& to, ThreadPool& pool);

}  // namespace yona::cpu
