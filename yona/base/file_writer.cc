// write(2), fsync(2) and what can go wrong with them.

#include "yona/base/file_writer.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "yona/base/error.h"

namespace yona {

namespace {

// " (1234 bytes are free there)", or nothing when the system does not say.
std::string free_space(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error ? "" : fmt::format(" ({} bytes are free there)", space.available);
}

}  // namespace

FileWriter::FileWriter(std::filesystem::path path, std::int64_t expected_bytes)
    : path_(std::move(path)),
      descriptor_(path_, O_WRONLY | O_CREAT | O_TRUNC),
      expected_(expected_bytes) {
  if (!descriptor_.is_open()) {
    fail_writing(errno);
  }
  // File systems that cannot reserve say so with other codes; there, writing will tell.
  if (expected_ > 0 && ::fallocate(descriptor_.get(), FALLOC_FL_KEEP_SIZE, 0, expected_) != 0 &&
      (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
    fail_writing(errno);
  }
}

void FileWriter::write(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::write(descriptor_.get(), next, bytes);
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
  if (::fsync(descriptor_.get()) != 0 || !descriptor_.close()) {
    fail_writing(errno);
  }
}

void FileWriter::fail_writing(int reason) const {
  fail<IoError>("cannot write {}: {}; {} bytes were needed and {} are written{}", path_.string(),
                system_error_text(reason), std::max(expected_, written_), written_,
                free_space(path_));
}

void sync_file(const std::filesystem::path& path) {
  const FileDescriptor file(path, O_RDONLY);
  check<IoError>(file.is_open() && ::fsync(file.get()) == 0, "cannot bring {} to disk: {}",
                 path.string(), system_error_text(errno));
}

void sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor descriptor(folder, O_RDONLY | O_DIRECTORY);
  check<IoError>(descriptor.is_open(), "cannot open folder {}: {}", folder.string(),
                 system_error_text(errno));
  // EINVAL: this file system has no such notion, and nothing better exists.
  check<IoError>(::fsync(descriptor.get()) == 0 || errno == EINVAL, "cannot sync folder {}: {}",
                 folder.string(), system_error_text(errno));
}

}  // namespace yona
