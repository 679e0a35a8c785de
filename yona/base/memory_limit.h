// How much memory this process may have, and what says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace yona {

struct MemoryLimit {
  std::int64_t bytes = 0;
  std::string source;  // for messages: "ulimit -v", a file of the control group, "the machine's"
};

// The limit of address space (RLIMIT_AS) or of private memory (RLIMIT_DATA), whichever is lower:
// where one is set, memory cannot be reserved in advance.
std::optional<MemoryLimit> address_limit();

// The limit of the control groups of this process, whose memory is taken by killing it.
std::optional<MemoryLimit> group_memory_limit();

// The least of those limits and of the memory that the machine has.
MemoryLimit memory_limit();

// " (the limit is 2.0 GB: ulimit -v)" for messages about memory or threads that were refused; empty
// where only the machine itself limits them.
std::string memory_limit_note();

// Address space in use, for comparing with address_limit(); 0 where that is not known.
std::int64_t address_space_in_use();

// Memory in use that is not of files, for comparing with group_memory_limit(); 0 likewise.
std::int64_t private_memory_in_use();

}  // namespace yona
