// Language models behind OpenAI's API: each has a thread and a batch of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/serve/engine/generation_worker.h"
#include "yona/serve/generation_service.h"

namespace yona::serve {

struct GenerationEngineOptions {
  std::vector<ServedFolder> models;
  ServedLoading loading{};
  GenerationLimits limits{};
};

class GenerationEngine : public GenerationService {
 public:
  // Throws InvalidArgument where two models have the same name, and as GenerationWorker does.
  explicit GenerationEngine(const GenerationEngineOptions& options);

  std::vector<GeneratorSummary> generators() const override;
  void submit(std::shared_ptr<GenerationJob> job) override;
  // All models are.
  bool is_full() const override;

  // Of all models.
  GenerationFigures figures() const;
  // Models whose files have changed are loaded again when they are used next.
  void reload();
  // Finishes what was accepted; nothing is accepted any more.
  void close();

 private:
  std::vector<std::unique_ptr<GenerationWorker>> workers_;
};

}  // namespace yona::serve
