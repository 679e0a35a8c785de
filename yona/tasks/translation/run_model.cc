#include "yona/tasks/translation/run_model.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "yona/base/error.h"
#include "yona/data/corpus_subwords.h"
#include "yona/io/hf_family.h"
#include "yona/io/int8_weights_file.h"
#include "yona/io/model_folder.h"
#include "yona/io/trained_folder.h"
#include "yona/tasks/seq2seq/run_files.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

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
  const bool is_exact = config.data.vocabulary_size > 0 && !config.is_open("data.vocabulary_size");
  options.size_policy =
      is_exact ? SubwordTraining::SizePolicy::exact : SubwordTraining::SizePolicy::at_most;
  options.normalization = config.data.normalisation;
  return train_subwords(
      config.data.corpora, options,
      config.data.shared_vocabulary ? VocabularySharing::shared : VocabularySharing::separate);
}

// Is it one of yona's, or a Marian model that is like them? Those are trained as yona's own.
bool is_own(const ModelInfo& info) {
  const std::int64_t last = info.config.target_vocabulary - 1;
  const std::int64_t start = info.config.departures.start_id;
  const bool pads_last = (info.pad_id < 0 || info.pad_id == last) && (start < 0 || start == last);
  return info.family.empty() || (info.family == "marian" && info.end_id == 0 && pads_last);
}

// Its <pad>, the last id, is barred.
ModelInfo as_own(ModelInfo info) {
  info.config.departures.padding = Padding::barred;
  info.config.departures.start_id = info.config.departures.constant_input = -1;
  info.family.clear();
  info.end_id = 0;
  info.pad_id = -1;
  info.original_config.clear();
  return info;
}

ModelInfo read_init(const fs::path& init) {
  check(!has_int8_weights(init) || fs::exists(init / "model.safetensors"),
        "--init {}: its weights are int8, which cannot be trained; give the folder that they were "
        "made from",
        init.string());
  return read_model_info(init);
}

SubwordPair own_init_subwords(const fs::path& init, const ModelInfo& info) {
  SubwordPair subwords = load_model_subwords(init, info);
  check<NotImplemented>(
      !subwords.source.model().empty() && !subwords.target.model().empty(),
      "--init {}: its sub-words are not SentencePiece models; training needs them", init.string());
  return subwords;
}

// `init` describes the model to start from, if there is one. A run without a checkpoint begins
// again: sub-words that it left may be of other data or settings.
SubwordPair prepare_subwords(const RunConfig& config, const RunPlace& place,
                             const std::optional<ModelInfo>& init) {
  if (place.checkpoint) {
    for (const char* file : {"vocab.json", "source.spm", "target.spm"}) {
      check<FormatError>(fs::exists(place.output / file),
                         "{}: the run's sub-words are not complete: {} is missing; put it back, or "
                         "begin a new run",
                         place.output.string(), file);
    }
    return SubwordPair::load(place.output);
  }
  SubwordPair subwords = [&] {
    if (init) {
      return own_init_subwords(place.init, *init).with_tags(tags_of(config.data));
    }
    if (!config.data.source_model.empty()) {
      const Subword source = Subword::load(config.data.source_model);
      const bool one =
          config.data.target_model.empty() || config.data.target_model == config.data.source_model;
      return SubwordPair{source, one ? source : Subword::load(config.data.target_model)}.with_tags(
          tags_of(config.data));
    }
    return train_new(config, place.reporter);
  }();
  remove_old_model(place);
  subwords.save(place.output);
  return subwords;
}

// The shape is that of the model it starts from, dropout is this run's.
ModelInfo with_run_settings(ModelInfo from, const RunConfig& config) {
  from.config.dropout = config.model.dropout;
  from.config.attention_dropout = config.model.attention_dropout;
  from.config.activation_dropout = config.model.activation_dropout;
  if (!config.data.source_language.empty()) {
    from.source_language = config.data.source_language;
  }
  if (!config.data.target_language.empty()) {
    from.target_language = config.data.target_language;
  }
  return from;
}

// What a run took from the model that it began with, and its configuration does not say: languages,
// and what Marian does otherwise than the paper.
RunConfig going_on(RunConfig config, const fs::path& checkpoint) {
  const ModelInfo before = read_model_info(checkpoint);
  const NormKind asked = std::exchange(config.model.departures, before.config.departures).norm_kind;
  if (asked != NormKind::layer || before.config.departures.norm_kind == NormKind::batch) {
    config.model.departures.norm_kind = asked;  // a setting of the run, not T5's norm
  }
  for (const auto& [now, then] :
       {std::pair(&config.data.source_language, &before.source_language),
        std::pair(&config.data.target_language, &before.target_language)}) {
    if (now->empty()) {
      *now = *then;
    }
  }
  return config;
}

