#include "yona/tasks/seq2seq/run_files.h"

#include <filesystem>
#include <system_error>

#include "yona/base/error.h"
#include "yona/io/checksums.h"

namespace yona {

void remove_old_model(const RunPlace& place) {
  std::error_code error;
  if (!place.init.empty() && std::filesystem::equivalent(place.init, place.output, error)) {
    return;  // its weights are yet to be read
  }
  for (const char* name : {kManifestFile, "model.safetensors", "config.json"}) {
    std::filesystem::remove(place.output / name, error);
    check<IoError>(!error, "cannot remove {}: {}", (place.output / name).string(), error.message());
  }
}

}  // namespace yona
