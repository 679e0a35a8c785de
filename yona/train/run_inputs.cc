#include "yona/train/run_inputs.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "yona/base/error.h"
#include "yona/io/atomic_file.h"

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

// Files and folders, without hidden ones, by name.
std::vector<std::string> visible_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && name != "lost+found") {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

void check_run_folder(const std::filesystem::path& run, bool resume) {
  const bool is_run =
      is_there(run / "checkpoints") || is_there(run / ".lock");  // locked before all
  const bool has_weights = is_there(run / "checkpoints") || is_there(run / "model.safetensors");
  check(resume || !is_run || !has_weights,
        "{}: this folder holds a run already; use --resume to go on with it, or another --output",
        run.string());
  if (is_run) {
    return;
  }
  const std::vector<std::string> files = visible_files(run);
  check(files.empty(),
        "{}: this folder holds {}{}, and is not a run of `yona train`; name a new "
        "folder with --output",
        run.string(),
        fmt::join(files.begin(), files.begin() + std::min<std::ptrdiff_t>(3, std::ssize(files)),
                  ", "),
        files.size() > 3 ? fmt::format(" and {} more", files.size() - 3) : "");
}

void prepare_folder(const TrainerOptions& options) {
  const std::filesystem::path& run = options.output;
  check_run_folder(run, options.resume);
  std::error_code error;
  std::filesystem::create_directories(run, error);
  check<IoError>(!error, "{}: cannot make the output folder: {}", run.string(), error.message());
}

std::filesystem::path init_of(const TrainerOptions& options) {
  const std::filesystem::path note = options.output / "init.txt";
  if (!options.init.empty()) {
    replace_file(note, std::filesystem::absolute(options.init).string());
    return options.init;
  }
  if (!options.resume) {
    std::error_code error;
    std::filesystem::remove(note, error);
  }
  if (!is_there(note)) {
    return {};
  }
  std::ifstream file(note, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void check_validation_lines(const RunConfig& config) {
  for (const ValidationSet& set : config.data.valid) {
    PairReader reader(corpus_of(set, config.data.corpora));
    for (TextPair pair; reader.next(pair);) {
    }
  }
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
