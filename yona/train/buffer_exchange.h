// Slices of flat f32 buffers between ranks (parallel/shards.h), wherever the buffers are: memory
// that the communicator cannot reach goes from GPU to GPU, or is copied through the host. All ranks
// call these together.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/parallel/communicator.h"
#include "yona/parallel/shards.h"
#include "yona/tensor/tensor.h"

namespace yona {

// Messages between buffers of the backend. Returns what to wait for before they are read or written
// again; nullptr: that is done, or will be when exec's stream, which is one of the backend's, comes
// to it.
std::unique_ptr<PendingExchange> start_exchange(Communicator& ranks, Backend& backend, Exec& exec,
                                                std::span<const Message> sends,
                                                std::span<const Message> receives);

// Each rank's slices of the buffer [1, shards.count()] to all others.
void share_slices(Communicator& ranks, Backend& backend, const Shards& shards, const Tensor& flat);

// What the ranks have of their shards, in the order of the buffer, at rank 0; empty at the others.
std::vector<float> collect_slices(Communicator& ranks, const Shards& shards,
                                  std::vector<float>& own);

}  // namespace yona
