// A POSIX file descriptor that closes itself, and what to say of a system error.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "yona/base/error.h"

namespace yona {

// Opening may fail: ask is_open(), then errno says why. Children of exec() do not inherit it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  FileDescriptor(const std::filesystem::path& path, int flags, mode_t mode = 0666)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  // One that is open already, such as an end of a pipe.
  static FileDescriptor owning(int descriptor) {
    FileDescriptor owner;
    owner.descriptor_ = descriptor;
    return owner;
  }
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

  // True when the system reports no error, which may be one of an earlier write.
  bool close() { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_ = -1;
};

// "No space left on device": what errno `code` means.
inline std::string system_error_text(int code) { return std::generic_category().message(code); }

// Throws IoError saying that the file cannot be read, and why: what errno tells.
[[noreturn]] inline void fail_reading(std::string_view name) {
  fail<IoError>("cannot read {}: {}", name, system_error_text(errno));
}

}  // namespace yona
