#include "yona/train/run_inputs.h"

#include <algorithm>
#include <set>

#include "yona/base/error.h"
#include "yona/data/corpus_subwords.h"

namespace yona {

namespace {

// Enough for a small corpus; the sizes of the paper and of common practice for the larger presets.
std::int64_t default_vocabulary_size(const std::string& preset) {
  if (preset == "base" || preset == "big") {
    return 32000;
  }
  return preset == "iwslt" ? 16000 : 8000;
}

std::vector<std::string> tags_of(const DataConfig& data) {
  std::set<std::string> tags;
  for (const CorpusSpec& corpus : data.corpora) {
    tags.insert(corpus.source_tags.begin(), corpus.source_tags.end());
    tags.insert(corpus.target_tags.begin(), corpus.target_tags.end());
  }
  return {tags.begin(), tags.end()};
}

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

SubwordPair train_new(const RunConfig& config, Reporter& reporter) {
  const std::int64_t size = config.data.vocabulary_size > 0
                                ? config.data.vocabulary_size
                                : default_vocabulary_size(config.preset);
  reporter.message(MessageLevel::info,
                   fmt::format("training sub-words: {}, {} pieces, {}", config.data.subwords, size,
                               config.data.shared_vocabulary ? "shared" : "separate"));
  SubwordTraining options;
  options.algorithm =
      config.data.subwords == "unigram" ? SubwordAlgorithm::unigram : SubwordAlgorithm::bpe;
  options.vocabulary_size = static_cast<int>(size);
  options.size_policy = config.data.vocabulary_size > 0 ? SubwordTraining::SizePolicy::exact
                                                        : SubwordTraining::SizePolicy::at_most;
  options.normalization = config.data.normalisation;
  return train_subwords(
      config.data.corpora, options,
      config.data.shared_vocabulary ? VocabularySharing::shared : VocabularySharing::separate);
}

// A Marian model is trained on as one of yona's: its <pad>, the last id, is barred. What else is
// read from other families (special tokens around the text, their own vocabularies) is not trained.
ModelInfo trainable(ModelInfo from, const std::filesystem::path& init) {
  Departures& departures = from.config.departures;
  const std::int64_t last = from.config.target_vocabulary - 1;
  const bool pads_last = (from.pad_id < 0 || from.pad_id == last) &&
                         (departures.start_id < 0 || departures.start_id == last);
  const bool is_marian = from.family == "marian" && from.end_id == 0 && pads_last;
  check<NotImplemented>(from.family.empty() || is_marian,
                        "--init {}: a {} model is only run so far; training starts from Marian "
                        "models (OPUS-MT) and from those that yona trained",
                        init.string(), from.family);
  departures.padding = Padding::barred;
  departures.start_id = -1;
  from.family.clear();
  return from;
}

SubwordPair init_subwords(const std::filesystem::path& init) {
  const ModelInfo info = read_model_info(init);
  trainable(info, init);
  SubwordPair subwords = load_model_subwords(init, info);
  check<NotImplemented>(!subwords.source.model().empty() && !subwords.target.model().empty(),
                        "--init {}: its sub-words are no SentencePiece models; training needs them",
                        init.string());
  return subwords;
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

SubwordPair prepare_subwords(const RunConfig& config, const TrainerOptions& options,
                             Reporter& reporter) {
  if (options.resume && std::filesystem::exists(options.output / "vocab.json")) {
    return SubwordPair::load(options.output);
  }
  SubwordPair subwords = [&] {
    if (!options.init.empty()) {
      return init_subwords(options.init).with_tags(tags_of(config.data));
    }
    if (!config.data.source_model.empty()) {
      const Subword source = Subword::load(config.data.source_model);
      const bool one =
          config.data.target_model.empty() || config.data.target_model == config.data.source_model;
      return SubwordPair{source, one ? source : Subword::load(config.data.target_model)}.with_tags(
          tags_of(config.data));
    }
    return train_new(config, reporter);
  }();
  subwords.save(options.output);
  return subwords;
}

ModelInfo prepare_model_info(const RunConfig& config, const SubwordPair& subwords,
                             const std::filesystem::path& init) {
  ModelInfo info{.config = config.model,
                 .source_language = config.data.source_language,
                 .target_language = config.data.target_language};
  if (!init.empty()) {  // the shape is that model's, dropout is this run's
    ModelInfo from = trainable(read_model_info(init), init);
    from.config.dropout = config.model.dropout;
    from.config.attention_dropout = config.model.attention_dropout;
    from.config.activation_dropout = config.model.activation_dropout;
    info.config = from.config;
    info.source_language =
        info.source_language.empty() ? from.source_language : info.source_language;
    info.target_language =
        info.target_language.empty() ? from.target_language : info.target_language;
  }
  info.config.source_vocabulary = static_cast<std::int64_t>(subwords.source.vocabulary().size());
  info.config.target_vocabulary = static_cast<std::int64_t>(subwords.target.vocabulary().size());
  info.shared_vocabulary = subwords.has_shared_vocabulary();
  info.vocabulary = subwords.fingerprint();
  if (!info.shared_vocabulary && info.config.tying == Tying::all) {
    info.config.tying = Tying::target;
  }
  check_config(info.config);
  return info;
}

std::shared_ptr<const Dataset> prepare_training_set(const RunConfig& config,
                                                    const SubwordPair& subwords,
                                                    const std::filesystem::path& run,
                                                    ThreadPool& pool, Reporter& reporter) {
  DatasetOptions options;
  options.max_length = std::min(config.data.max_length, config.model.max_positions);
  if (config.data.sampling > 0) {
    options.sampling = config.data.sampling;
  }
  auto dataset = std::make_shared<const Dataset>(
      Dataset::open(config.data.corpora, subwords, options, cache_folder(config, run), pool));
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

std::vector<Validation> prepare_validation(const RunConfig& config, const SubwordPair& subwords,
                                           std::int64_t max_positions,
                                           const std::filesystem::path& run, ThreadPool& pool,
                                           Reporter& reporter) {
  std::vector<Validation> sets;
  for (const ValidationSet& set : config.data.valid) {
    const CorpusSpec spec = corpus_of(set, config.data.corpora);
    const Dataset dataset =
        Dataset::open({spec}, subwords, {.max_length = max_positions, .sampling = {}},
                      cache_folder(config, run), pool);
    report_corpora(dataset, reporter);
    sets.emplace_back(set.name, dataset, subwords.target,
                      std::max<std::int64_t>(config.train.batch_tokens, 1024));
    if (!config.train.valid_metrics.empty()) {
      TranslationScorer scorer(spec, subwords,
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
