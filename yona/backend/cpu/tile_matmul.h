// Matrix products of operands rounded to bf16 by a unit that multiplies tiles. Operands may be f32:
// they are rounded as they are packed, at no cost besides reading them, so copies are not needed.
#pragma once

#include "yona/backend/cpu/tile_unit.h"
#include "yona/backend/kernel_args.h"
#include "yona/base/thread_pool.h"

namespace yona::cpu {

// args.c = op(a) · op(b) and the rest of MatmulArgs, for a sum over k ≥ 1 elements. The bits do not
// depend on the number of threads.
void tile_matmul(const MatmulArgs& args, std::int64_t k, ThreadPool& pool,
                 const TileUnit& unit = tile_unit());

}  // namespace yona::cpu
