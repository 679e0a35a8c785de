// Bytes as files that lie in memory, for readers that take a path: no disk is touched, so that more
// inputs are tried.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

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

// A folder of links to one such file, under each of the names that a reader may ask for. Made once
// for all inputs; what was given last is what all of them hold.
class MemoryFolder {
 public:
  explicit MemoryFolder(std::initializer_list<const char*> names) {
    std::string made = (std::filesystem::temp_directory_path() / "yona-fuzz-XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) {
      std::abort();
    }
    path_ = made;
    for (const char* name : names) {
      std::filesystem::create_symlink(file_.path(), path_ / name);
    }
  }
  ~MemoryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;

  void set(const void* data, std::size_t size) { file_.set(data, size); }
  const std::filesystem::path& path() const { return path_; }

 private:
  MemoryFile file_;
  std::filesystem::path path_;
};

}  // namespace yona::testing
