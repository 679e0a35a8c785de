// mmap, or malloc for small files, behind an object that gives the memory back.

#include "yona/base/mapped_file.h"

#include <cstdlib>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/input_file.h"

namespace yona {

namespace {

// An empty file has nothing to map.
std::string_view map(const InputFile& file) {
  if (file.size() == 0) {
    return {};
  }
  void* address = ::mmap(nullptr, file.size(), PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (address == MAP_FAILED) {
    fail_reading(file.path().string());
  }
  return {static_cast<const char*>(address), file.size()};
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path, std::uint64_t read_up_to)
    : path_(std::move(path)) {
  const InputFile file(path_);
  if (file.size() > 0 && file.size() <= read_up_to) {
    // malloc: the memory is not touched before it is read into, unlike that of new[]
    std::unique_ptr<char, decltype(&std::free)> memory(  // NOLINT(cppcoreguidelines-no-malloc)
        static_cast<char*>(std::malloc(file.size())), &std::free);  // NOLINT: the same
    check<DeviceError>(memory != nullptr, "out of memory: {} bytes for {}", file.size(),
                       path_.string());
    file.read(0, memory.get(), file.size());
    bytes_ = {memory.release(), file.size()};
  } else {
    bytes_ = map(file);
    is_mapped_ = true;
  }
}

MappedFile::~MappedFile() {
  char* memory = const_cast<char*>(bytes_.data());  // NOLINT: munmap and free take void*
  if (is_mapped_ && !bytes_.empty()) {
    ::munmap(memory, bytes_.size());
  } else if (!is_mapped_) {
    std::free(memory);  // NOLINT: see the constructor
  }
}

void MappedFile::forget(std::string_view part) const noexcept {
  if (!is_mapped_) {
    return;
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = static_cast<std::size_t>(part.data() - bytes_.data()) / page * page;
  const std::size_t end = static_cast<std::size_t>(part.data() - bytes_.data()) + part.size();
  if (end > begin) {  // a hint: nothing is lost when it is not taken
    ::madvise(const_cast<char*>(bytes_.data()) + begin, end - begin,  // NOLINT: takes void*
              MADV_DONTNEED);
  }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::exchange(other.bytes_, {})),
      is_mapped_(other.is_mapped_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  std::swap(is_mapped_, other.is_mapped_);
  return *this;
}

}  // namespace yona
