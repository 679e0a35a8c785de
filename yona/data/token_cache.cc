// Opening: find, verify, or build under a lock.

#include "yona/data/token_cache.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/log.h"

namespace yona {

namespace {

// Larger files are mapped, and their payload is not read through at every start; ids are checked as
// they are used.
constexpr std::uint64_t kVerifyPayloadUpTo = std::uint64_t{1} << 30U;

constexpr std::size_t kVerifiedAtATime = std::size_t{16} << 20U;

// The checksum of a part of the file, which is read through without keeping it in memory; `sum`
// continues an earlier one.
std::uint64_t checksum_of(const MappedFile& file, std::uint64_t begin, std::uint64_t size,
                          std::uint64_t sum = 0) {
  for (std::string_view rest = file.bytes().substr(begin, size); !rest.empty();) {
    const std::string_view piece = rest.substr(0, kVerifiedAtATime);
    sum = checksum(piece, sum);
    file.forget(piece);
    rest.remove_prefix(piece.size());
  }
  return sum;
}

// Can a file of this size have such a footer? Then no sum or product of its fields overflows.
bool is_plausible(const TokenCacheFooter& footer, std::uint64_t file_bytes) {
  const bool has_known_content =
      footer.content == static_cast<std::uint64_t>(CacheContent::text)
          ? footer.element_bytes == 1
          : footer.content == static_cast<std::uint64_t>(CacheContent::tokens) &&
                (footer.element_bytes == 2 || footer.element_bytes == 4);
  return has_known_content && footer.sides >= 1 && footer.sides <= kMostSides &&
         footer.elements <= file_bytes && footer.examples <= file_bytes &&
         footer.key_bytes <= file_bytes && footer.report_bytes <= file_bytes;
}

// One builder of a cache at a time. The empty lock file stays: removing it would race.
class BuildLock {
 public:
  explicit BuildLock(const std::filesystem::path& path) {
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    check<IoError>(descriptor_ >= 0, "cannot create {}: {}", path.string(),
                   std::generic_category().message(errno));
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      log().info("waiting for another process that prepares the same corpus");
      while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
      }
    }
  }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;
  ~BuildLock() { ::close(descriptor_); }

 private:
  int descriptor_ = -1;
};

void create_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  check<IoError>(!error, "cannot create cache folder {}: {}", folder.string(), error.message());
}

}  // namespace

TokenCache TokenCache::open(const Source& source, const std::filesystem::path& folder) {
  create_folder(folder);
  const std::filesystem::path path = folder / source.key.file_name;
  if (auto cache = open_existing(path, source)) {
    return std::move(*cache);
  }
  std::filesystem::path lock_path = path;
  lock_path += ".lock";
  const BuildLock lock(lock_path);
  if (auto cache = open_existing(path, source)) {  // made while waiting
    return std::move(*cache);
  }
  {
    TokenCacheWriter writer(path, source.content, source.vocabularies, source.has_documents);
    const CorpusReport report = source.write(writer);
    writer.finish(source.key, report);
  }
  auto cache = open_existing(path, source);
  check<IoError>(cache.has_value(), "the cache {} cannot be read back; is the disk sound?",
                 path.string());
  cache->was_built_ = true;
  return std::move(*cache);
}

std::optional<TokenCache> TokenCache::open_existing(const std::filesystem::path& path,
                                                    const Source& source) {
  TokenCache cache;
  try {
    cache.file_ = MappedFile(path, kVerifyPayloadUpTo);
  } catch (const IoError&) {  // there is none
    return std::nullopt;
  }
  if (!cache.attach() || cache.sides() != source.vocabularies.size() ||
      !cache.has_examples_inside()) {
    log().debug("the token cache {} is damaged and is made again", path.string());
    return std::nullopt;
  }
  const TokenCacheLayout layout(cache.footer_);
  const std::string_view bytes = cache.file_.bytes();
  if (bytes.substr(layout.key, cache.footer_.key_bytes) != source.key.text) {
    log().debug("the token cache {} is out of date", path.string());
    return std::nullopt;
  }
  try {
    cache.report_ = CorpusReport::from_json(
        Json::parse(bytes.substr(layout.report, cache.footer_.report_bytes)));
  } catch (const Json::exception&) {
    log().debug("the token cache {} is damaged and is made again", path.string());
    return std::nullopt;
  }
  cache.vocabularies_ = source.vocabularies;
  return cache;
}