RunModel own_model(const RunConfig& config, const RunPlace& place,
                   const std::optional<ModelInfo>& init) {
  const SubwordPair subwords = prepare_subwords(config, place, init);
  ModelInfo info = with_run_settings(
      init ? as_own(*init)
           : ModelInfo{.config = config.model, .source_language = {}, .target_language = {}},
      config);
  info.config.source_vocabulary = static_cast<std::int64_t>(subwords.source.vocabulary().size());
  info.config.target_vocabulary = static_cast<std::int64_t>(subwords.target.vocabulary().size());
  info.shared_vocabulary = subwords.has_shared_vocabulary();
  info.vocabulary = subwords.fingerprint();
  if (!info.shared_vocabulary && info.config.tying == Tying::all) {
    info.config.tying = Tying::target;
  }
  check_config(info.config);
  return {subwords, info};
}

void check_tags(const RunConfig& config, const SubwordPair& subwords) {
  for (const std::string& tag : tags_of(config.data)) {
    check(subwords.source.vocabulary().find(tag).has_value(),
          "data: tag '{}' is not in the vocabulary of the model that --init names, which does not "
          "grow; leave the tag out",
          tag);
  }
}

// Multilingual models are told both languages, by the user or by their own files.
Languages languages_of(const fs::path& folder, const RunConfig& config, const ModelInfo& info,
                       const SubwordPair& subwords) {
  Languages languages =
      completed_languages(folder, {config.data.source_language, config.data.target_language});
  const bool is_told = !languages.source.empty() && !languages.target.empty();
  if (!is_told && (info.family == "mbart" || info.family == "m2m_100")) {
    std::vector<std::string> some = language_tokens(subwords.source.vocabulary());
    some.resize(std::min<std::size_t>(some.size(), 4));
    fail("train: the {} model has many languages; say which with --src-lang and --tgt-lang ({} …)",
         info.family, fmt::join(some, ", "));
  }
  return languages;
}

// The special tokens around a text. transformers begins mBART's targets with their language,
// whatever config.json says of the decoder's first input.
TextFrame trained_frame(const fs::path& folder, const ModelInfo& info, const SubwordPair& subwords,
                        const Languages& languages) {
  ModelDescription description = describe(info);
  TextFrame frame = text_frame(folder, description, subwords, languages);
  if (frame.after_target.size() > 1 && frame.start < 0) {
    description.config.departures.start_id = frame.after_target.back();
    frame = text_frame(folder, description, subwords, languages);
  }
  return frame;
}

// `folder` holds the tokeniser: the one to start from, or the run's own, where its files lie from
// the start.
RunModel family_model(const RunConfig& config, const RunPlace& place, const fs::path& folder,
                      ModelInfo info) {
  const fs::path& run = place.output;
  const SubwordPair subwords = load_model_subwords(folder, info);
  const auto pieces = static_cast<std::int64_t>(subwords.target.vocabulary().size());
  check<FormatError>(pieces == info.config.target_vocabulary,
                     "{}: its tokeniser has {} pieces, config.json {}", folder.string(), pieces,
                     info.config.target_vocabulary);
  check_tags(config, subwords);
  const Languages languages = languages_of(folder, config, info, subwords);
  const TextFrame frame = trained_frame(folder, info, subwords, languages);
  if (folder != run) {
    remove_old_model(place);
    copy_tokenizer_files(folder, run);
  }
  info = with_run_settings(std::move(info), config);
  if (frame.start >= 0) {
    info.config.departures.start_id = frame.start;
  }
  check_config(info.config);
  return {PairEncoder(subwords, frame, tokenizer_identity(run)), std::move(info), frame, languages};
}

}  // namespace

RunModel prepare_model(const RunConfig& config, const RunPlace& place) {
  const std::optional<Checkpoint>& checkpoint = place.checkpoint;
  if (checkpoint && !read_folder_description(checkpoint->path).family.empty()) {
    return family_model(config, place, place.output, read_model_info(checkpoint->path));
  }
  std::optional<ModelInfo> init;
  if (!place.init.empty()) {  // a run that goes on has taken from there what it needs
    init = checkpoint ? read_model_info(checkpoint->path) : read_init(place.init);
  }
  if (init && !is_own(*init)) {
    return family_model(config, place, place.init, std::move(*init));
  }
  return own_model(checkpoint ? going_on(config, checkpoint->path) : config, place, init);
}

void keep_languages(const RunModel& model, const fs::path& run) {
  keep_languages(run, model.encoder.subwords(), model.frame, model.languages);
}

}  // namespace yona
