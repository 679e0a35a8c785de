// The language model of a folder, for one thread: loaded when it is first needed, and again once
// its files have changed. If they cannot be loaded then, the model that was there is kept.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "yona/backend/backend.h"
#include "yona/serve/engine/loaded_generator.h"

namespace yona::serve {

// Where and how models are loaded.
struct GenerationLoading {
  std::string device = "cpu";
  int threads = 0;  // 0: all CPUs that may be used
  ComputeType type{.is_folders = true};
};

class FolderGenerator {
 public:
  // Compares the folder's files with its checksums. Throws IoError and FormatError.
  FolderGenerator(const GenerationPlace& place, const GenerationLoading& loading,
                  const GenerationLimits& limits);

  bool is_loaded() const { return loaded_ != nullptr; }
  LoadedGenerator* operator->() const { return loaded_.get(); }

  enum class Look : std::uint8_t { now, each_second };  // at the files: at most once a second
  // Is there nothing loaded yet, or has the folder changed and is at rest?
  bool is_stale(Look look);
  // Returns what the folder says now; nothing if the model was kept. Nothing may be under way.
  // Throws as LoadedGenerator does where there was no model.
  std::optional<GeneratorSummary> load();

 private:
  const GenerationPlace place_;
  const GenerationLoading loading_;
  const GenerationLimits limits_;
  const std::unique_ptr<Backend> backend_;
  std::unique_ptr<LoadedGenerator> loaded_;
  std::string signature_, last_seen_;  // of the files: loaded, and at the last look
  Clock::time_point looked_{};
  bool is_stale_ = false;
};

}  // namespace yona::serve
