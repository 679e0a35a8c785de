#include "yona/io/causal_lm/language_model.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/io/causal_lm/lm_tokenizer.h"
#include "yona/io/causal_lm/lm_weights.h"
#include "yona/io/folder_update.h"
#include "yona/io/json_file.h"
#include "yona/io/model_files.h"
#include "yona/io/model_kind.h"
#include "yona/io/trained_folder.h"

namespace yona {

LmDescription read_lm_description(const std::filesystem::path& folder) {
  check<IoError>(std::filesystem::is_directory(folder), "{}: no such model folder",
                 folder.string());
  const std::filesystem::path path = folder / "config.json";
  const Json config = read_json(path);
  const ModelKind kind = model_kind(config, path.string());
  check(kind == ModelKind::language_model, "{}: is {}; a language model is expected",
        folder.string(), describe(kind));
  return read_lm_config(config, path.string());
}

LanguageModel::LanguageModel(std::filesystem::path folder, LmDescription description,
                             Backend& backend)
    : folder_(std::move(folder)),
      description_(description),
      tokenizer_(load_tokenizer(tokenizer_folder(folder_), description_.config.vocabulary)),
      model_(description_.config),
      parameters_(model_, backend, Gradients::no) {}

std::unique_ptr<LanguageModel> LanguageModel::load(const std::filesystem::path& folder,
                                                   Backend& backend, Packing packing) {
  verify_model_files(folder, VerifiedFiles::subwords);
  std::unique_ptr<LanguageModel> model(
      new LanguageModel(folder, read_lm_description(folder), backend));
  model->weights_.open_late(folder, model->parameters_, packing, [&] {
    return open_lm_weights(folder, model->description_, model->parameters_);
  });
  return model;
}

void write_language_model(const std::filesystem::path& folder, const LmDescription& description,
                          const Json& config, const Parameters& parameters, const Tensor& flat) {
  FolderUpdate update(folder);
  write_json(update.path() / "config.json", config);
  Json generation = Json::object();
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
    if (config.contains(key) && !config[key].is_null()) {
      generation[key] = config[key];
    }
  }
  write_json(update.path() / "generation_config.json", generation);
  write_lm_weights(update.path() / "model.safetensors", description, parameters, flat);
  update.keep(subword_files(folder));
  update.commit();
}

}  // namespace yona
