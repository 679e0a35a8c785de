// One run per folder: a lock on `DIR/.lock` that the system releases however the process ends.
#pragma once

#include <filesystem>

#include "yona/base/file_descriptor.h"

namespace yona {

// Takes the lock of an existing folder, or throws InvalidArgument naming the process and machine
// that hold it. The file keeps the holder's id while the lock is held; it is never deleted, because
// two processes could then lock different files. Throws IoError when the folder cannot be written.
class RunLock {
 public:
  explicit RunLock(const std::filesystem::path& run_dir);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  FileDescriptor file_;
};

}  // namespace yona
