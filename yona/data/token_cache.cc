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
#include "yona/data/token_cache_builder.h"

namespace yona {

namespace {

// Larger files are mapped, and their payload is not read through at every start; ids are checked as
// they are used.
constexpr std::uint64_t kVerifyPayloadUpTo = std::uint64_t{1} << 30U;

constexpr std::size_t kVerifiedAtATime = std::size_t{16} << 20U;

// The checksum of a part of the file, which is read through without keeping it in memory.
std::uint64_t checksum_of(const MappedFile& file, std::uint64_t begin, std::uint64_t size) {
  std::uint64_t sum = 0;
  for (std::string_view rest = file.bytes().substr(begin, size); !rest.empty();) {
    const std::string_view piece = rest.substr(0, kVerifiedAtATime);
    sum = checksum(piece, sum);
    file.forget(piece);
    rest.remove_prefix(piece.size());
  }
  return sum;
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

TokenCache TokenCache::open(const CorpusSpec& corpus, const PairEncoder& encoder,
                            const TokenizeOptions& options, const std::filesystem::path& folder,
                            ThreadPool& pool) {
  check_corpus(corpus);
  check(options.max_length >= 2, "corpus {}: max_length is {}; it must be 2 or more", corpus.name,
        options.max_length);
  const CacheKey key = cache_key(corpus, encoder, options);
  create_folder(folder);
  const std::filesystem::path path = folder / key.file_name;
  if (auto cache = open_existing(path, key, encoder)) {
    return std::move(*cache);
  }
  std::filesystem::path lock_path = path;
  lock_path += ".lock";
  const BuildLock lock(lock_path);
  if (auto cache = open_existing(path, key, encoder)) {  // made while waiting
    return std::move(*cache);
  }
  build_token_cache(corpus, encoder, options, key, path, pool);
  auto cache = open_existing(path, key, encoder);
  check<IoError>(cache.has_value(), "the cache {} cannot be read back; is the disk sound?",
                 path.string());
  cache->was_built_ = true;
  return std::move(*cache);
}

std::optional<TokenCache> TokenCache::open_existing(const std::filesystem::path& path,
                                                    const CacheKey& key,
                                                    const PairEncoder& encoder) {
  TokenCache cache;
  try {
    cache.file_ = MappedFile(path, kVerifyPayloadUpTo);
  } catch (const IoError&) {  // there is none
    return std::nullopt;
  }
  if (!cache.attach()) {
    log().debug("the token cache {} is damaged and is made again", path.string());
    return std::nullopt;
  }
  const TokenCacheLayout layout(cache.footer_);
  const std::string_view bytes = cache.file_.bytes();
  if (bytes.substr(layout.key, cache.footer_.key_bytes) != key.text) {
    log().debug("the token cache {} is out of date", path.string());
    return std::nullopt;
  }
  cache.report_ =
      CorpusReport::from_json(Json::parse(bytes.substr(layout.report, cache.footer_.report_bytes)));
  cache.source_vocabulary_ = encoder.source.subword.vocabulary().size();
  cache.target_vocabulary_ = encoder.target.subword.vocabulary().size();
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
      footer_.footer_checksum != checksum(fields)) {
    return false;
  }
  const TokenCacheLayout layout(footer_);
  const std::uint64_t payload_bytes = footer_.elements * footer_.element_bytes;
  if (layout.file_bytes != bytes.size() ||
      footer_.index_checksum !=
          checksum_of(file_, layout.offsets, layout.footer - layout.offsets) ||
      (payload_bytes <= kVerifyPayloadUpTo &&
       footer_.payload_checksum != checksum_of(file_, layout.payload, payload_bytes))) {
    return false;
  }
  const auto at = [&]<class T>(const T*& section, std::uint64_t offset) {
    section = reinterpret_cast<const T*>(bytes.data() + offset);
  };
  at(payload_, layout.payload);
  at(offsets_, layout.offsets);
  at(source_tokens_, layout.source_tokens);
  at(target_tokens_, layout.target_tokens);
  const bool is_text = content() == CacheContent::text;
  at(source_extents_, is_text ? layout.source_extents : layout.source_tokens);
  at(target_extents_, is_text ? layout.target_extents : layout.target_tokens);
  at(lines_, layout.lines);
  if (footer_.has_weights != 0) {
    at(weights_, layout.weights);
  }
  if (footer_.has_documents != 0) {
    at(documents_, layout.documents);
  }
  return true;
}

void TokenCache::append_source(std::uint64_t pair, std::vector<std::int32_t>& ids) const {
  append(offsets_[pair], source_extents_[pair], source_vocabulary_, ids);
}

void TokenCache::append_target(std::uint64_t pair, std::vector<std::int32_t>& ids) const {
  append(offsets_[pair] + source_extents_[pair], target_extents_[pair], target_vocabulary_, ids);
}

void TokenCache::append(std::uint64_t offset, std::uint64_t count, std::int32_t vocabulary,
                        std::vector<std::int32_t>& ids) const {
  check(content() == CacheContent::tokens, "token cache: {} holds text", path().string());
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
    in_range = in_range && out[at] >= 0 && out[at] < vocabulary;
  }
  check<FormatError>(in_range, "the token cache {} is damaged; delete it and start again",
                     path().string());
}

std::string_view TokenCache::source_text(std::uint64_t pair) const {
  check(content() == CacheContent::text, "token cache: {} holds ids", path().string());
  return {payload_ + offsets_[pair], source_extents_[pair]};
}

std::string_view TokenCache::target_text(std::uint64_t pair) const {
  check(content() == CacheContent::text, "token cache: {} holds ids", path().string());
  return {payload_ + offsets_[pair] + source_extents_[pair], target_extents_[pair]};
}

}  // namespace yona
