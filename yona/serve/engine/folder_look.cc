#include "yona/serve/engine/folder_look.h"

#include <algorithm>
#include <ctime>
#include <sys/stat.h>

#include <fmt/format.h>

#include "yona/io/model_files.h"

namespace yona::serve {

bool FolderLook::is_at_rest(const std::string& before) const {
  constexpr double kRest = 1;
  return rested_seconds > kRest || rested_seconds < 0 || signature == before;
}

FolderLook look_at(const std::filesystem::path& folder) {
  FolderLook look;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  for (const std::string& name : model_files(folder)) {
    struct stat status {};
    if (::stat((folder / name).c_str(), &status) != 0) {
      continue;
    }
    look.signature += fmt::format("{} {} {} {}.{};", name, status.st_ino, status.st_size,
                                  status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    const double age = static_cast<double>(now.tv_sec - status.st_ctim.tv_sec) +
                       1e-9 * static_cast<double>(now.tv_nsec - status.st_ctim.tv_nsec);
    look.rested_seconds = std::min(look.rested_seconds, age);
  }
  return look;
}

bool FolderWatch::is_stale() {
  const bool is_told = is_told_.exchange(false);
  if (!is_told && is_loaded_ && Clock::now() - looked_ < std::chrono::seconds(1)) {
    return is_stale_;
  }
  looked_ = Clock::now();
  const FolderLook seen = look_at(folder_);
  is_stale_ = !is_loaded_ || (seen.signature != signature_ &&
                              (is_told || is_stale_ || seen.is_at_rest(last_seen_)));
  last_seen_ = seen.signature;
  return is_stale_;
}

void FolderWatch::loaded() {
  signature_ = last_seen_;
  is_loaded_ = true;
  is_stale_ = false;
}

}  // namespace yona::serve
