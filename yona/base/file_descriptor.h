// A POSIX file descriptor that closes itself, and the text of a system error.
#pragma once

#include <fcntl.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace yona {

// Opening may fail: ask is_open(), then errno says why. Children of exec() do not inherit it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  FileDescriptor(const std::filesystem::path& path, int flags, mode_t mode = 0666)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
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

}  // namespace yona
