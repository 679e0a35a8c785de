// What the GPU in use can do.
#pragma once

namespace yona::cuda {

// Has it the instructions that only code for sm_90a may use?
bool is_hopper();

// How much shared memory may a block have, in bytes?
int shared_room();

}  // namespace yona::cuda
