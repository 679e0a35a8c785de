// write(2), fsync(2) and what can go wrong with them.

#include "yona/base/file_writer.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "yona/base/error.h"

namespace yona {

namespace {

std::string reason_text(int reason) { return std::generic_category().message(reason); }

// " (1234 bytes are free there)", or nothing when the system does not say.
std::string free_space(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error ? "" : fmt::format(" ({} bytes are free there)", space.available);
}

}  // namespace

FileWriter::FileWriter(std::filesystem::path path, std::int64_t expected_bytes)
    : path_(std::move(path)), expected_(expected_bytes) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    fail_writing(errno);
  }
  // File systems that cannot reserve say so with other codes; there, writing will tell.
  if (expected_ > 0 && ::fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, expected_) != 0 &&
      (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
    const int reason = errno;
    ::close(std::exchange(descriptor_, -1));
    fail_writing(reason);
  }
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void FileWriter::write(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::write(descriptor_, next, bytes);
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done < 0) {
      const int reason = errno;
      expected_ = std::max(expected_, written_ + static_cast<std::int64_t>(bytes));
      fail_writing(reason);
    }
    next += done;
    bytes -= static_cast<std::size_t>(done);
    written_ += done;
  }
}

void FileWriter::close() {
  if (::fsync(descriptor_) != 0) {
    fail_writing(errno);
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    fail_writing(errno);
  }
}

void FileWriter::fail_writing(int reason) const {
  fail<IoError>("cannot write {}: {}; {} bytes were needed and {} are written{}", path_.string(),
                reason_text(reason), std::max(expected_, written_), written_, free_space(path_));
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  check<IoError>(descriptor >= 0, "cannot open folder {}: {}", folder.string(), reason_text(errno));
  const int result = ::fsync(descriptor);
  const int reason = errno;
  ::close(descriptor);
  // EINVAL: this file system has no such notion, and nothing better exists.
  check<IoError>(result == 0 || reason == EINVAL, "cannot sync folder {}: {}", folder.string(),
                 reason_text(reason));
}

}  // namespace yona
