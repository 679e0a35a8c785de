// Bytes as files that lie in memory, for readers that take a path: no disk is touched, so that more
// inputs are tried.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

namespace yona::testing {

// One file, which can be given other bytes.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz", 0)) { require(descriptor_ >= 0); }
  MemoryFile(const void* data, std::size_t size) : MemoryFile() { set(data, size); }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void set(const void* data, std::size_t size) {
    require(::ftruncate(descriptor_, 0) == 0 &&
            ::pwrite(descriptor_, data, size, 0) == static_cast<ssize_t>(size));
  }
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  static void require(bool condition) {
    if (!condition) {
      std::abort();
    }
  }

  int descriptor_;
};

// A folder of links to such files, under the names that a reader may ask for. Made once for all
// inputs.
class MemoryFolder {
 public:
  explicit MemoryFolder(std::initializer_list<const char*> names) : files_(names.size()) {
    std::string made = (std::filesystem::temp_directory_path() / "yona-fuzz-XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) {
      std::abort();
    }
    path_ = made;
    auto file = files_.begin();
    for (const char* name : names) {
      std::filesystem::create_directories((path_ / name).parent_path());
      std::filesystem::create_symlink((file++)->path(), path_ / name);
    }
  }
  ~MemoryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;

  // All files hold these bytes.
  void set(const void* data, std::size_t size) {
    for (MemoryFile& file : files_) {
      file.set(data, size);
    }
  }
  void set(std::size_t number, const void* data, std::size_t size) {
    files_.at(number).set(data, size);
  }
  // The files hold what is between NUL bytes, in the order of the names; the last holds the rest.
  void set_parts(std::string_view bytes) {
    for (MemoryFile& file : files_) {
      const std::size_t end =
          &file == &files_.back() ? bytes.size() : std::min(bytes.find('\0'), bytes.size());
      file.set(bytes.data(), end);
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::vector<MemoryFile> files_;
  std::filesystem::path path_;
};

}  // namespace yona::testing
