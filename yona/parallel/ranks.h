// Is this process one of several that mpirun or srun started? Then they are ranks of one run, and
// libyona_mpi.so joins them. A process that was started alone never opens the library.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "yona/parallel/communicator.h"

namespace yona {

struct StartedRank {
  int rank = 0;
  int size = 1;
  std::string by;  // the variable that says so

  bool operator==(const StartedRank&) const = default;
};

// What the launcher put into the environment; none where this process is alone, unless
// YONA_ONE_RANK=1 asks for one rank that exchanges with itself, and where YONA_RANKS=off says that
// the processes have nothing to do with each other. `get` finds a variable, or gives nullptr.
std::optional<StartedRank> started_rank(
    const std::function<const char*(const char* name)>& get = nullptr);

// Joins the ranks that were started together, once in a process. nullptr where it is alone. Throws
// InvalidArgument where there are several and no library, or a library of another MPI.
Communicator* join_ranks();
// What join_ranks() gave, if it was called.
Communicator* joined_ranks();
// All ranks are done: they leave together.
void leave_ranks();

// Ranks that share something with this one, itself included.
struct RankNeighbours {
  int on_machine = 1;  // its memory and its GPUs
  int on_cpus = 1;     // the same CPUs
  int number = 0;      // of this rank among those on its machine
};
// Called by all ranks.
RankNeighbours rank_neighbours(Communicator& ranks);

}  // namespace yona
