// Memory for regions on the host: address space that is backed page by page on first touch, in huge
// pages where the system has them.
//
// Reserving as much address space as the machine has memory costs nothing, so a region never moves.
// Where that is forbidden (`ulimit -v`, `ulimit -d`, strict overcommit) a region grows in place
// instead: it starts where free address space follows, and commit_host_memory() maps more.
#pragma once

#include <cstdint>

#include "yona/base/memory_limit.h"

namespace yona {

// Address space for `bytes`, zeroed. Throws DeviceError, with the limit where there is one.
void* reserve_host_memory(std::int64_t bytes);

// Makes the first `bytes` of what was reserved usable. Throws DeviceError when the limit is
// reached; what could be used before still can.
void commit_host_memory(void* memory, std::int64_t bytes);

// Throws DeviceError when `needed` bytes in all are more than the limit of a control group: it is
// killed without a word when it takes more, so an error comes first. Not for the machine's own
// memory, behind which there may be swap.
void check_group_limit(std::int64_t needed, const MemoryLimit& limit);

// Gives back what was reserved.
void release_host_memory(void* memory) noexcept;

}  // namespace yona
