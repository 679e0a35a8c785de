// The manifest of a folder: `checksums.json` has the size and CRC-64 of the files next to it, so
// that a damaged model or checkpoint is noticed before it is used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/input_file.h"
#include "yona/base/thread_pool.h"

namespace yona {

inline constexpr const char* kManifestFile = "checksums.json";

struct FileChecksum {
  std::int64_t bytes = 0;
  std::uint64_t crc64 = 0;  // CRC-64/XZ, as liblzma computes it

  bool operator==(const FileChecksum&) const = default;
};

// Of two texts one after the other, by the checksums of each.
FileChecksum joined(const FileChecksum& first, const FileChecksum& second);

// Reads the whole file, by the threads of the pool where one is given, and into `to`, of the file's
// size, unless that is null. Throws as InputFile::read().
FileChecksum checksum_input(const InputFile& file, ThreadPool* pool = nullptr, char* to = nullptr);
FileChecksum checksum_bytes(std::string_view bytes);
FileChecksum checksum_file(const std::filesystem::path& path);

// What a folder's checksums.json says.
class Manifest {
 public:
  Manifest() = default;
  // None when the folder has none, or another program's file of that name. Throws FormatError when
  // it is damaged.
  static std::optional<Manifest> find(const std::filesystem::path& folder);

  bool lists(const std::string& name) const { return files_.contains(name); }
  std::vector<std::string> names() const;  // sorted
  // What is wrong with a listed file of which this is the checksum, or the size alone; empty:
  // nothing, as far as that says, or it is not listed.
  std::string fault(const std::string& name, const FileChecksum& found) const;
  std::string size_fault(const std::string& name, std::uint64_t bytes) const;

  // The file, whose checksum is `before` where it is there, is about to be replaced by one with
  // this checksum. Until the next time both are right: the folder agrees with its manifest before
  // and after, at a kill in between, and for a reader that opened the file that was there.
  void replace(const std::string& name, const FileChecksum& checksum,
               const std::optional<FileChecksum>& before);
  void set(const std::string& name, const FileChecksum& checksum) { files_[name] = {checksum}; }

  // Replaces the folder's checksums.json atomically. Throws IoError.
  void write(const std::filesystem::path& folder) const;

 private:
  std::map<std::string, std::vector<FileChecksum>> files_;  // the newest first
};

// Throws InvalidArgument when the folder's checksums.json is of another program.
void check_own_manifest(const std::filesystem::path& folder);

// Throws FormatError, saying how to record checksums again, when a file of a model folder is not as
// its manifest says. `checksum` is called when the size is right.
void check_listed(const Manifest& manifest, const std::filesystem::path& file, std::uint64_t bytes,
                  const std::function<FileChecksum()>& checksum);

// Writes `checksums.json` for the files of `folder`, all of them plain. Files of folders in it
// (1_Pooling/config.json) are not listed: the manifest has plain names alone. Throws IoError.
void write_checksums(const std::filesystem::path& folder);

// Reads every file that `checksums.json` lists. Throws FormatError naming the first that is
// missing, of another size, or changed; files that are not listed do not matter.
void verify_folder(const std::filesystem::path& folder);

}  // namespace yona
