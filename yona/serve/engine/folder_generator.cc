#include "yona/serve/engine/folder_generator.h"

#include <utility>

#include "yona/base/log.h"
#include "yona/io/model_files.h"
#include "yona/serve/engine/folder_look.h"

namespace yona::serve {

FolderGenerator::FolderGenerator(const GenerationPlace& place, const GenerationLoading& loading,
                                 const GenerationLimits& limits)
    : place_(place),
      loading_(loading),
      limits_(limits),
      backend_(make_backend(loading.device, {.threads = loading.threads})) {
  verify_model_files(place.folder, VerifiedFiles::all, backend_->exec().pool);
}

bool FolderGenerator::is_stale(Look look) {
  const bool is_told = look == Look::now;
  if (!is_told && loaded_ && Clock::now() - looked_ < std::chrono::seconds(1)) {
    return is_stale_;
  }
  looked_ = Clock::now();
  const FolderLook seen = look_at(place_.folder);
  is_stale_ = !loaded_ || (seen.signature != signature_ &&
                           (is_told || is_stale_ || seen.is_at_rest(last_seen_)));
  last_seen_ = seen.signature;
  return is_stale_;
}

std::optional<GeneratorSummary> FolderGenerator::load() {
  signature_ = last_seen_;
  is_stale_ = false;
  const Clock::time_point start = Clock::now();
  const bool is_again = is_loaded();
  try {
    auto loaded =
        std::make_unique<LoadedGenerator>(place_.folder, *backend_, loading_.type, limits_);
    GeneratorSummary summary = summary_of(place_);
    loaded_ = std::move(loaded);
    log().info("{} {} in {:.0f} ms, with a KV cache of {} tokens", summary.id,
               is_again ? "loaded again" : "loaded", 1e3 * seconds_since(start),
               loaded_->generator().cache_tokens());
    return summary;
  } catch (const std::exception& failure) {
    if (!is_again) {
      throw;
    }
    log().warn("{} has changed and cannot be loaded; going on with what it was: {}",
               place_.folder.string(), failure.what());
    return std::nullopt;
  }
}

}  // namespace yona::serve
