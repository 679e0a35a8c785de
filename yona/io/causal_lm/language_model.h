// A language model of a folder, ready to run: weights and tokeniser.
//
//   const auto model = LanguageModel::load("gpt2", backend, Packing::yes);
//   const std::vector<std::int32_t> ids = model->tokenizer().encode_prompt("Hello");
//   model->model().decode(…);                                     // models/causal_lm.h
#pragma once

#include <filesystem>
#include <memory>

#include "yona/io/causal_lm/lm_config.h"
#include "yona/io/cpu_weights.h"
#include "yona/models/causal_lm.h"
#include "yona/text/tokenizer/text_tokenizer.h"

namespace yona {

// From a folder's config.json. Throws IoError or FormatError naming the file and key, and
// InvalidArgument for a folder that holds a model of another kind.
LmDescription read_lm_description(const std::filesystem::path& folder);

class LanguageModel {
 public:
  // `packing` as for TranslationModel: how a CPU keeps the matrices, in their file's 2 bytes each
  // where that has bf16 or f16 (half_weights.h); int8 folders need int8. Throws IoError or
  // FormatError naming the file, also for one that is not as checksums.json says.
  static std::unique_ptr<LanguageModel> load(const std::filesystem::path& folder, Backend& backend,
                                             Packing packing = Packing::no);

  const std::filesystem::path& folder() const { return folder_; }
  const LmDescription& description() const { return description_; }
  const CausalLm& model() const { return model_; }
  const TextTokenizer& tokenizer() const { return tokenizer_; }
  const Parameters& parameters() const { return parameters_; }
  // Of a model that was loaded with Packing::int8, else null.
  const QuantisedWeights* quantised() const { return weights_.quantised(); }

 private:
  LanguageModel(std::filesystem::path folder, LmDescription description, Backend& backend);

  std::filesystem::path folder_;
  LmDescription description_;
  TextTokenizer tokenizer_;
  CausalLm model_;
  Parameters parameters_;
  CpuWeights weights_;  // gone before the parameters
};

// A whole model folder, its tokeniser's files excepted: config.json, generation_config.json and
// weights, each replaced atomically and recorded in checksums.json. `flat` is as for
// write_lm_weights(); `config` is config.json. Throws IoError.
void write_language_model(const std::filesystem::path& folder, const LmDescription& description,
                          const Json& config, const Parameters& parameters, const Tensor& flat);

}  // namespace yona
