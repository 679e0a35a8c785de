// What a model folder's files look like from outside, to notice that they have changed.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "yona/base/timing.h"

namespace yona::serve {

struct FolderLook {
  std::string signature{};      // changes when a file is written, replaced, added or removed
  double rested_seconds = 1e9;  // since the last change

  // Files that were written a moment ago may be followed by others. The clock of a file server may
  // be another: the same twice, here and in the look before, is at rest too.
  bool is_at_rest(const std::string& before) const;
};

// At the files that loading the folder's model may read.
FolderLook look_at(const std::filesystem::path& folder);

// Whether a folder must be loaded, at first and again after its files have changed.
class FolderWatch {
 public:
  explicit FolderWatch(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Looks once a second at most. Stays true until loaded() is called. One thread, as loaded().
  bool is_stale();
  // What was last seen is in memory, or has been tried.
  void loaded();
  // The next is_stale() looks, and takes changes of a moment ago. Any thread.
  void look_again() { is_told_ = true; }

 private:
  const std::filesystem::path folder_;
  std::string signature_, last_seen_;
  Clock::time_point looked_{};
  bool is_loaded_ = false, is_stale_ = true;
  std::atomic<bool> is_told_{false};
};

}  // namespace yona::serve