// Points the sections into the mapping; false when anything does not add up.
bool TokenCache::attach() {
  const std::string_view bytes = file_.bytes();
  if (bytes.size() < sizeof(footer_)) {
    return false;
  }
  std::memcpy(&footer_, bytes.data() + bytes.size() - sizeof(footer_), sizeof(footer_));
  const std::string_view fields(reinterpret_cast<const char*>(&footer_),
                                offsetof(TokenCacheFooter, footer_checksum));
  if (footer_.magic != kTokenCacheMagic || footer_.version != kTokenCacheVersion ||
      footer_.footer_checksum != checksum(fields) || !is_plausible(footer_, bytes.size())) {
    return false;
  }
  const TokenCacheLayout layout(footer_);
  const std::uint64_t payload_bytes = footer_.elements * footer_.element_bytes;
  if (layout.file_bytes != bytes.size()) {
    return false;
  }
  examples_checksum_ = checksum_of(file_, layout.offsets, layout.key - layout.offsets);
  if (footer_.index_checksum !=
          checksum_of(file_, layout.key, layout.footer - layout.key, examples_checksum_) ||
      (payload_bytes <= kVerifyPayloadUpTo &&
       footer_.payload_checksum != checksum_of(file_, layout.payload, payload_bytes))) {
    return false;
  }
  const auto at = [&]<class T>(const T*& section, std::uint64_t offset) {
    section = reinterpret_cast<const T*>(bytes.data() + offset);
  };
  at(payload_, layout.payload);
  at(offsets_, layout.offsets);
  for (std::size_t side = 0; side < footer_.sides; ++side) {
    at(tokens_[side], layout.tokens[side]);
    at(extents_[side], layout.extents[side]);
  }
  at(lines_, layout.lines);
  if (footer_.has_weights != 0) {
    at(weights_, layout.weights);
  }
  if (footer_.has_documents != 0) {
    at(documents_, layout.documents);
  }
  return true;
}

std::string TokenCache::digest() const {
  return fmt::format("{:016x}{:016x}", footer_.payload_checksum, examples_checksum_);
}

std::uint64_t TokenCache::begin_of(std::uint64_t example, std::size_t side) const {
  std::uint64_t begin = offsets_[example];
  for (std::size_t before = 0; before < side; ++before) {
    begin += extents_[before][example];
  }
  return begin;
}

void TokenCache::append(std::uint64_t example, std::size_t side,
                        std::vector<std::int32_t>& ids) const {
  check(content() == CacheContent::tokens, "token cache: {} holds text", path().string());
  const std::uint64_t offset = begin_of(example, side);
  const std::uint64_t count = extents_[side][example];
  const std::size_t begin = ids.size();
  ids.resize(begin + count);
  std::int32_t* out = ids.data() + begin;
  if (footer_.element_bytes == 2) {
    const auto* from = reinterpret_cast<const std::uint16_t*>(payload_) + offset;
    std::copy_n(from, count, out);
  } else {
    const auto* from = reinterpret_cast<const std::int32_t*>(payload_) + offset;
    std::copy_n(from, count, out);
  }
  bool in_range = true;
  for (std::uint64_t at = 0; at < count; ++at) {
    in_range = in_range && out[at] >= 0 && out[at] < vocabularies_[side];
  }
  check<FormatError>(in_range, "the token cache {} is damaged; delete it and start again",
                     path().string());
}

std::string_view TokenCache::text(std::uint64_t example, std::size_t side) const {
  check(content() == CacheContent::text, "token cache: {} holds ids", path().string());
  return {payload_ + begin_of(example, side), extents_[side][example]};
}

bool TokenCache::has_examples_inside() const {
  for (std::uint64_t example = 0; example < footer_.examples; ++example) {
    const std::uint64_t extent = begin_of(example, sides()) - offsets_[example];
    if (extent > footer_.elements || offsets_[example] > footer_.elements - extent) {
      return false;
    }
  }
  return true;
}

}  // namespace yona
