// The checkpoints of a training run: `checkpoints/step-N`, each one atomic unit with checksums, and
// `checkpoints/latest`, a relative link that is switched last. What the files hold is the caller's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace yona {

struct Checkpoint {
  std::int64_t step = 0;
  std::filesystem::path path;

  bool operator==(const Checkpoint&) const = default;
};

// Where the checkpoint of this step is, or would be.
Checkpoint checkpoint_at(const std::filesystem::path& run_dir, std::int64_t step);

// For the end of a message that saving failed: which checkpoint is there to go on from.
std::string what_stands(const std::filesystem::path& run_dir);

// Writes `checkpoints/step-N`: `fill` gets a temporary folder and writes plain files into it. One
// that exists is replaced. If anything fails the temporary folder is removed, and an IoError says
// what was being written and which checkpoint is intact; other exceptions of `fill` pass.
void write_checkpoint(const std::filesystem::path& run_dir, std::int64_t step,
                      const std::function<void(const std::filesystem::path& folder)>& fill);

// All that are there, oldest first; none of them is opened.
std::vector<Checkpoint> list_checkpoints(const std::filesystem::path& run_dir);

// The newest whose checksums agree. Damaged newer ones are passed over with a warning. None when
// the run has no checkpoint; FormatError when it has some and all are damaged. Newest means the
// highest step, not the link: a run killed between rename and link is not set back.
std::optional<Checkpoint> latest_checkpoint(const std::filesystem::path& run_dir);

// Deletes the checkpoints whose step is not in `keep`. The newest good one always stays, whatever
// `keep` says, if no good one would be left otherwise.
void prune_checkpoints(const std::filesystem::path& run_dir, const std::set<std::int64_t>& keep);

// Removes what killed runs left half-written. The caller holds the run's lock.
void clean_run(const std::filesystem::path& run_dir);

}  // namespace yona
