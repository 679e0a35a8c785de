#include "yona/serve/engine/folder_generator.h"

#include <utility>

#include "yona/base/log.h"
#include "yona/io/model_files.h"

namespace yona::serve {

FolderGenerator::FolderGenerator(const ServedFolder& place, const ServedLoading& loading,
                                 const GenerationLimits& limits)
    : place_(place),
      loading_(loading),
      limits_(limits),
      backend_(make_backend(loading.device, {.threads = loading.threads})),
      watch_(place.folder) {
  verify_model_files(place.folder, VerifiedFiles::all, backend_->exec().pool);
}

std::optional<GeneratorSummary> FolderGenerator::load() {
  const Clock::time_point start = Clock::now();
  const bool is_again = is_loaded();
  try {
    auto loaded =
        std::make_unique<LoadedGenerator>(place_.folder, *backend_, loading_.type, limits_);
    GeneratorSummary summary = summary_of(place_);
    loaded_ = std::move(loaded);
    watch_.loaded();
    log().info("{} {} in {:.0f} ms, with a KV cache of {} tokens", summary.id,
               is_again ? "loaded again" : "loaded", 1e3 * seconds_since(start),
               loaded_->generator().cache_tokens());
    return summary;
  } catch (const std::exception& failure) {
    if (!is_again) {
      throw;
    }
    watch_.loaded();  // and not tried again before the next change
    log().warn("{} has changed and cannot be loaded; going on with what it was: {}",
               place_.folder.string(), failure.what());
    return std::nullopt;
  }
}

}  // namespace yona::serve
