// Names, order and fall-back of checkpoints; the atomic unit itself is AtomicFolder.

#include "yona/io/checkpoints.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/log.h"
#include "yona/io/atomic_file.h"
#include "yona/io/atomic_folder.h"
#include "yona/io/checksums.h"

namespace yona {

namespace {

constexpr std::string_view kPrefix = "step-";

std::filesystem::path folder_of(const std::filesystem::path& run_dir) {
  return run_dir / "checkpoints";
}

std::string name_of_step(std::int64_t step) { return fmt::format("{}{}", kPrefix, step); }

std::optional<std::int64_t> step_of(const std::string& name) {
  std::int64_t step = 0;
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, step);
  const bool exact = error == std::errc() && stop == end && name == name_of_step(step);
  return exact ? std::optional(step) : std::nullopt;
}

void switch_latest(const std::filesystem::path& checkpoints, std::int64_t step) {
  replace_file(checkpoints / "latest", [&](const std::filesystem::path& temporary) {
    std::error_code error;
    std::filesystem::remove(temporary, error);
    std::filesystem::create_symlink(name_of_step(step), temporary, error);
    check<IoError>(!error, "cannot make the link {}: {}", temporary.string(), error.message());
  });
}

void make_folder(const std::filesystem::path& run_dir) {
  std::error_code error;
  if (std::filesystem::create_directories(folder_of(run_dir), error)) {
    sync_folder(run_dir);
  }
  check<IoError>(!error, "cannot make folder {}: {}", folder_of(run_dir).string(), error.message());
}

// True when the checksums agree; otherwise says why not.
bool is_good(const Checkpoint& checkpoint) {
  try {
    verify_folder(checkpoint.path);
    return true;
  } catch (const Error& error) {
    log().warn("checkpoint {} cannot be used: {}", checkpoint.path.string(), error.what());
    return false;
  }
}

}  // namespace

Checkpoint checkpoint_at(const std::filesystem::path& run_dir, std::int64_t step) {
  return {step, folder_of(run_dir) / name_of_step(step)};
}

std::string what_stands(const std::filesystem::path& run_dir) {
  const std::vector<Checkpoint> all = list_checkpoints(run_dir);
  return all.empty()
             ? "this run has no earlier checkpoint"
             : fmt::format("the previous checkpoint, {}, is intact", all.back().path.string());
}

void write_checkpoint(const std::filesystem::path& run_dir, std::int64_t step,
                      const std::function<void(const std::filesystem::path&)>& fill) {
  std::string reason;
  try {
    make_folder(run_dir);
    AtomicFolder folder(folder_of(run_dir) / name_of_step(step));
    fill(folder.path());
    folder.commit();
    switch_latest(folder_of(run_dir), step);
    return;
  } catch (const IoError& error) {
    reason = error.what();
  } catch (const std::filesystem::filesystem_error& error) {
    reason = error.what();
  }
  fail<IoError>("saving the checkpoint of step {}: {}; {}", step, reason, what_stands(run_dir));
}

std::vector<Checkpoint> list_checkpoints(const std::filesystem::path& run_dir) {
  std::vector<Checkpoint> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(run_dir), error)) {
    const std::optional<std::int64_t> step = step_of(entry.path().filename().string());
    if (step && entry.is_directory(error)) {
      all.push_back({*step, entry.path()});
    }
  }
  check<IoError>(!error || error == std::errc::no_such_file_or_directory, "cannot read {}: {}",
                 folder_of(run_dir).string(), error.message());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return all;
}

std::optional<Checkpoint> latest_checkpoint(const std::filesystem::path& run_dir) {
  const std::vector<Checkpoint> all = list_checkpoints(run_dir);
  if (all.empty()) {
    return std::nullopt;
  }
  const auto good = std::find_if(all.rbegin(), all.rend(), is_good);
  check<FormatError>(good != all.rend(), "{}: all {} checkpoints are damaged",
                     folder_of(run_dir).string(), all.size());
  if (good != all.rbegin()) {
    log().warn("going back to {}", good->path.string());
  }
  return *good;
}

void prune_checkpoints(const std::filesystem::path& run_dir, const std::set<std::int64_t>& keep) {
  std::vector<Checkpoint> kept;
  std::vector<Checkpoint> dropped;
  for (Checkpoint& checkpoint : list_checkpoints(run_dir)) {
    (keep.contains(checkpoint.step) ? kept : dropped).push_back(std::move(checkpoint));
  }
  if (!dropped.empty() && std::none_of(kept.rbegin(), kept.rend(), is_good)) {
    const auto good = std::find_if(dropped.rbegin(), dropped.rend(), is_good);
    if (good != dropped.rend()) {
      dropped.erase(std::next(good).base());
    }
  }
  for (const Checkpoint& checkpoint : dropped) {
    remove_folder(checkpoint.path);
  }
  const std::vector<Checkpoint> left = list_checkpoints(run_dir);
  if (!left.empty() && !std::filesystem::exists(folder_of(run_dir) / "latest")) {
    switch_latest(folder_of(run_dir), left.back().step);
  }
}

void clean_run(const std::filesystem::path& run_dir) {
  remove_leftovers(run_dir);
  remove_leftovers(folder_of(run_dir));
}

}  // namespace yona
