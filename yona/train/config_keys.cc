#include "yona/train/config_keys.h"

#include <iterator>

#include "yona/train/config_section.h"

namespace yona {

namespace {

constexpr NumberRange kProbability{.least = 0.0, .most = 1.0, .open_above = true};
constexpr NumberRange kPositive{.least = 0.0, .open_below = true};
constexpr NumberRange kNotNegative{};

constexpr OnResume kFree = OnResume::free;
constexpr OnResume kContent = OnResume::content;
constexpr OnResume kEnding = OnResume::ending;
constexpr OnResume kDecides = OnResume::decides;
constexpr OnResume kFixed = OnResume::fixed;

template <class Owner>
using Keys = std::vector<ConfigKey<Owner>>;

template <class Owner>
void append(Keys<Owner>& keys, Keys<Owner> more) {
  keys.insert(keys.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

// --- model ---------------------------------------------------------------------------------

ConfigKey<TransformerConfig> layers_key() {
  using Config = TransformerConfig;
  ConfigKey<Config> key = integer("layers", &Config::encoder_layers, {1, 1000}, kFixed,
                                  "layers of the encoder and of the decoder, N in the paper");
  key.role = KeyRole::shorthand;
  key.set = [set = key.set](Config& config, const ConfigNode& node, const ConfigSource& source) {
    set(config, node, source);
    config.decoder_layers = config.encoder_layers;
  };
  return key;
}

Keys<TransformerConfig> model_shape_keys() {
  using Config = TransformerConfig;
  return {
      layers_key(),
      integer("encoder_layers", &Config::encoder_layers, {1, 1000}, kFixed,
              "layers of the encoder"),
      integer("decoder_layers", &Config::decoder_layers, {1, 1000}, kFixed,
              "layers of the decoder"),
      integer("d_model", &Config::d_model, {1, 1 << 16}, kFixed, "width of the residual stream"),
      integer("d_ff", &Config::d_ff, {1, 1 << 20}, kFixed,
              "inner width of the feed-forward layers"),
      integer("heads", &Config::heads, {1, 1024}, kFixed, "attention heads, h in the paper"),
      integer("d_k", &Config::d_k, {1, 4096, "auto"}, kFixed,
              "width of a head's queries and keys; auto is d_model / heads"),
      integer("d_v", &Config::d_v, {1, 4096, "auto"}, kFixed,
              "width of a head's values; auto is d_model / heads"),
      config_key("tying", &Config::tying, enum_codec<Tying>({"all", "target", "inputs", "none"}),
                 kFixed,
                 "which embedding matrices are one: source, target and output (all), target "
                 "and output (target), source and target (inputs), none; all becomes target "
                 "with separate vocabularies")};
}

Keys<TransformerConfig> model_variant_keys() {
  using Config = TransformerConfig;
  return {
      number("dropout", &Config::dropout, kProbability, kDecides,
             "dropout of embeddings and of each sub-layer's output, P_drop in the paper"),
      number("attention_dropout", &Config::attention_dropout, kProbability, kDecides,
             "dropout of the attention weights; the paper has none"),
      number("activation_dropout", &Config::activation_dropout, kProbability, kDecides,
             "dropout inside the feed-forward layers; the paper has none"),
      config_key("activation", &Config::activation,
                 enum_codec<FeedForwardActivation>({"relu", "gelu", "gelu_tanh", "silu"}), kFixed,
                 "activation of the feed-forward layers; the paper has relu"),
      config_key("norm", &Config::norm, enum_codec<NormPosition>({"post", "pre"}), kFixed,
                 "layer normalisation after each sub-layer (post, the paper) or before (pre)"),
      config_key("attention", &Config::attention,
                 enum_codec<AttentionKind>({"scaled", "unscaled", "additive"}), kFixed,
                 "how scores are computed; the paper scales by 1/√d_k"),
      config_key("positions", &Config::positions,
                 enum_codec<PositionKind>({"sinusoidal", "learned", "none", "relative"}), kFixed,
                 "what tells tokens apart by their place; learned is row E of Table 3, relative "
                 "is T5's"),
      number("position_base", &Config::position_base, {.least = 1.0, .open_below = true}, kFixed,
             "base of the sinusoids' wavelengths"),
      integer("max_positions", &Config::max_positions, {1, 1 << 20}, kFixed,
              "longest sentence in tokens that the model has positions for")};
}

// --- data ----------------------------------------------------------------------------------

Keys<TsvColumns> column_keys() {
  constexpr std::int64_t kMost = 100000;
  return {integer("source", &TsvColumns::source, {1, kMost}, kDecides,
                  "TSV column of the source, from 1"),
          integer("target", &TsvColumns::target, {1, kMost}, kDecides, "TSV column of the target"),
          integer("weight", &TsvColumns::weight, {0, kMost}, kDecides,
                  "TSV column of the pair's weight; 0 is none"),
          integer("document", &TsvColumns::document, {0, kMost}, kDecides,
                  "TSV column of the document id; 0 is none")};
}

Keys<DataConfig> data_keys() {
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

// --- training ------------------------------------------------------------------------------

Keys<ScheduleConfig> schedule_keys() {
  using Config = ScheduleConfig;
  return {config_key(
              "schedule", &Config::kind,
              enum_codec<ScheduleKind>({"paper", "inverse_sqrt", "cosine", "linear", "constant"}),
              kDecides, "course of the learning rate after the warm-up; paper is its equation 3"),
          number("learning_rate", &Config::rate, kPositive, kDecides,
                 "the highest learning rate; with the paper's schedule, a factor on equation 3"),
          integer("warmup", &Config::warmup, {0}, kDecides, "updates of linear warm-up"),
          number("final_rate", &Config::final_rate, kNotNegative, kEnding,
                 "learning rate at the last update (cosine and linear)")};
}

Keys<TrainConfig> step_keys() {
  using Config = TrainConfig;
  return {integer("updates", &Config::updates, {1}, kEnding, "updates after which training ends"),
          integer("epochs", &Config::epochs, {0}, kFree,
                  "passes over the data after which training ends; 0 is no limit"),
          integer("batch_tokens", &Config::batch_tokens, {1, 1 << 30, "auto"}, kDecides,
                  "tokens of a micro-batch, the larger of source and target; auto is the largest "
                  "that fits in memory"),
          integer("accumulate", &Config::accumulate, {1, 1 << 20}, kDecides,
                  "micro-batches of an update"),
          integer("seed", &Config::seed, {0}, kDecides, "seed of everything random"),
          config_key("precision", &Config::precision, enum_codec<Precision>({"f32", "bf16"}),
                     kDecides, "operands of matrix products; weights are kept in f32")};
}

Keys<TrainConfig> optimiser_keys() {
  using Config = TrainConfig;
  return {number("beta1", &Config::beta1, kProbability, kDecides, "β₁ of Adam"),
          number("beta2", &Config::beta2, kProbability, kDecides, "β₂ of Adam"),
          number("epsilon", &Config::epsilon, kPositive, kDecides, "ε of Adam"),
          number("weight_decay", &Config::weight_decay, kNotNegative, kDecides,
                 "decoupled weight decay (AdamW); 0 is off"),
          config_key("weight_decay_on", &Config::weight_decay_on,
                     enum_codec<DecayOn>({"matrices", "all"}), kDecides,
                     "what decays: matrices (neither biases nor norms), or all parameters"),
          number("clip_norm", &Config::clip_norm, kNotNegative, kDecides,
                 "largest norm of an update's gradient; 0 is no clipping"),
          number("label_smoothing", &Config::label_smoothing, kProbability, kDecides,
                 "label smoothing, ε_ls in the paper"),
          number("rdrop", &Config::rdrop, kNotNegative, kDecides, "α of R-Drop; 0 is off"),
          number("ema", &Config::ema, kProbability, kDecides,
                 "decay of the moving average of weights; 0 is off"),
          config_key("freeze", &Config::freeze, texts_codec(), kDecides,
                     "parameters that stay as they are, by name or pattern: encoder.*"),
          config_key("on_nan", &Config::on_nan, enum_codec<OnNan>({"stop", "skip"}), kFree,
                     "what to do when the loss is not finite: end, or skip the update")};
}

Keys<TrainConfig> watch_keys() {
  using Config = TrainConfig;
  return {
      integer("save_every", &Config::save_every, {1}, kFree, "updates between checkpoints"),
      integer("valid_every", &Config::valid_every, {1}, kFree, "updates between validations"),
      integer("log_every", &Config::log_every, {1}, kFree, "updates between lines of progress"),
      integer("keep_last", &Config::keep_last, {1}, kFree, "latest checkpoints that are kept"),
      integer("keep_best", &Config::keep_best, {0}, kFree,
              "checkpoints with the best validation that are kept"),
      integer("patience", &Config::patience, {0}, kFree,
              "validations without a better train.best_by before stopping early; 0 is never"),
      config_key("valid_metrics", &Config::valid_metrics, texts_codec(), kFree,
                 "bleu, chrf, ter: validations also translate the source, greedily, and score "
                 "the text"),
      config_key("best_by", &Config::best_by, word_codec({"loss", "bleu", "chrf", "ter"}), kDecides,
                 "what makes a model the best, and stops early: loss on the first validation "
                 "set, or one of train.valid_metrics"),
      config_key("tensorboard", &Config::tensorboard, bool_codec(), kFree,
                 "write event files for TensorBoard"),
      config_key("measure", &Config::measure, bool_codec(), kDecides,
                 "on a GPU, time the algorithms of products once for each shape and keep the "
                 "fastest; false takes the library's first choice")};
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

Keys<RunConfig> make_run_config_keys() {
  Keys<TransformerConfig> model = model_shape_keys();
  append(model, model_variant_keys());
  Keys<TrainConfig> train = step_keys();
  append(train, lift("", &TrainConfig::schedule, schedule_keys()));
  append(train, optimiser_keys());
  append(train, watch_keys());
  Keys<RunConfig> keys{preset_key()};
  append(keys, lift("model", &RunConfig::model, model));
  append(keys, lift("data", &RunConfig::data, data_keys()));
  append(keys, lift("train", &RunConfig::train, train));
  return keys;
}

Keys<CorpusSpec> make_corpus_keys() {
  using Spec = CorpusSpec;
  Keys<Spec> keys{
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

Keys<ValidationSet> make_validation_set_keys() {
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

const Keys<CorpusSpec>& corpus_keys() {
  static const Keys<CorpusSpec> keys = make_corpus_keys();
  return keys;
}

const Keys<ValidationSet>& validation_set_keys() {
  static const Keys<ValidationSet> keys = make_validation_set_keys();
  return keys;
}

const Keys<RunConfig>& run_config_keys() {
  static const Keys<RunConfig> keys = make_run_config_keys();
  return keys;
}

}  // namespace yona
