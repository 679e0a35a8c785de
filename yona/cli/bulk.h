// Lines in, text out, in order: what `yona translate`, `generate` and `embed` have in common. One
// process reads a window of lines, answers it and writes the answer. Of several ranks (mpirun,
// srun) each answers every N-th window that is missing (parallel/chunk_folder.h), and rank 0 joins
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/cli/command.h"
#include "yona/cli/translation_output.h"
#include "yona/data/line_queue.h"
#include "yona/io/run_lock.h"
#include "yona/parallel/chunk_folder.h"
#include "yona/parallel/communicator.h"

namespace yona::cli {

// As typed; "" and "-" are standard input and output.
struct BulkFiles {
  std::string input, output;
  std::vector<std::string> beside{};  // other files that are read: they cannot be the output
  std::string chunk_lines{};          // "": as many as a window has
};

void add_chunk_lines(CLI::App& app, std::string& flag);

// Joins the ranks of a command that was started by mpirun or srun; nullptr: this process is alone.
// They share out CPUs (--threads, of each worker) and GPUs, and rank 0 alone speaks until work
// begins.
Communicator* join_bulk_ranks(const std::string& device, std::string& threads,
                              const std::string& workers = "1");

class Bulk {
 public:
  // Throws InvalidArgument where the files do not fit, before a model is loaded. `app` has the
  // options that decide what is written.
  Bulk(const CLI::App& app, BulkFiles files, Communicator* ranks);

  struct Work {
    // What is to be written for these lines.
    std::function<std::string(std::vector<InputLine>& lines)> answer;
    // Other lines, which are done already or by other ranks; may be empty.
    std::function<void(const std::vector<InputLine>& lines)> pass{};
  };
  // All of the input, with the model in place. All ranks together.
  void run(const Work& work);

 private:
  bool leads() const { return ranks_ == nullptr || ranks_->rank() == 0; }
  void run_alone(const Work& work);
  void run_in_chunks(const Work& work);
  // Begins the folder of chunks, or goes on with it; the numbers of those that are there.
  std::vector<std::uint64_t> begin_chunks();

  BulkFiles files_;
  Communicator* ranks_;
  ChunkFolder chunks_;
  Json record_;
  std::optional<RunLock> lock_;
  std::unique_ptr<LineQueue> lines_;
};

}  // namespace yona::cli
