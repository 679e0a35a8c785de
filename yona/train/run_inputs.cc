#include "yona/train/run_inputs.h"

#include <algorithm>

#include "yona/base/error.h"

namespace yona {

namespace {

std::filesystem::path cache_folder(const RunConfig& config, const std::filesystem::path& run) {
  std::filesystem::path folder = config.data.cache.empty() ? run / "cache" : config.data.cache;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  check<IoError>(!error, "{}: cannot make the cache folder: {}", folder.string(), error.message());
  return folder;
}

void report_corpora(const Dataset& dataset, Reporter& reporter) {
  for (const Dataset::Part& part : dataset.parts()) {
    for (const std::string& line : part.cache.report().summary()) {
      reporter.message(MessageLevel::info, line);
    }
  }
}

}  // namespace

void prepare_folder(const TrainerOptions& options) {
  const std::filesystem::path& run = options.output;
  std::error_code error;
  std::filesystem::create_directories(run, error);
  check<IoError>(!error, "{}: cannot make the output folder: {}", run.string(), error.message());
  const bool has_run = std::filesystem::exists(run / "checkpoints") ||
                       std::filesystem::exists(run / "model.safetensors");
  check(options.resume || !has_run,
        "{}: this folder holds a run already; use --resume to go on with it, or another --output",
        run.string());
}

RunConfig with_usable_precision(RunConfig config, const Backend& backend, Reporter& reporter) {
  if (config.train.precision == Precision::bf16 && !backend.has_bf16()) {
    reporter.message(MessageLevel::warning,
                     "this CPU has no bf16 instructions: products are computed in f32");
    config.train.precision = Precision::f32;
  }
  return config;
}

std::shared_ptr<const Dataset> prepare_training_set(const RunConfig& config,
                                                    const PairEncoder& encoder,
                                                    const std::filesystem::path& run,
                                                    ThreadPool& pool, Reporter& reporter) {
  DatasetOptions options;
  options.max_length = std::min(config.data.max_length, config.model.max_positions);
  if (config.data.sampling > 0) {
    options.sampling = config.data.sampling;
  }
  auto dataset = std::make_shared<const Dataset>(
      Dataset::open(config.data.corpora, encoder, options, cache_folder(config, run), pool));
  report_corpora(*dataset, reporter);
  return dataset;
}

CorpusSpec corpus_of(const ValidationSet& set, const std::vector<CorpusSpec>& training) {
  const auto tags = [&](const auto& given, std::vector<std::string> CorpusSpec::*side) {
    std::vector<std::string> used = given || training.empty()
                                        ? given.value_or(std::vector<std::string>())
                                        : training.front().*side;
    if (!given) {
      std::erase_if(used, [](const std::string& tag) { return !is_language_tag(tag); });
    }
    return used;
  };
  CorpusSpec spec;
  spec.name = set.name;
  spec.source_files = {set.source};
  spec.target_files = {set.target};
  spec.source_tags = tags(set.source_tags, &CorpusSpec::source_tags);
  spec.target_tags = tags(set.target_tags, &CorpusSpec::target_tags);
  return spec;
}

std::vector<Validation> prepare_validation(const RunConfig& config, const PairEncoder& encoder,
                                           std::int64_t max_positions,
                                           const std::filesystem::path& run, ThreadPool& pool,
                                           Reporter& reporter) {
  std::vector<Validation> sets;
  for (const ValidationSet& set : config.data.valid) {
    const CorpusSpec spec = corpus_of(set, config.data.corpora);
    const Dataset dataset =
        Dataset::open({spec}, encoder, {.max_length = max_positions, .sampling = {}},
                      cache_folder(config, run), pool);
    report_corpora(dataset, reporter);
    sets.emplace_back(set.name, dataset, encoder.target.subword,
                      std::max<std::int64_t>(config.train.batch_tokens, 1024));
    if (!config.train.valid_metrics.empty()) {
      TranslationScorer scorer(spec, encoder,
                               {.metrics = config.train.valid_metrics,
                                .target_language = config.data.target_language,
                                .max_positions = max_positions});
      if (scorer.overlong_lines() > 0) {
        reporter.message(MessageLevel::warning,
                         fmt::format("{}: {} source lines are too long for the model: they are not "
                                     "translated, and count as wrong",
                                     set.name, scorer.overlong_lines()));
      }
      sets.back().add_scorer(std::move(scorer));
    }
  }
  return sets;
}

}  // namespace yona
