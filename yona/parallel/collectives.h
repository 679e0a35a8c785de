// What ranks do together, made of a communicator's two calls. All ranks call each of these.
#pragma once

#include <string>
#include <vector>

#include "yona/parallel/communicator.h"

namespace yona {

// One text of each rank, in the order of ranks.
std::vector<std::string> gather_texts(Communicator& ranks, const std::string& mine);
// The text of rank 0; what the others give is ignored.
std::string broadcast_text(Communicator& ranks, const std::string& mine);
// Returns when all ranks have called it.
void barrier(Communicator& ranks);

}  // namespace yona
