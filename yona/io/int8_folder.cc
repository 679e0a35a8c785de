#include "yona/io/int8_folder.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/input_file.h"
#include "yona/io/atomic_folder.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/io/checksums.h"
#include "yona/io/cpu_weights.h"
#include "yona/io/encoder_folder.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/io/model_files.h"
#include "yona/io/model_kind.h"
#include "yona/io/translation_model.h"
#include "yona/io/warm_up.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// Sub-words, generation settings and what tokenisers want besides: small files, none of weights.
bool is_kept(const fs::directory_entry& entry) {
  constexpr std::array<std::string_view, 5> kEndings = {".json", ".spm", ".model", ".txt",
                                                        ".jinja"};
  const std::string name = entry.path().filename().string();
  const bool is_of_weights = name == "config.json" || name == kManifestFile ||
                             name.find("safetensors") != name.npos ||
                             name.find(".bin") != name.npos;
  return entry.is_regular_file() && !is_of_weights &&
         std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// std::filesystem::copy_file() says of a full disk that there was an input or output error.
void copy_small_file(const fs::path& from, const fs::path& to) {
  const std::string bytes = read_file(from);
  FileWriter copy(to, static_cast<std::int64_t>(bytes.size()));
  copy.write(bytes);
  copy.close();
}

// Of sentence-transformers: 1_Pooling/config.json.
bool is_module_config(const fs::directory_entry& entry) {
  return entry.is_directory() && !entry.is_symlink() &&
         entry.path().filename().string().find("_Pooling") != std::string::npos &&
         fs::is_regular_file(entry.path() / "config.json");
}

void copy_small_files(const fs::path& from, const fs::path& to) {
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path target = to / entry.path().filename();
    if (is_kept(entry)) {
      copy_small_file(entry.path(), target);
    } else if (is_module_config(entry)) {
      fs::create_directory(target);
      copy_small_file(entry.path() / "config.json", target / "config.json");
    }
  }
}

// A loaded model whose matrices have all been rounded: config.json's key "yona", and the weights.
struct Int8Model {
  Json own;
  std::function<void(const fs::path&)> write_weights;
};

Int8Model round_translation(const fs::path& from, Backend& backend) {
  const std::shared_ptr<TranslationModel> model =
      TranslationModel::load(from, backend, Packing::int8);
  warm_up(*model, backend);  // which asks for every matrix
  return {huggingface_config(describe(model->info()))["yona"], [model](const fs::path& path) {
            write_int8_weights(path, model->parameters(), *model->quantised());
          }};
}

Int8Model round_language_model(const fs::path& from, const Json& config, Backend& backend) {
  const std::shared_ptr<LanguageModel> model = LanguageModel::load(from, backend, Packing::int8);
  warm_up(model->model(), backend);
  return {trained_lm_config(config, model->description().config)["yona"],
          [model](const fs::path& path) {
            write_int8_weights(path, model->parameters(), *model->quantised(),
                               UnusedMatrices::keep);
          }};
}

// The weights of an encoder, without its tokeniser, which is only copied.
struct EncoderWeights {
  EncoderWeights(const EncoderInfo& info, Backend& backend)
      : model(info.config), parameters(model, backend, Gradients::no) {}

  Bert model;
  Parameters parameters;
  CpuWeights weights;
};

Int8Model round_encoder(const fs::path& from, Backend& backend) {
  const EncoderInfo info = read_encoder_info(from);
  const auto encoder = std::make_shared<EncoderWeights>(info, backend);
  encoder->weights.open(from, encoder->parameters, Packing::int8,
                        [&] { read_encoder_weights(from, info, encoder->parameters); });
  warm_up(encoder->model, backend);
  return {int8_encoder_fields(info), [encoder](const fs::path& path) {
            write_int8_weights(path, encoder->parameters, *encoder->weights.quantised(),
                               UnusedMatrices::keep);
          }};
}

Int8Model round_model(const fs::path& from, const Json& config, Backend& backend) {
  const ModelKind kind = model_kind(config, (from / "config.json").string());
  switch (kind) {
    case ModelKind::translation:
    case ModelKind::parsing:
      return round_translation(from, backend);
    case ModelKind::language_model:
      return round_language_model(from, config, backend);
    case ModelKind::encoder:
      return round_encoder(from, backend);
    case ModelKind::image:
    case ModelKind::question_answering:
      break;
  }
  fail<NotImplemented>(
      "{}: is {}; int8 is for translation models, parsers, language models and encoders",
      from.string(), describe(kind));
}

}  // namespace

void write_int8_folder(const fs::path& from, const fs::path& to, Backend& backend) {
  check(!fs::exists(to), "{}: already exists; name a new folder", to.string());
  check(fs::exists(from / "config.json"), "{}: has no config.json; only folders with one convert",
        from.string());
  Json config = read_json(from / "config.json");
  const Int8Model model = round_model(from, config, backend);
  if (!to.parent_path().empty()) {
    fs::create_directories(to.parent_path());
  }
  AtomicFolder folder(to);
  config["yona"] = model.own;
  config["yona"]["weights"] = "int8";
  write_json(folder.path() / "config.json", config);
  copy_small_files(tokenizer_folder(from), folder.path());
  model.write_weights(folder.path() / kInt8File);
  folder.commit();
}

}  // namespace yona
