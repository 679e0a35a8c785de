// One GPU to a rank. A launcher may have given each rank its own (CUDA_VISIBLE_DEVICES); ranks that
// see the same ones take them in turn.
#pragma once

#include <string>
#include <vector>

#include "yona/parallel/communicator.h"

namespace yona {

// As CUDA_VISIBLE_DEVICES names them; without it, "0", "1", … for those that this machine has.
std::vector<std::string> visible_gpus();

// Of several ranks, the one that this rank takes: `seen` are each rank's machine and GPUs, in the
// order of ranks. Throws InvalidArgument when there are more ranks than GPUs.
std::string gpu_of_rank(const std::vector<std::string>& seen, int rank,
                        const std::vector<std::string>& gpus);

// From now on this process sees only its own GPU. Called by all ranks, before CUDA is opened.
void take_gpu(Communicator& ranks);

}  // namespace yona
