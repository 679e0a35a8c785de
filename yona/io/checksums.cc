// CRC-64 from liblzma: already a dependency, and faster than disks (about 5 GB/s on one core).

#include "yona/io/checksums.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include <lzma.h>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/base/log.h"
#include "yona/io/atomic_file.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

constexpr std::string_view kAlgorithm = "crc64-xz";
constexpr std::uint64_t kChecksumBlock = 1U << 20U;

constexpr const char* kNoSums = "{} is damaged: no {} sums of files";

// Other programs may have a file of this name.
bool is_ours(const Json& manifest) {
  return manifest.is_object() && manifest.value("algorithm", Json()) == kAlgorithm;
}

// Polynomials over GF(2) modulo that of CRC-64/XZ, their highest powers in the lowest bits.
constexpr std::uint64_t kPolynomial = 0xC96C5795D7870F42U;
constexpr std::uint64_t kOne = std::uint64_t{1} << 63U;

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  for (std::uint64_t bit = kOne; bit != 0; bit >>= 1U) {
    if ((a & bit) != 0) {
      result ^= b;
    }
    b = (b >> 1U) ^ ((b & 1U) != 0 ? kPolynomial : 0);
  }
  return result;
}

// x^(8 · bytes): what a checksum is multiplied with when that many bytes follow.
std::uint64_t power_of_bytes(std::uint64_t bytes) {
  std::uint64_t result = kOne;
  std::uint64_t square = kOne >> 8U;  // x^8
  for (; bytes != 0; bytes >>= 1U) {
    if ((bytes & 1U) != 0) {
      result = product(result, square);
    }
    square = product(square, square);
  }
  return result;
}

std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    check(!entry.is_symlink() && (entry.is_regular_file() || entry.is_directory()),
          "{}: only plain files can be checksummed", entry.path().string());
    if (entry.is_regular_file() && entry.path().filename() != kManifestFile) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The fields of one manifest entry; FormatError when they are not what Manifest::write() writes.
FileChecksum parse_sum(const Json& entry, const std::filesystem::path& manifest,
                       const std::string& name) {
  const bool complete = entry.is_object() && entry.contains("bytes") && entry.contains("crc64") &&
                        entry["bytes"].is_number_integer() && entry["crc64"].is_string();
  check<FormatError>(complete, "{}: the entry of {} is damaged", manifest.string(), name);
  const std::string hex = entry["crc64"].get<std::string>();
  check<FormatError>(hex.size() == 16 && hex.find_first_not_of("0123456789abcdef") == hex.npos,
                     "{}: the checksum of {} is damaged", manifest.string(), name);
  return {entry["bytes"].get<std::int64_t>(), std::stoull(hex, nullptr, 16)};
}

std::vector<FileChecksum> parse_entry(const Json& entry, const std::filesystem::path& manifest,
                                      const std::string& name) {
  std::vector<FileChecksum> sums{parse_sum(entry, manifest, name)};
  if (entry.contains("before")) {
    check<FormatError>(entry["before"].is_array(), "{}: the entry of {} is damaged",
                       manifest.string(), name);
    for (const Json& before : entry["before"]) {
      sums.push_back(parse_sum(before, manifest, name));
    }
  }
  return sums;
}

Json sum_json(const FileChecksum& sum) {
  return {{"bytes", sum.bytes}, {"crc64", fmt::format("{:016x}", sum.crc64)}};
}

void verify_file(const std::filesystem::path& folder, const std::string& name,
                 const Manifest& manifest) {
  const std::filesystem::path path = folder / name;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  check<FormatError>(!error, "{} is missing or unreadable: {}", path.string(), error.message());
  std::string fault = manifest.size_fault(name, size);
  if (fault.empty()) {
    fault = manifest.fault(name, checksum_file(path));
  }
  check<FormatError>(fault.empty(), "{} {}", path.string(), fault);
}

}  // namespace

FileChecksum joined(const FileChecksum& first, const FileChecksum& second) {
  return {first.bytes + second.bytes,
          product(first.crc64, power_of_bytes(static_cast<std::uint64_t>(second.bytes))) ^
              second.crc64};
}

FileChecksum checksum_bytes(std::string_view bytes) {
  return {static_cast<std::int64_t>(bytes.size()),
          lzma_crc64(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), 0)};
}

FileChecksum checksum_input(const InputFile& file, ThreadPool* pool, char* to) {
  const std::uint64_t blocks = (file.size() + kChecksumBlock - 1) / kChecksumBlock;
  std::vector<FileChecksum> sums(blocks);
  const auto read = [&](std::int64_t index) {
    thread_local std::vector<char> scratch;
    const std::uint64_t begin = static_cast<std::uint64_t>(index) * kChecksumBlock;
    const std::uint64_t size = std::min(kChecksumBlock, file.size() - begin);
    if (to == nullptr) {
      scratch.resize(kChecksumBlock);
    }
    char* block = to == nullptr ? scratch.data() : to + begin;
    file.read(begin, block, size);
    sums[static_cast<std::size_t>(index)] = checksum_bytes({block, size});
  };
  if (pool != nullptr) {
    pool->run(static_cast<std::int64_t>(blocks), read);
  } else {
    for (std::uint64_t index = 0; index < blocks; ++index) {
      read(static_cast<std::int64_t>(index));
    }
  }
  FileChecksum whole;
  for (const FileChecksum& sum : sums) {
    whole = joined(whole, sum);
  }
  return whole;
}

