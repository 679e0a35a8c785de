// The language model of a folder, for one thread: loaded when it is first needed, and again once
// its files have changed. If they cannot be loaded then, the model that was there is kept.
#pragma once

#include <memory>
#include <optional>

#include "yona/backend/backend.h"
#include "yona/serve/engine/folder_look.h"
#include "yona/serve/engine/loaded_generator.h"

namespace yona::serve {

class FolderGenerator {
 public:
  // Compares the folder's files with its checksums. Throws IoError and FormatError.
  FolderGenerator(const ServedFolder& place, const ServedLoading& loading,
                  const GenerationLimits& limits);

  bool is_loaded() const { return loaded_ != nullptr; }
  LoadedGenerator* operator->() const { return loaded_.get(); }

  // Is nothing loaded yet, or has the folder changed and been left alone since?
  bool is_stale() { return watch_.is_stale(); }
  // The next is_stale() checks the folder, even if it has just changed. Any thread.
  void look_again() { watch_.look_again(); }
  // Returns what the folder says now; nothing if the model was kept. No answer may be running.
  // Throws as LoadedGenerator does where there was no model.
  std::optional<GeneratorSummary> load();

 private:
  const ServedFolder place_;
  const ServedLoading loading_;
  const GenerationLimits limits_;
  const std::unique_ptr<Backend> backend_;
  std::unique_ptr<LoadedGenerator> loaded_;
  FolderWatch watch_;
};

}  // namespace yona::serve
