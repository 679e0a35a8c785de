#include "yona/cli/model_summary.h"

#include <fmt/format.h>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/decode/generation_config.h"
#include "yona/decode/languages.h"
#include "yona/encode/encoder_model.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/io/image_folder.h"
#include "yona/io/model_kind.h"
#include "yona/io/translation_model.h"
#include "yona/models/memory_network.h"
#include "yona/models/vit.h"
#include "yona/tasks/question_answering/memory_folder.h"

namespace yona::cli {

namespace {

std::string vocabulary_text(const TransformerConfig& model) {
  return model.source_vocabulary == model.target_vocabulary
             ? grouped(model.source_vocabulary)
             : fmt::format("{} and {}", grouped(model.source_vocabulary),
                           grouped(model.target_vocabulary));
}

std::string pair_text(const ModelInfo& info) {
  return info.source_language.empty()
             ? ""
             : fmt::format("{} → {}, ", info.source_language, info.target_language);
}

// What an architecture has besides layers and width.
std::string arch_text(const Seq2SeqConfig& model) {
  switch (model.arch) {
    case Arch::rnn:
      return fmt::format("{} units, alignment {}", enum_name(model.cell),
                         enum_name(model.alignment));
    case Arch::bytenet:
      return fmt::format("convolutions of {} tokens, dilated up to {}", model.kernel_width,
                         model.longest_dilation);
    case Arch::feed_forward:
      return fmt::format("d_ff {}, input of {} tokens, the last {} of the target", model.d_ff,
                         longest_sentence(model), model.kernel_width);
    default:
      return fmt::format("convolutions of {} tokens", model.kernel_width);
  }
}

ModelSummary other_summary(const ModelInfo& info, const std::vector<std::string>& languages) {
  const Seq2SeqConfig& model = info.config;
  const std::unique_ptr<SequenceModel> made = make_seq2seq(model);
  return {fmt::format("{}{}, {} + {} layers, d_model {}, {}, vocabulary {}", pair_text(info),
                      enum_name(model.arch), model.encoder_layers, model.decoder_layers,
                      model.d_model, arch_text(model), vocabulary_text(model)),
          {{"arch", enum_name(model.arch)},
           {"source_language", info.source_language},
           {"target_language", info.target_language},
           {"languages", languages},
           {"encoder_layers", model.encoder_layers},
           {"decoder_layers", model.decoder_layers},
           {"d_model", model.d_model},
           {"source_vocabulary", model.source_vocabulary},
           {"target_vocabulary", model.target_vocabulary}},
          languages,
          model_table(*made)};
}

ModelSummary transformer_summary(const ModelInfo& info, std::vector<std::string> languages) {
  if (info.config.arch != Arch::transformer) {
    return other_summary(info, languages);
  }
  const TransformerConfig& model = info.config;
  const HeadShape heads = model.head_shape();
  Transformer transformer(model);
  return {fmt::format("{}{} + {} layers, d_model {}, d_ff {}, {} heads of d_k {} and d_v {}, "
                      "vocabulary {}",
                      pair_text(info), model.encoder_layers, model.decoder_layers, model.d_model,
                      model.d_ff, model.heads, heads.d_k, heads.d_v, vocabulary_text(model)),
          {{"source_language", info.source_language},
           {"target_language", info.target_language},
           {"languages", languages},
           {"encoder_layers", model.encoder_layers},
           {"decoder_layers", model.decoder_layers},
           {"d_model", model.d_model},
           {"d_ff", model.d_ff},
           {"heads", model.heads},
           {"d_k", heads.d_k},
           {"d_v", heads.d_v},
           {"source_vocabulary", model.source_vocabulary},
           {"target_vocabulary", model.target_vocabulary}},
          languages,
          model_table(transformer)};
}

ModelSummary translation_summary(const std::filesystem::path& folder, Backend& backend) {
  const auto model = TranslationModel::load(folder, backend, packing_of(folder));
  folder_options(folder, model->info());  // throws where generation_config.json is wrong
  ModelSummary summary = transformer_summary(
      model->info(), is_multilingual(model->info())
                         ? language_tokens(model->subwords().target.vocabulary())
                         : std::vector<std::string>());
  if (model->info().task == "parsing") {
    summary.line = "parser, " + summary.line;
    summary.fields["task"] = "parsing";
  }
  return summary;
}

ModelSummary language_model_summary(const std::filesystem::path& folder, Backend& backend) {
  const auto loaded = LanguageModel::load(folder, backend, packing_of(folder));
  const LmDescription& description = loaded->description();
  const CausalLmConfig& config = description.config;
  const HeadShape heads = config.head_shape();
  const std::int64_t kv_heads = heads.kv_heads > 0 ? heads.kv_heads : heads.heads;
  CausalLm model(config);
  return {fmt::format("language model ({}), {} layers, d_model {}, d_ff {}, {} heads of {}{}, "
                      "vocabulary {}, up to {} tokens",
                      model_type(description.family), config.layers, config.d_model, config.d_ff,
                      heads.heads, heads.d_k,
                      kv_heads == heads.heads ? "" : fmt::format(", {} for keys", kv_heads),
                      grouped(config.vocabulary), grouped(config.max_positions)),
          {{"task", "language-model"},
           {"family", model_type(description.family)},
           {"layers", config.layers},
           {"d_model", config.d_model},
           {"d_ff", config.d_ff},
           {"heads", heads.heads},
           {"kv_heads", kv_heads},
           {"head_size", heads.d_k},
           {"vocabulary", config.vocabulary},
           {"max_positions", config.max_positions}},
          {},
          model_table(model)};
}

std::string heads_text(const EncoderInfo& info) {
  std::vector<std::string> heads;
  if (info.config.masked_lm) {
    heads.emplace_back("fills masks");
  }
  if (info.config.labels > 0) {
    heads.push_back(info.problem == Problem::regression
                        ? "gives a number"
                        : fmt::format("tells {} apart", counted(info.labels.size(), "label")));
  }
  return heads.empty() ? "" : fmt::format(", {}", fmt::join(heads, ", "));
}

ModelSummary encoder_summary(const std::filesystem::path& folder, Backend& backend) {
  const auto loaded = EncoderModel::load(folder, backend, packing_of(folder));
  const EncoderInfo& info = loaded->info();
  const BertConfig& config = info.config;
  Bert model(config);
  return {fmt::format("encoder ({}), {} layers, d_model {}, d_ff {}, {} heads, vocabulary {}, up "
                      "to {} tokens{}",
                      info.family, config.layers, config.d_model, config.d_ff, config.heads,
                      grouped(config.vocabulary), grouped(config.max_positions), heads_text(info)),
          {{"task", config.labels > 0 ? "classification" : "masked-lm"},
           {"family", info.family},
           {"layers", config.layers},
           {"d_model", config.d_model},
           {"d_ff", config.d_ff},
           {"heads", config.heads},
           {"vocabulary", config.vocabulary},
           {"max_positions", config.max_positions},
           {"labels", info.labels},
           {"masked_lm", config.masked_lm}},
          {},
          model_table(model)};
}

std::string patch_text(const VitConfig& config) {
  const std::string step =
      config.step() == config.patch ? "" : fmt::format(" every {}", config.step());
  return fmt::format("{} patches of {} × {}{}", config.patches(), config.patch, config.patch, step);
}

std::string image_heads_text(const ImageModelInfo& info) {
  if (info.labels.empty()) {
    return ", without a classifier";
  }
  return fmt::format(", tells {} apart{}", counted(info.labels.size(), "label"),
                     info.config.distillation_classifier ? ", with a teacher's classifier" : "");
}

// Without a classifier it is a folder to begin a run with: ImageModel would refuse it.
ModelSummary image_summary(const std::filesystem::path& folder, Backend& backend) {
  const ImageModelInfo info = read_image_info(folder);
  const VitConfig& config = info.config;
  Vit model(config);
  read_image_weights(folder, info, Parameters(model, backend, Gradients::no));
  return {fmt::format("image classifier ({}), {} layers, d_model {}, d_ff {}, {} heads, {} of {} "
                      "× {} {} pixels{}",
                      info.family, config.layers, config.d_model, config.d_ff, config.heads,
                      patch_text(config), config.image_height, config.image_width,
                      config.channels == 1 ? "grey" : "coloured", image_heads_text(info)),
          {{"task", "image-classification"},
           {"family", info.family},
           {"layers", config.layers},
           {"d_model", config.d_model},
           {"d_ff", config.d_ff},
           {"heads", config.heads},
           {"image_height", config.image_height},
           {"image_width", config.image_width},
           {"channels", config.channels},
           {"patch", config.patch},
           {"stride", config.step()},
           {"tokens", config.tokens()},
           {"labels", info.labels}},
          {},
          model_table(model),
          "config.json, preprocessor_config.json"};
}

ModelSummary memory_summary(const std::filesystem::path& folder, Backend& backend) {
  const MemoryNetworkInfo info = read_memory_info(folder);
  const MemoryNetworkConfig& config = info.config;
  MemoryNetwork model(config);
  read_memory_weights(folder, Parameters(model, backend, Gradients::no));
  return {
      fmt::format("memory network, {}, d_model {}, memory of {}, {} tying, vocabulary {}",
                  counted(config.hops, "hop"), config.d_model, counted(config.memory, "sentence"),
                  enum_name(config.tying), grouped(config.vocabulary)),
      {{"task", "question-answering"},
       {"hops", config.hops},
       {"d_model", config.d_model},
       {"memory", config.memory},
       {"tying", enum_name(config.tying)},
       {"vocabulary", config.vocabulary}},
      {},
      model_table(model),
      "config.json"};
}

}  // namespace

ModelSummary summary_of(const Seq2SeqConfig& config) {
  ModelInfo info;
  info.config = config;
  return transformer_summary(info, {});
}

ModelSummary read_summary(const std::filesystem::path& folder, Backend& backend) {
  const ModelKind kind = read_model_kind(folder);
  switch (kind) {
    case ModelKind::translation:
    case ModelKind::parsing:
      return translation_summary(folder, backend);
    case ModelKind::language_model:
      return language_model_summary(folder, backend);
    case ModelKind::encoder:
      return encoder_summary(folder, backend);
    case ModelKind::image:
      return image_summary(folder, backend);
    case ModelKind::question_answering:
      return memory_summary(folder, backend);
  }
  fail("--model: {}: unknown kind {}", folder.string(), static_cast<int>(kind));
}

}  // namespace yona::cli