FileChecksum checksum_file(const std::filesystem::path& path) {
  return checksum_input(InputFile(path));
}

std::optional<Manifest> Manifest::find(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kManifestFile;
  if (!std::filesystem::exists(path)) {
    return std::nullopt;
  }
  const Json json = read_json(path);
  if (!is_ours(json)) {
    log().debug("{}: was written by another program, and is not looked at", path.string());
    return std::nullopt;
  }
  check<FormatError>(json.contains("files") && json["files"].is_object(), kNoSums, path.string(),
                     kAlgorithm);
  Manifest manifest;
  for (const auto& [name, entry] : json["files"].items()) {
    check<FormatError>(std::filesystem::path(name).filename() == name,
                       "{} is damaged: '{}' is not a plain file name", path.string(), name);
    manifest.files_[name] = parse_entry(entry, path, name);
  }
  return manifest;
}

std::vector<std::string> Manifest::names() const {
  std::vector<std::string> names;
  for (const auto& [name, sums] : files_) {
    names.push_back(name);
  }
  return names;
}

std::string Manifest::size_fault(const std::string& name, std::uint64_t bytes) const {
  const auto found = files_.find(name);
  if (found == files_.end() ||
      std::any_of(found->second.begin(), found->second.end(), [&](const FileChecksum& sum) {
        return static_cast<std::uint64_t>(sum.bytes) == bytes;
      })) {
    return "";
  }
  return fmt::format("is damaged: it has {} bytes and should have {}", bytes,
                     found->second.front().bytes);
}

std::string Manifest::fault(const std::string& name, const FileChecksum& checksum) const {
  const auto found = files_.find(name);
  if (found == files_.end() ||
      std::find(found->second.begin(), found->second.end(), checksum) != found->second.end()) {
    return "";
  }
  const std::string size = size_fault(name, static_cast<std::uint64_t>(checksum.bytes));
  return size.empty() ? "is damaged: its checksum is not the one saved with it" : size;
}

void Manifest::replace(const std::string& name, const FileChecksum& checksum,
                       const std::optional<FileChecksum>& before) {
  std::vector<FileChecksum>& sums = files_[name];
  if (sums.empty() || sums.front() != checksum || (before && before != checksum)) {
    sums = {checksum};
    if (before && before != checksum) {
      sums.push_back(*before);
    }
  }
}

void check_own_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kManifestFile;
  if (!std::filesystem::exists(path)) {
    return;
  }
  std::optional<Json> json;
  try {
    json = read_json(path);
  } catch (const FormatError&) {  // damaged: it may well be ours
    return;
  }
  check(is_ours(*json), "{}: was written by another program, and is not replaced; move it away",
        path.string());
}

void Manifest::write(const std::filesystem::path& folder) const {
  Json files = Json::object();
  for (const auto& [name, sums] : files_) {
    Json entry = sum_json(sums.front());
    for (std::size_t i = 1; i < sums.size(); ++i) {
      entry["before"].push_back(sum_json(sums[i]));
    }
    files[name] = std::move(entry);
  }
  const Json json{{"algorithm", kAlgorithm}, {"files", std::move(files)}};
  replace_file(folder / kManifestFile,
               [&](const std::filesystem::path& path) { write_json(path, json); });
}

void check_listed(const Manifest& manifest, const std::filesystem::path& file, std::uint64_t bytes,
                  const std::function<FileChecksum()>& checksum) {
  const std::string name = file.filename().string();
  if (!manifest.lists(name)) {
    return;
  }
  std::string fault = manifest.size_fault(name, bytes);
  if (fault.empty()) {
    fault = manifest.fault(name, checksum());
  }
  check<FormatError>(fault.empty(),
                     "{} {}; restore the file, or, if another program wrote it, record the "
                     "checksums again: yona info --model {} --record-checksums",
                     file.string(), fault, file.parent_path().string());
}

void write_checksums(const std::filesystem::path& folder) {
  Manifest manifest;
  for (const std::string& name : files_in(folder)) {
    manifest.set(name, checksum_file(folder / name));
  }
  manifest.write(folder);
}

void verify_folder(const std::filesystem::path& folder) {
  const std::optional<Manifest> manifest = Manifest::find(folder);
  const std::filesystem::path path = folder / kManifestFile;
  check<FormatError>(std::filesystem::exists(path), "{} is missing", path.string());
  check<FormatError>(manifest.has_value(), kNoSums, path.string(), kAlgorithm);
  for (const std::string& name : manifest->names()) {
    verify_file(folder, name, *manifest);
  }
}

}  // namespace yona
