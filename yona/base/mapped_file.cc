// mmap behind an object that unmaps.

#include "yona/base/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/file_descriptor.h"

namespace yona {

namespace {

// Maps what `descriptor` refers to; an empty file has nothing to map.
std::string_view map(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    fail_reading(path.string());
  }
  check<IoError>(S_ISREG(status.st_mode), "cannot read {}: not a regular file", path.string());
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    return {};
  }
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) {
    fail_reading(path.string());
  }
  return {static_cast<const char*>(address), size};
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path) : path_(std::move(path)) {
  const FileDescriptor descriptor(path_, O_RDONLY);
  if (!descriptor.is_open()) {
    fail_reading(path_.string());
  }
  bytes_ = map(descriptor.get(), path_);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());  // NOLINT: munmap takes void*
  }
}

void MappedFile::forget(std::string_view part) const noexcept {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = static_cast<std::size_t>(part.data() - bytes_.data()) / page * page;
  const std::size_t end = static_cast<std::size_t>(part.data() - bytes_.data()) + part.size();
  if (end > begin) {  // a hint: nothing is lost when it is not taken
    ::madvise(const_cast<char*>(bytes_.data()) + begin, end - begin,  // NOLINT: takes void*
              MADV_DONTNEED);
  }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace yona
