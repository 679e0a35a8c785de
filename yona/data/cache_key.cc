// A file's state is its path, size, time of change and content.

#include "yona/data/cache_key.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <lzma.h>

#include "yona/base/file_descriptor.h"
#include "yona/data/token_cache_format.h"

namespace yona {

namespace {

constexpr std::uint64_t kWholeUpTo = std::uint64_t{256} << 20U;
constexpr std::uint64_t kSampleBytes = std::uint64_t{1} << 18U;
constexpr std::uint64_t kSamples = 64;

std::uint64_t content_checksum(int file, std::uint64_t size, const std::filesystem::path& path) {
  const bool whole = size <= kWholeUpTo;
  const std::uint64_t blocks = whole ? (size + kSampleBytes - 1) / kSampleBytes : kSamples;
  std::vector<char> block(kSampleBytes);
  std::uint64_t crc = 0;
  for (std::uint64_t index = 0; index < blocks; ++index) {
    const std::uint64_t offset =
        whole ? index * kSampleBytes : (size - kSampleBytes) / (kSamples - 1) * index;
    const std::uint64_t start = !whole && index + 1 == kSamples ? size - kSampleBytes : offset;
    const ssize_t got = ::pread(file, block.data(), block.size(), static_cast<off_t>(start));
    if (got < 0) {
      fail_reading(path.string());
    }
    crc = checksum({block.data(), static_cast<std::size_t>(got)}, crc);
  }
  return crc;
}

// `status` gets what the system knows of the file.
FileContent read_content(const std::filesystem::path& path, struct stat& status) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || ::fstat(file, &status) != 0) {
    fail_reading(path.string());
  }
  FileContent content{static_cast<std::uint64_t>(status.st_size), 0};
  try {
    if (S_ISDIR(status.st_mode)) {
      errno = EISDIR;
      fail_reading(path.string());
    }
    content.checksum = content_checksum(file, content.bytes, path);
  } catch (...) {
    ::close(file);
    throw;
  }
  ::close(file);
  return content;
}

Json file_state(const std::filesystem::path& path) {
  struct stat status {};
  const FileContent content = read_content(path, status);
  return {{"size", content.bytes},
          {"changed", fmt::format("{}.{:09}", status.st_mtim.tv_sec, status.st_mtim.tv_nsec)},
          {"checksum", fmt::format("{:016x}", content.checksum)}};
}

Json model_state(const Subword& subword) {
  return {{"bytes", subword.model().size()},
          {"checksum", fmt::format("{:016x}", checksum(subword.model()))},
          {"vocabulary", fmt::format("{:016x}", checksum(subword.vocabulary().to_json()))}};
}

// Letters and digits of the corpus name: readable, and safe in any file system.
std::string safe_name(std::string_view name) {
  std::string safe;
  for (const char letter : name.substr(0, 40)) {
    safe += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  }
  return safe.empty() ? "corpus" : safe;
}

}  // namespace

FileContent file_content(const std::filesystem::path& path) {
  struct stat status {};
  return read_content(path, status);
}

std::uint64_t checksum(std::string_view bytes, std::uint64_t crc) {
  return ::lzma_crc64(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), crc);
}

CacheKey cache_key(const CorpusSpec& corpus, const PairEncoder& encoder,
                   const TokenizeOptions& options) {
  Json key = {{"format", kTokenCacheVersion},
              {"corpus", corpus.name},
              {"content", static_cast<int>(options.content)},
              {"max_length", options.max_length},
              {"source_tags", corpus.source_tags},
              {"target_tags", corpus.target_tags},
              {"columns",
               {corpus.columns.source, corpus.columns.target, corpus.columns.weight,
                corpus.columns.document}},
              {"source", model_state(encoder.source.subword)},
              {"target", model_state(encoder.target.subword)},
              {"paths", Json::array()}};
  if (!encoder.identity.empty()) {
    key["encoder"] = {{"identity", encoder.identity},
                      {"source", {encoder.source.before, encoder.source.after}},
                      {"target", {encoder.target.before, encoder.target.after}}};
  }
  Json states = Json::array();
  for (const auto* files : {&corpus.source_files, &corpus.target_files, &corpus.tsv_files}) {
    Json paths = Json::array();
    for (const std::filesystem::path& path : *files) {
      paths.push_back(std::filesystem::absolute(path).lexically_normal().string());
      states.push_back(file_state(path));
    }
    key["paths"].push_back(std::move(paths));
  }
  CacheKey result;
  const auto dump = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  result.file_name = fmt::format("{}-{:016x}.tokens", safe_name(corpus.name), checksum(dump(key)));
  key["files"] = std::move(states);
  result.text = dump(key);
  return result;
}

}  // namespace yona
