#include "yona/parallel/ranks.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <sched.h>
#include <string_view>
#include <unistd.h>

#include "yona/base/error.h"
#include "yona/parallel/collectives.h"

namespace yona {

namespace {

// Open MPI; MPICH and Intel MPI; MVAPICH; srun, whose batch scripts have SLURM_NTASKS without being
// one of several.
constexpr std::array<std::array<const char*, 2>, 4> kVariables{
    {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
     {"PMI_SIZE", "PMI_RANK"},
     {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
     {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}}};

std::optional<int> number_of(const char* text) {
  if (text == nullptr) {
    return std::nullopt;
  }
  int value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  return error == std::errc() && *end == '\0' ? std::optional(value) : std::nullopt;
}

std::unique_ptr<Communicator>& communicator() {
  static std::unique_ptr<Communicator> joined;
  return joined;
}

using MakeMpiCommunicator = Communicator* (*)();

// Plug-ins of Open MPI look for symbols of the library that opened them: RTLD_GLOBAL.
MakeMpiCommunicator find_mpi(const StartedRank& started) {
  void* library = dlopen("libyona_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  check(library != nullptr,
        "mpi: {} processes were started together ({}), and this build has no libyona_mpi.so to "
        "join them: build with MPI installed (libopenmpi-dev), start one process, or set "
        "YONA_RANKS=off if each works for itself",
        started.size, started.by);
  void* symbol = dlsym(library, "yona_make_mpi_communicator");
  check(symbol != nullptr,
        "mpi: libyona_mpi.so does not belong to this version of yona: install both from one build");
  return reinterpret_cast<MakeMpiCommunicator>(symbol);
}

std::string cpus_of_process() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) {
    return "";
  }
  std::string cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) {
      cpus += fmt::format(" {}", cpu);
    }
  }
  return cpus;
}

}  // namespace

std::optional<StartedRank> started_rank(const std::function<const char*(const char* name)>& get) {
  const auto text = [&](const char* name) { return get ? get(name) : std::getenv(name); };
  const auto variable = [&](const char* name) { return number_of(text(name)); };
  if (const char* ranks = text("YONA_RANKS");
      ranks != nullptr && std::string_view(ranks) == "off") {
    return std::nullopt;
  }
  for (const auto& [size_name, rank_name] : kVariables) {
    const std::optional<int> size = variable(size_name);
    const std::optional<int> rank = variable(rank_name);
    const bool joins = size && (*size > 1 || variable("YONA_ONE_RANK") == 1);
    if (joins && rank && *rank >= 0 && *rank < *size) {
      return StartedRank{*rank, *size, size_name};
    }
  }
  return std::nullopt;
}

Communicator* join_ranks() {
  std::unique_ptr<Communicator>& joined = communicator();
  const std::optional<StartedRank> started = started_rank();
  if (!started || joined) {
    return joined.get();
  }
  joined.reset(find_mpi(*started)());
  if (joined->size() != started->size) {
    const int found = joined->size();
    joined.reset();
    fail(
        "mpi: {} processes were started together ({}), and libyona_mpi.so finds {}: it was built "
        "with another MPI than the one that started them",
        started->size, started->by, found);
  }
  return joined.get();
}

Communicator* joined_ranks() { return communicator().get(); }

void leave_ranks() { communicator().reset(); }

RankNeighbours rank_neighbours(Communicator& ranks) {
  std::array<char, 256> host{};
  static_cast<void>(::gethostname(host.data(), host.size() - 1));
  const std::string machine = host.data();
  const std::string cpus = machine + cpus_of_process();
  const std::vector<std::string> machines = gather_texts(ranks, machine);
  const std::vector<std::string> sets = gather_texts(ranks, cpus);
  RankNeighbours found{.on_machine = 0, .on_cpus = 0, .number = 0};
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    found.on_machine += machines[at] == machine ? 1 : 0;
    found.on_cpus += sets[at] == cpus ? 1 : 0;
    found.number += machines[at] == machine && rank < ranks.rank() ? 1 : 0;
  }
  return found;
}

}  // namespace yona
