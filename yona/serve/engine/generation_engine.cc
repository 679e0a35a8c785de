#include "yona/serve/engine/generation_engine.h"

#include <algorithm>

#include "yona/base/error.h"

namespace yona::serve {

GenerationEngine::GenerationEngine(const GenerationEngineOptions& options) {
  for (std::size_t i = 0; i < options.models.size(); ++i) {
    const ServedFolder& place = options.models[i];
    workers_.push_back(std::make_unique<GenerationWorker>(place, options.loading, options.limits));
    const std::string id = workers_.back()->summary().id;
    for (std::size_t k = 0; k < i; ++k) {
      check(workers_[k]->summary().id != id,
            "--model: {} and {} are both named {}; say NAME=DIR for one of them",
            options.models[k].folder.string(), place.folder.string(), id);
    }
  }
}

std::vector<GeneratorSummary> GenerationEngine::generators() const {
  std::vector<GeneratorSummary> summaries;
  summaries.reserve(workers_.size());
  for (const auto& worker : workers_) {
    summaries.push_back(worker->summary());
  }
  return summaries;
}

void GenerationEngine::submit(std::shared_ptr<GenerationJob> job) {
  const auto found = std::find_if(workers_.begin(), workers_.end(), [&](const auto& worker) {
    return worker->summary().id == job->model;
  });
  if (found == workers_.end()) {
    throw HttpError(404, fmt::format("there is no language model '{}'", job->model));
  }
  (*found)->submit(std::move(job));
}

bool GenerationEngine::is_full() const {
  return !workers_.empty() && std::all_of(workers_.begin(), workers_.end(),
                                          [](const auto& worker) { return worker->is_full(); });
}

GenerationFigures GenerationEngine::figures() const {
  GenerationFigures sum;
  for (const auto& worker : workers_) {
    sum += worker->figures();
  }
  return sum;
}

void GenerationEngine::reload() {
  for (const auto& worker : workers_) {
    worker->look_again();
  }
}

void GenerationEngine::close() {
  for (const auto& worker : workers_) {
    worker->close();
  }
}

}  // namespace yona::serve
