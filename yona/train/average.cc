#include "yona/train/average.h"

#include <algorithm>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/error.h"
#include "yona/io/checkpoints.h"
#include "yona/io/checksums.h"
#include "yona/io/json_file.h"
#include "yona/io/model_folder.h"
#include "yona/io/trained_folder.h"
#include "yona/io/translation_model.h"
#include "yona/train/run_state.h"

namespace yona {

namespace {

using Paths = std::vector<std::filesystem::path>;

std::filesystem::path step_path(const std::filesystem::path& run, std::int64_t step) {
  return run / "checkpoints" / ("step-" + std::to_string(step));
}

// The newest state knows every validation so far; pruned checkpoints are not there any more.
Paths best_checkpoints(const std::filesystem::path& run, std::int64_t count,
                       const std::vector<Checkpoint>& all) {
  const std::filesystem::path file = all.back().path / "state.json";
  const RunState state = RunState::from_json(read_json(file), file);
  std::vector<std::pair<double, std::int64_t>> scores;
  for (const Checkpoint& checkpoint : all) {
    if (const auto score = state.scores.find(checkpoint.step); score != state.scores.end()) {
      scores.emplace_back(state.cost(score->second), checkpoint.step);
    }
  }
  check(static_cast<std::int64_t>(scores.size()) >= count,
        "average: {} has {} validated checkpoints, {} are asked for; train with a larger "
        "train.keep_best",
        run.string(), scores.size(), count);
  std::sort(scores.begin(), scores.end());
  scores.resize(static_cast<std::size_t>(count));
  std::vector<std::int64_t> steps;
  steps.reserve(scores.size());
  for (const auto& [cost, step] : scores) {
    steps.push_back(step);
  }
  std::sort(steps.begin(), steps.end());
  Paths paths;
  for (const std::int64_t step : steps) {
    paths.push_back(step_path(run, step));
  }
  return paths;
}

Paths choose(const AverageOptions& options) {
  if (!options.checkpoints.empty()) {
    return options.checkpoints;
  }
  const std::vector<Checkpoint> all = list_checkpoints(options.run);
  check(!all.empty(), "average: {} has no checkpoints", options.run.string());
  if (options.best > 0) {
    return best_checkpoints(options.run, options.best, all);
  }
  check(options.last > 0, "average: --last {} is not positive", options.last);
  check(static_cast<std::int64_t>(all.size()) >= options.last,
        "average: {} has {} checkpoints, {} are asked for; train with a larger train.keep_last",
        options.run.string(), all.size(), options.last);
  Paths paths;
  for (auto at = all.end() - options.last; at != all.end(); ++at) {
    paths.push_back(at->path);
  }
  return paths;
}

// The mean of all the checkpoints' weights, laid out as `parameters`.
std::vector<float> mean_weights(const Paths& paths, const Parameters& parameters) {
  std::vector<double> sum(static_cast<std::size_t>(parameters.count()));
  for (const std::filesystem::path& path : paths) {
    verify_folder(path);
    read_weights(path, parameters);
    const std::vector<float> weights = parameters.weights().to_vector<float>();
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += static_cast<double>(weights[i]);
    }
  }
  std::vector<float> mean(sum.size());
  std::transform(sum.begin(), sum.end(), mean.begin(), [&](double total) {
    return static_cast<float>(total / static_cast<double>(paths.size()));
  });
  return mean;
}

}  // namespace

std::vector<std::filesystem::path> average_checkpoints(const AverageOptions& options) {
  check(!std::filesystem::exists(options.output / "model.safetensors") &&
            !is_model_folder(options.output),
        "average: {} holds a model already; choose another --output", options.output.string());
  Paths paths = choose(options);
  const ModelInfo info = read_model_info(paths.front());
  for (const std::filesystem::path& path : paths) {
    check(describe(read_model_info(path)) == describe(info),
          "average: {} and {} are models of different shapes", paths.front().string(),
          path.string());
  }
  const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
  Transformer model(info.config);
  const Parameters parameters(model, *backend, Gradients::no);
  parameters.weights().upload(mean_weights(paths, parameters));
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  check<IoError>(!error, "{}: cannot make the output folder: {}", options.output.string(),
                 error.message());
  if (!info.family.empty()) {
    copy_tokenizer_files(options.run, options.output);
  }
  write_model(options.output, info, load_model_subwords(options.run, info), parameters,
              parameters.weights());
  return paths;
}

}  // namespace yona
