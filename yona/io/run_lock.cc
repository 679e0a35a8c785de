// flock(2) rather than a file that merely exists: nothing stale remains after kill -9.

#include "yona/io/run_lock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <sys/file.h>

#include "yona/base/error.h"

namespace yona {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown machine";
}

// "process 123 on host", as the holder wrote it; it may be between locking and writing.
std::string holder(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  std::string line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  line.resize(std::min(line.size(), line.find('\n')));
  return line.empty() ? "a process that has just started" : line;
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& run_dir)
    : file_(run_dir / ".lock", O_RDWR | O_CREAT) {
  check<IoError>(file_.is_open(), "cannot open {}/.lock: {}", run_dir.string(),
                 system_error_text(errno));
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    check<IoError>(errno == EWOULDBLOCK, "cannot lock {}/.lock: {}", run_dir.string(),
                   system_error_text(errno));
    fail("{} is in use by another run: {}; wait for it, stop it, or choose another folder",
         run_dir.string(), holder(file_.get()));
  }
  const std::string text = fmt::format("process {} on {}\n", ::getpid(), host_name());
  // The lock holds without the text: a full disk must not stop a run here.
  [[maybe_unused]] const bool written =
      ::ftruncate(file_.get(), 0) == 0 && ::pwrite(file_.get(), text.data(), text.size(), 0) > 0;
}

RunLock::~RunLock() { [[maybe_unused]] const int emptied = ::ftruncate(file_.get(), 0); }

}  // namespace yona
