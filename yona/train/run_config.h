// Everything that decides a training run: what `config.yaml` holds, `--set key=value` changes, and
// the resolved copy beside the run records. Keys are dotted: model.d_model, train.updates, data.….
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "yona/data/corpus.h"
#include "yona/models/transformer_config.h"

namespace yona {

struct ValidationSet {  // data.valid: the first decides stopping and which model is the best
  std::string name = "valid";
  std::filesystem::path source, target;
  // Put in front of every sentence of a side. nullopt (auto): the language tags (">>de<<") of the
  // first training corpus, but no others of its tags: a validation set is real text, whatever
  // marks ("<BT>") that corpus has.
  std::optional<std::vector<std::string>> source_tags{}, target_tags{};
};

struct DataConfig {
  std::vector<CorpusSpec> corpora;
  std::vector<ValidationSet> valid;
  std::string source_language, target_language;
  std::string subwords = "bpe";      // bpe or unigram
  std::int64_t vocabulary_size = 0;  // 0: by preset and corpus
  bool shared_vocabulary = true;
  std::string normalisation = "identity";
  std::filesystem::path source_model, target_model;  // given .spm files instead of training
  std::int64_t max_length = 256;  // sub-words of a side; longer pairs are left out
  double sampling = 0.0;          // BPE-dropout or unigram sampling; 0: off
  std::filesystem::path cache;    // "": inside the run's folder
};

enum class ScheduleKind : std::uint8_t { paper, inverse_sqrt, cosine, linear, constant };
enum class DecayOn : std::uint8_t { matrices, all };
enum class OnNan : std::uint8_t { stop, skip };

struct ScheduleConfig {
  ScheduleKind kind = ScheduleKind::paper;
  double rate = 1.0;           // paper: factor on eq. 3; others: the highest learning rate
  std::int64_t warmup = 4000;  // updates
  double final_rate = 0.0;     // cosine and linear: at the last update
};

struct TrainConfig {
  std::int64_t updates = 100000;
  std::int64_t epochs = 0;           // 0: no limit
  std::int64_t batch_tokens = 4096;  // per micro-batch; 0: auto, the largest that fits
  std::int64_t accumulate = 1;       // micro-batches per update
  ScheduleConfig schedule;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  double weight_decay = 0.0;
  DecayOn weight_decay_on = DecayOn::matrices;
  double clip_norm = 0.0;  // 0: no clipping
  double label_smoothing = 0.1;
  double rdrop = 0.0;              // alpha of R-Drop; 0: off
  double ema = 0.0;                // decay of the moving average of weights; 0: off
  std::int64_t save_every = 1000;  // updates
  std::int64_t valid_every = 1000;
  std::int64_t log_every = 50;
  std::int64_t keep_last = 3;
  std::int64_t keep_best = 1;
  std::int64_t patience = 0;  // validations without improvement before stopping; 0: never
  std::vector<std::string> valid_metrics;  // bleu, chrf, ter: validations translate, and score it
  std::string best_by = "loss";            // or one of these: which model is the best
  OnNan on_nan = OnNan::stop;
  std::vector<std::string> freeze;  // parameters whose names match stay as they are: "encoder.*"
  std::uint64_t seed = 1;
  Precision precision = Precision::f32;
  bool tensorboard = true;
  bool measure = true;  // algorithms of products, on a GPU
};

struct RunConfig {
  std::string preset = "base";
  TransformerConfig model;  // vocabularies are filled in when the sub-words are known
  DataConfig data;
  TrainConfig train;
};

// One key given outside of a file: --set train.updates=100, or --updates 100.
struct ConfigAssignment {
  std::string key;
  std::string value;
  std::string origin;  // what the user typed, for messages: "--set train.updates", "--updates"
};

// The configuration of a run: the preset (the last one given anywhere), over it the file (if the
// path is not empty), over that the assignments in their order. Relative paths of a file start at
// its folder, those of assignments at the working directory. Throws InvalidArgument or FormatError
// with place, value and what was expected; IoError when the file cannot be read.
RunConfig resolve_config(const std::filesystem::path& file,
                         const std::vector<ConfigAssignment>& assignments);

// Throws InvalidArgument naming the keys when values do not go together (each one's own range was
// checked when it was set), or a file that is named does not exist.
void check_run_config(const RunConfig& config);

// What is allowed but seldom meant, one line each.
std::vector<std::string> config_warnings(const RunConfig& config);

// The whole configuration as YAML, which resolve_config reads back to the same values. `guide` has
// the meaning of each key above it, and keys that only repeat the preset as comments: a file to
// start from.
enum class YamlStyle : std::uint8_t { plain, guide };
std::string to_yaml(const RunConfig& config, YamlStyle style = YamlStyle::plain);

// The same configuration with every path absolute: it can then be used from any folder.
RunConfig with_absolute_paths(RunConfig config);

}  // namespace yona
