#include "yona/tasks/translation/config_keys.h"

#include "yona/config/config_section.h"
#include "yona/models/seq2seq_keys.h"
#include "yona/tasks/translation/translation_scorer.h"
#include "yona/train/train_keys.h"

namespace yona {

namespace {

constexpr OnResume kFree = OnResume::free;
constexpr OnResume kContent = OnResume::content;
constexpr OnResume kDecides = OnResume::decides;
constexpr OnResume kFixed = OnResume::fixed;

// --- data ----------------------------------------------------------------------------------

ConfigKeys<TsvColumns> column_keys() {
  constexpr std::int64_t kMost = 100000;
  return {integer("source", &TsvColumns::source, {1, kMost}, kDecides,
                  "TSV column of the source, from 1"),
          integer("target", &TsvColumns::target, {1, kMost}, kDecides, "TSV column of the target"),
          integer("weight", &TsvColumns::weight, {0, kMost}, kDecides,
                  "TSV column of the pair's weight; 0 is none"),
          integer("document", &TsvColumns::document, {0, kMost}, kDecides,
                  "TSV column of the document id; 0 is none")};
}

ConfigKeys<DataConfig> data_keys() {
  using Config = DataConfig;
  return {
      config_key("train", &Config::corpora, sections_codec(corpus_keys(), "train"), kContent,
                 "the training corpora"),
      config_key("valid", &Config::valid, sections_codec(validation_set_keys(), "valid"), kFree,
                 "the validation sets; the first decides stopping and which model is the best"),
      config_key("source_language", &Config::source_language, text_codec(), kDecides,
                 "language code kept with the model, such as en"),
      config_key("target_language", &Config::target_language, text_codec(), kDecides,
                 "language code kept with the model, such as de"),
      config_key("subwords", &Config::subwords, word_codec({"bpe", "unigram"}), kFixed,
                 "how sub-words are trained, when none are given"),
      integer("vocabulary_size", &Config::vocabulary_size, {3, 1 << 24, "auto"}, kFixed,
              "pieces of a vocabulary; auto goes by preset and corpus"),
      config_key("shared_vocabulary", &Config::shared_vocabulary, bool_codec(), kFixed,
                 "one vocabulary for both languages"),
      config_key("normalisation", &Config::normalisation,
                 word_codec({"identity", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf"}), kFixed,
                 "what SentencePiece rewrites before cutting; identity leaves text as it is"),
      config_key("source_model", &Config::source_model, path_codec(), kContent,
                 "a SentencePiece model to use instead of training one"),
      config_key("target_model", &Config::target_model, path_codec(), kContent,
                 "the same for the target; without it the source's is used for both"),
      integer("max_length", &Config::max_length, {2, 1 << 20}, kDecides,
              "sub-words of a side, </s> included; longer pairs are left out and counted"),
      number("sampling", &Config::sampling, {.least = 0.0, .most = 1.0}, kDecides,
             "sub-words drawn at random: BPE-dropout or the alpha of unigram sampling; 0 is off"),
      config_key("cache", &Config::cache, path_codec(), kFree,
                 "folder of the token cache; empty is inside the run's folder")};
}

// --- the whole -----------------------------------------------------------------------------

ConfigKey<RunConfig> preset_key() {
  ConfigKey<RunConfig> key =
      config_key("preset", &RunConfig::preset, word_codec(preset_names()), kDecides,
                 "gives all model keys their defaults, before any other key is read");
  key.role = KeyRole::preset;
  key.set = [set = key.set](RunConfig& config, const ConfigNode& node, const ConfigSource& source) {
    set(config, node, source);
    config.model = preset(config.preset);
  };
  return key;
}

ConfigKeys<RunConfig> make_translation_keys() {
  ConfigKeys<RunConfig> keys{preset_key()};
  append(keys, lift("model", &RunConfig::model, seq2seq_keys()));
  append(keys, lift("data", &RunConfig::data, data_keys()));
  append(keys,
         lift("train", &RunConfig::train,
              train_keys(
                  {validation_metric_names(),
                   "bleu, chrf, ter: validations also translate the source, greedily, and score "
                   "the text"})));
  return keys;
}

ConfigKeys<CorpusSpec> make_corpus_keys() {
  using Spec = CorpusSpec;
  ConfigKeys<Spec> keys{
      config_key("name", &Spec::name, text_codec(), kFree, "what messages and logs call it"),
      number("weight", &Spec::weight, kPositive, kDecides,
             "how often an epoch sees it: 2 is twice, 0.5 half"),
      config_key("source", &Spec::source_files, paths_codec(), kContent,
                 "files of the source language; .gz, .xz and .zst are read as they are"),
      config_key("target", &Spec::target_files, paths_codec(), kContent,
                 "their translations, in the same order"),
      config_key("tsv", &Spec::tsv_files, paths_codec(), kContent,
                 "tab-separated files, instead of source and target")};
  append(keys, lift("columns", &Spec::columns, column_keys()));
  append(keys, {config_key("source_tags", &Spec::source_tags, texts_codec(), kDecides,
                           "put in front of every source sentence: \"<BT>\", \">>de<<\""),
                config_key("target_tags", &Spec::target_tags, texts_codec(), kDecides,
                           "put in front of every target sentence")});
  return keys;
}

ConfigKeys<ValidationSet> make_validation_set_keys() {
  using Set = ValidationSet;
  return {config_key("name", &Set::name, text_codec(), kFree, "what messages and logs call it"),
          config_key("source", &Set::source, path_codec(), kFree, "file of the source language"),
          config_key("target", &Set::target, path_codec(), kFree, "its translation"),
          config_key("source_tags", &Set::source_tags, texts_or_auto_codec(), kFree,
                     "put in front of every source sentence; auto is the language tags, such as "
                     "\">>de<<\", of the first training corpus, and never its \"<BT>\""),
          config_key("target_tags", &Set::target_tags, texts_or_auto_codec(), kFree,
                     "the same for every target sentence")};
}

}  // namespace

const ConfigKeys<CorpusSpec>& corpus_keys() {
  static const ConfigKeys<CorpusSpec> keys = make_corpus_keys();
  return keys;
}

const ConfigKeys<ValidationSet>& validation_set_keys() {
  static const ConfigKeys<ValidationSet> keys = make_validation_set_keys();
  return keys;
}

const ConfigKeys<RunConfig>& translation_keys() {
  static const ConfigKeys<RunConfig> keys = make_translation_keys();
  return keys;
}

}  // namespace yona
