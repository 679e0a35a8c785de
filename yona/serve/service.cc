#include "yona/serve/service.h"

#include <algorithm>

namespace yona::serve {

std::string SearchChoice::key() const {
  const auto written = [](const auto& value) { return value ? fmt::format("{}", *value) : "-"; };
  return fmt::format("{} {} {} {} {} {}", written(beam), written(max_length),
                     written(length_penalty), n_best, scores, alignments);
}

void TranslationJob::tell(const SentenceProgress& sentence) {
  const std::scoped_lock lock(mutex_);
  if (!is_over_ && progress) {
    progress(sentence);
  }
}

void require_translation(const std::vector<ModelSummary>& models) {
  if (models.empty()) {
    throw HttpError(404, "no translation model is served here; /v1/models lists what is");
  }
}

const ModelSummary& model_for(const std::vector<ModelSummary>& models, const std::string& source,
                              const std::string& target) {
  require_translation(models);
  const auto found = std::find_if(models.begin(), models.end(), [&](const ModelSummary& model) {
    return model.source == source && model.target == target;
  });
  if (found != models.end()) {
    return *found;
  }
  std::vector<std::string> pairs;
  pairs.reserve(models.size());
  for (const ModelSummary& model : models) {
    pairs.push_back(model.source + " → " + model.target);
  }
  throw HttpError(400, fmt::format("there is no model from '{}' to '{}'; there is {}", source,
                                   target, fmt::join(pairs, ", ")));
}

const ModelSummary& model_named(const std::vector<ModelSummary>& models, const std::string& id) {
  require_translation(models);
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const ModelSummary& model) { return model.id == id; });
  if (found != models.end()) {
    return *found;
  }
  std::vector<std::string> ids;
  ids.reserve(models.size());
  for (const ModelSummary& model : models) {
    ids.push_back(model.id);
  }
  throw HttpError(404,
                  fmt::format("there is no model '{}'; there is {}", id, fmt::join(ids, ", ")));
}

std::int64_t rough_tokens(std::string_view text) {
  constexpr std::size_t kBytesOfToken = 4;
  return static_cast<std::int64_t>(text.size() / kBytesOfToken) + 2;
}

}  // namespace yona::serve
