#include "yona/tasks/translation/inputs.h"

#include <algorithm>
#include <utility>

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

void report_corpora(const ParallelText& dataset, Reporter& reporter) {
  for (std::size_t corpus = 0; corpus < dataset.parts().size(); ++corpus) {
    for (const std::string& line : dataset.report(corpus).summary()) {
      reporter.message(MessageLevel::info, line);
    }
  }
}

}  // namespace

void check_validation_lines(const RunConfig& config) {
  for (const ValidationSet& set : config.data.valid) {
    PairReader reader(corpus_of(set, config.data.corpora));
    for (TextPair pair; reader.next(pair);) {
    }
  }
}

std::shared_ptr<const ParallelText> prepare_training_set(const RunConfig& config,
                                                         const PairEncoder& encoder,
                                                         const std::filesystem::path& run,
                                                         ThreadPool& pool, Reporter& reporter) {
  ParallelTextOptions options;
  options.max_length = std::min(config.data.max_length, longest_sentence(config.model));
  if (config.data.sampling > 0) {
    options.sampling = config.data.sampling;
  }
  auto dataset = std::make_shared<const ParallelText>(
      ParallelText::open(config.data.corpora, encoder, options, cache_folder(config, run), pool));
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

std::vector<std::unique_ptr<Evaluation>> prepare_validation(const RunConfig& config,
                                                            const PairEncoder& encoder,
                                                            const SequenceModel& model,
                                                            const std::filesystem::path& run,
                                                            Backend& backend, Reporter& reporter) {
  const std::int64_t max_positions = model.shape().max_positions;
  std::vector<std::unique_ptr<Evaluation>> sets;
  for (const ValidationSet& set : config.data.valid) {
    const CorpusSpec spec = corpus_of(set, config.data.corpora);
    const ParallelText text =
        ParallelText::open({spec}, encoder, {.max_length = max_positions, .sampling = {}},
                           cache_folder(config, run), *backend.exec().pool);
    report_corpora(text, reporter);
    auto validation =
        std::make_unique<Validation>(set.name, text, encoder.target.subword,
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
      validation->add_scorer(std::move(scorer), model, backend);
    }
    sets.push_back(std::move(validation));
  }
  return sets;
}

}  // namespace yona
