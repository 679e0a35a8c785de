// Ranks with GPUs exchange through NCCL: libyona_nccl.so, opened when they are joined.
#pragma once

#include "yona/parallel/communicator.h"

namespace yona {

// From now on device memory goes from GPU to GPU. After take_gpu(), by all ranks. YONA_NCCL=off
// leaves it to the host's memory. Throws InvalidArgument where the library is missing.
void open_nccl(Communicator& ranks);

}  // namespace yona
