// CRC-64 from liblzma: already a dependency, and faster than disks (about 5 GB/s on one core).

#include "yona/io/checksums.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include <lzma.h>

#include "yona/base/error.h"
#include "yona/base/file_descriptor.h"
#include "yona/base/json.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

constexpr std::string_view kManifest = "checksums.json";
constexpr std::string_view kAlgorithm = "crc64-xz";
constexpr std::size_t kChecksumBlock = 1U << 20U;

std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    check(entry.is_regular_file(), "{}: only plain files can be checksummed",
          entry.path().string());
    if (entry.path().filename() != kManifest) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The fields of one manifest entry; FormatError when they are not what write_checksums() writes.
FileChecksum parse_entry(const Json& entry, const std::filesystem::path& manifest,
                         const std::string& name) {
  const bool complete = entry.is_object() && entry.contains("bytes") && entry.contains("crc64") &&
                        entry["bytes"].is_number_integer() && entry["crc64"].is_string();
  check<FormatError>(complete, "{}: the entry of {} is damaged", manifest.string(), name);
  const std::string hex = entry["crc64"].get<std::string>();
  check<FormatError>(hex.size() == 16 && hex.find_first_not_of("0123456789abcdef") == hex.npos,
                     "{}: the checksum of {} is damaged", manifest.string(), name);
  return {entry["bytes"].get<std::int64_t>(), std::stoull(hex, nullptr, 16)};
}

void verify_file(const std::filesystem::path& path, const FileChecksum& expected) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  check<FormatError>(!error, "{} is missing or unreadable: {}", path.string(), error.message());
  check<FormatError>(size == static_cast<std::uintmax_t>(expected.bytes),
                     "{} is damaged: it has {} bytes and should have {}", path.string(), size,
                     expected.bytes);
  check<FormatError>(checksum_file(path) == expected,
                     "{} is damaged: its checksum is not the one saved with it", path.string());
}

}  // namespace

FileChecksum checksum_file(const std::filesystem::path& path) {
  // read(2) and not a memory map: a bad disk is an error here, there it would be a fatal signal.
  const FileDescriptor file(path, O_RDONLY);
  check<IoError>(file.is_open(), "cannot read {}: {}", path.string(), system_error_text(errno));
  FileChecksum result;
  std::vector<std::uint8_t> block(kChecksumBlock);
  for (;;) {
    const ssize_t count = ::read(file.get(), block.data(), block.size());
    if (count == 0) {
      return result;
    }
    if (count < 0 && errno == EINTR) {
      continue;
    }
    check<IoError>(count > 0, "cannot read {}: {}", path.string(), system_error_text(errno));
    result.crc64 = lzma_crc64(block.data(), static_cast<std::size_t>(count), result.crc64);
    result.bytes += count;
  }
}

void write_checksums(const std::filesystem::path& folder) {
  Json files = Json::object();
  for (const std::string& name : files_in(folder)) {
    const FileChecksum sum = checksum_file(folder / name);
    files[name] = {{"bytes", sum.bytes}, {"crc64", fmt::format("{:016x}", sum.crc64)}};
  }
  write_json(folder / kManifest, {{"algorithm", kAlgorithm}, {"files", files}});
}

void verify_folder(const std::filesystem::path& folder) {
  const std::filesystem::path manifest = folder / kManifest;
  check<FormatError>(std::filesystem::exists(manifest), "{} is missing", manifest.string());
  const Json json = read_json(manifest);
  check<FormatError>(json.is_object() && json.value("algorithm", Json()) == kAlgorithm &&
                         json.contains("files") && json["files"].is_object(),
                     "{} is damaged: no {} sums of files", manifest.string(), kAlgorithm);
  for (const auto& [name, entry] : json["files"].items()) {
    check<FormatError>(std::filesystem::path(name).filename() == name,
                       "{} is damaged: '{}' is not a plain file name", manifest.string(), name);
    verify_file(folder / name, parse_entry(entry, manifest, name));
  }
}

}  // namespace yona
