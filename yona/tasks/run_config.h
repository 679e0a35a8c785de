// Everything that decides a training run: what `config.yaml` holds, `--set key=value` changes, and
// the resolved copy beside the run records. Keys are dotted: model.d_model, train.updates, data.….
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "yona/models/bert_config.h"
#include "yona/models/memory_network_config.h"
#include "yona/models/seq2seq_config.h"
#include "yona/models/vit_config.h"
#include "yona/tasks/encoder/texts_config.h"
#include "yona/tasks/image_classification/config.h"
#include "yona/tasks/language_model/config.h"
#include "yona/tasks/parsing/config.h"
#include "yona/tasks/question_answering/config.h"
#include "yona/tasks/translation/data_config.h"
#include "yona/train/train_config.h"

namespace yona {

// A task reads and writes its own section; those of other tasks stay as they are. Its keys have the
// names that users know, whatever the field: `data.train` is data.corpora of translation, and a
// field of its own section in another task.
struct RunConfig {
  std::string task = "translation";  // see task_kind.h
  std::string preset = "base";
  Seq2SeqConfig model;  // of an encoder-decoder; vocabularies follow from the sub-words
  TrainConfig train;
  // One section for each task.
  DataConfig data;                     // translation
  LanguageModelConfig language_model;  // language-model
  ParsingConfig parsing;
  // classification and masked-lm
  BertConfig bert;
  TextsConfig texts;
  // image-classification
  VitConfig vit;
  ImagesConfig images;
  // question-answering
  MemoryNetworkConfig memory_network;
  QuestionsConfig questions;
  // Keys that a file or the command line gave; others may be planned by the data and the time
  // (TaskKind::plan). nullopt: made in code, where every value counts as given.
  std::optional<std::set<std::string>> given{};

  bool is_open(const std::string& key) const { return given && !given->contains(key); }
};

// One key given outside of a file: --set train.updates=100, or --updates 100.
struct ConfigAssignment {
  std::string key;
  std::string value;
  std::string origin;  // what the user typed, for messages: "--set train.updates", "--updates"
};

// The configuration of a run: the task's defaults, over them the preset (the last one given
// anywhere), over it the file (if the path is not empty), over that the assignments in their order.
// Relative paths of a file start at its folder, those of assignments at the working directory.
// Throws InvalidArgument or FormatError with place, value and what was expected; IoError when the
// file cannot be read.
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
