#include "yona/tasks/average.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/error.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/io/causal_lm/lm_weights.h"
#include "yona/io/checkpoints.h"
#include "yona/io/checksums.h"
#include "yona/io/encoder_folder.h"
#include "yona/io/json_file.h"
#include "yona/io/model_folder.h"
#include "yona/io/model_kind.h"
#include "yona/io/trained_folder.h"
#include "yona/io/translation_model.h"
#include "yona/models/bert.h"
#include "yona/models/causal_lm.h"
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
        "average: {}: expected {} validated checkpoints, found {}; train with a larger "
        "train.keep_best",
        run.string(), count, scores.size());
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
        "average: {}: expected {} checkpoints, found {}; train with a larger train.keep_last",
        options.run.string(), options.last, all.size());
  Paths paths;
  for (auto at = all.end() - options.last; at != all.end(); ++at) {
    paths.push_back(at->path);
  }
  return paths;
}

// What averaging asks of a kind of model.
struct AveragedModel {
  std::unique_ptr<Module> model;
  std::function<void(const std::filesystem::path& checkpoint, const Parameters& parameters)> read;
  std::function<void(const Parameters& mean)> write;  // a whole model folder
};

AveragedModel averaged_translation(const AverageOptions& options,
                                   const std::filesystem::path& first) {
  const ModelInfo info = read_model_info(first);
  const SubwordPair subwords = load_model_subwords(options.run, info);
  check(static_cast<std::int64_t>(subwords.target.vocabulary().size()) ==
                info.config.target_vocabulary &&
            (info.vocabulary.empty() || info.vocabulary == subwords.fingerprint()),
        "average: {} was not trained with the sub-words of {}; name its own run with --run",
        first.string(), options.run.string());
  return {make_seq2seq(info.config),
          [](const auto& checkpoint, const Parameters& parameters) {
            read_weights(checkpoint, parameters);
          },
          [info, subwords, options](const Parameters& mean) {
            if (!info.family.empty()) {
              copy_tokenizer_files(options.run, options.output);
            }
            write_model(options.output, info, subwords, mean, mean.weights());
          }};
}

AveragedModel averaged_language_model(const AverageOptions& options,
                                      const std::filesystem::path& first) {
  const LmDescription description = read_lm_description(first);
  return {
      std::make_unique<CausalLm>(description.config),
      [description](const auto& checkpoint, const Parameters& parameters) {
        read_lm_weights(checkpoint, description, parameters);
      },
      [description, options, config = read_json(first / "config.json")](const Parameters& mean) {
        copy_tokenizer_files(options.run, options.output);
        write_language_model(options.output, description, config, mean, mean.weights());
      }};
}

AveragedModel averaged_encoder(const AverageOptions& options, const std::filesystem::path& first) {
  const EncoderInfo info = read_encoder_info(first);
  return {std::make_unique<Bert>(info.config),
          [info](const auto& checkpoint, const Parameters& parameters) {
            read_encoder_weights(checkpoint, info, parameters);
          },
          [info, options](const Parameters& mean) {
            copy_tokenizer_files(options.run, options.output);
            write_encoder_model(options.output, info, mean, mean.weights());
          }};
}

AveragedModel averaged_model(const AverageOptions& options, const std::filesystem::path& first) {
  const ModelKind kind = read_model_kind(first);
  switch (kind) {
    case ModelKind::translation:
    case ModelKind::parsing:
      return averaged_translation(options, first);
    case ModelKind::language_model:
      return averaged_language_model(options, first);
    case ModelKind::encoder:
      return averaged_encoder(options, first);
    case ModelKind::image:
    case ModelKind::question_answering:
      break;
  }
  fail<NotImplemented>(
      "average: {} is {}; translation models, parsers, language models and encoders are averaged",
      first.string(), describe(kind));
}

// Labels, dropout and all: checkpoints of one run have the same config.json.
void check_same_shape(const Paths& paths) {
  const Json first = read_json(paths.front() / "config.json");
  for (const std::filesystem::path& path : paths) {
    check(read_json(path / "config.json") == first,
          "average: {} and {} are models of different shapes", paths.front().string(),
          path.string());
  }
}

// The mean of all the checkpoints' weights, laid out as `parameters`.
std::vector<float> mean_weights(const Paths& paths, const AveragedModel& averaged,
                                const Parameters& parameters) {
  std::vector<double> sum(static_cast<std::size_t>(parameters.count()));
  for (const std::filesystem::path& path : paths) {
    verify_folder(path);
    averaged.read(path, parameters);
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
  check_same_shape(paths);
  const AveragedModel averaged = averaged_model(options, paths.front());
  const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
  const Parameters parameters(*averaged.model, *backend, Gradients::no);
  parameters.weights().upload(mean_weights(paths, averaged, parameters));
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  check<IoError>(!error, "{}: cannot make the output folder: {}", options.output.string(),
                 error.message());
  averaged.write(parameters);
  return paths;
}

}  // namespace yona
