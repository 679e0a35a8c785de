#include "yona/tasks/language_model/run_model.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/io/causal_lm/lm_tokenizer.h"
#include "yona/io/json_file.h"
#include "yona/io/trained_folder.h"
#include "yona/tasks/language_model/tokenizer_training.h"
#include "yona/tasks/seq2seq/run_files.h"

namespace yona {

namespace {

// The shape is that of the model it starts from, dropout is this run's.
LmDescription with_dropout(LmDescription from, const RunConfig& config) {
  from.config.dropout = config.language_model.model.dropout;
  from.config.attention_dropout = config.language_model.model.attention_dropout;
  return from;
}

LmRunModel opened(const RunPlace& place, const LmDescription& description, Json config) {
  return {load_tokenizer(place.output, description.config.vocabulary),
          tokenizer_identity(place.output), description, std::move(config)};
}

LmRunModel of_folder(const RunConfig& config, const RunPlace& place,
                     const std::filesystem::path& folder) {
  const LmDescription description = with_dropout(read_lm_description(folder), config);
  Json json = trained_lm_config(read_json(folder / "config.json"), description.config);
  return opened(place, description, std::move(json));
}

LmRunModel new_model(const RunConfig& config, const RunPlace& place) {
  const LanguageModelConfig& wanted = config.language_model;
  if (wanted.data.tokenizer.empty()) {
    train_lm_tokenizer(wanted.data, wanted.model.max_positions, place.output, place.reporter);
  } else {
    check(std::filesystem::exists(wanted.data.tokenizer / "tokenizer.json"),
          "data.tokenizer: {}: has no tokenizer.json", wanted.data.tokenizer.string());
    copy_tokenizer_files(wanted.data.tokenizer, place.output);
  }
  LmDescription description;
  description.config = wanted.model;
  description.config.vocabulary = tokenizer_size(place.output);
  const TextTokenizer tokenizer = load_tokenizer(place.output, description.config.vocabulary);
  description.config.start_id = tokenizer.begin() >= 0 ? tokenizer.begin() : tokenizer.end();
  description.family = lm_family(description.config);
  check_config(description.config);
  Json json = lm_config(description.config, {tokenizer.begin(), tokenizer.end(), tokenizer.pad()});
  return opened(place, description, std::move(json));
}

}  // namespace

LmRunModel prepare_lm(const RunConfig& config, const RunPlace& place) {
  if (place.checkpoint) {
    return of_folder(config, place, place.checkpoint->path);
  }
  remove_old_model(place);
  if (!place.init.empty()) {
    read_lm_description(place.init);  // throws for another kind of model, before files are copied
    std::error_code error;
    if (!std::filesystem::equivalent(place.init, place.output, error)) {
      copy_tokenizer_files(place.init, place.output);
    }
    return of_folder(config, place, place.init);
  }
  return new_model(config, place);
}

}  // namespace yona
