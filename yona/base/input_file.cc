// pread(2), and a look at size and time of the file after each: what was read is of one version.

#include "yona/base/input_file.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "yona/base/error.h"

namespace yona {

namespace {

struct stat status_of(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    fail_reading(path.string());
  }
  return status;
}

}  // namespace

// O_NONBLOCK: opening a pipe that nothing writes to would wait for ever.
InputFile::InputFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(path_, O_RDONLY | O_NONBLOCK) {
  if (!descriptor_.is_open()) {
    fail_reading(path_.string());
  }
  const struct stat status = status_of(descriptor_, path_);
  check<IoError>(S_ISREG(status.st_mode), "cannot read {}: not a regular file", path_.string());
  size_ = static_cast<std::uint64_t>(status.st_size);
  written_ = status.st_mtim;
}

void InputFile::check_unchanged() const {
  const struct stat status = status_of(descriptor_, path_);
  check<FormatError>(
      static_cast<std::uint64_t>(status.st_size) == size_ &&
          status.st_mtim.tv_sec == written_.tv_sec && status.st_mtim.tv_nsec == written_.tv_nsec,
      "{} was written to while it was in use; try again when it is complete", path_.string());
}

void InputFile::read(std::uint64_t offset, void* to, std::size_t bytes) const {
  auto* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = ::pread(descriptor_.get(), next, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      fail_reading(path_.string());
    }
    if (count == 0) {
      check_unchanged();
      fail<FormatError>("{} ends before byte {}", path_.string(), offset + bytes);
    }
    next += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
  check_unchanged();
}

std::string read_file(const std::filesystem::path& path) {
  const InputFile file(path);
  std::string bytes(file.size(), '\0');
  file.read(0, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace yona
