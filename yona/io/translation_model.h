// The encoder-decoder of a model folder, ready to run. Here the model meets the description that
// the rest of io/ works with.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "yona/io/hf_tokenizer.h"
#include "yona/io/int8_weights_file.h"
#include "yona/io/lazy_weights.h"
#include "yona/io/model_description.h"
#include "yona/models/seq2seq.h"
#include "yona/models/transformer.h"
#include "yona/nn/parameters.h"
#include "yona/tensor/packed_weights.h"
#include "yona/text/subword.h"
#include "yona/text/text_frame.h"

namespace yona {

struct ModelInfo {
  Seq2SeqConfig config;
  std::string source_language, target_language;
  bool shared_vocabulary = true;  // a piece has the same id on both sides
  std::string family{};           // as in ModelDescription; empty: yona's own
  std::int64_t end_id = 0;        // </s>
  std::int64_t pad_id = -1;       // <pad>; -1: the last
  std::string vocabulary{};       // SubwordPair::fingerprint(); empty: not known
  // config.json as it was read from the folder of a family, for one that is trained on.
  std::string original_config{};
  std::string task = "translation";  // or parsing: what writes symbols of a tree
};

ModelDescription describe(const ModelInfo& info);
// What config.json says of it: yona's own, or the family's.
Json model_config(const ModelInfo& info);
// Throws FormatError for a <pad> that no model can have.
ModelInfo model_info(const ModelDescription& description);
// From a folder's config.json. Throws IoError or FormatError naming the file and key.
ModelInfo read_model_info(const std::filesystem::path& folder);

// Of a folder that any program wrote; of a run's checkpoint, from the run's. Throws IoError or
// FormatError naming the file.
SubwordPair load_model_subwords(const std::filesystem::path& folder, const ModelInfo& info);

// A whole model folder: configurations, sub-word files and weights, each file replaced atomically
// and recorded in checksums.json (folder_update.h).
// `flat` is as for write_weights. Of a family's model config.json and weights alone are written:
// its tokeniser's files lie there already (trained_folder.h). Throws IoError.
void write_model(const std::filesystem::path& folder, const ModelInfo& info,
                 const SubwordPair& subwords, const Parameters& parameters, const Tensor& flat);

// Writes model.safetensors: the flat tensor, laid out as parameters.weights(), under the family's
// names (the weights themselves, or their average).
void write_weights(const std::filesystem::path& path, const ModelInfo& info,
                   const Parameters& parameters, const Tensor& flat);
// Reads folder/model.safetensors (or its shards) into the parameters. Throws FormatError naming
// the first tensor that is missing or has another shape, or a file that is not as checksums.json
// says.
void read_weights(const std::filesystem::path& folder, const Parameters& parameters);

// yes: each weight is read when it is first used and put into the order that decoding on a CPU
// reads fastest (packed_weights.h), so that loading takes no time; weights can then not be read out
// or saved. Other devices take them as they are.
// int8: the same with matrices in bytes (quantised_weights.h), rounded then, or as the folder's
// file has them. CPUs alone.
// bf16: the same with matrices in bf16 (half_weights.h), of language models; others take it as yes.
enum class Packing : std::uint8_t { no, yes, int8, bf16 };

// How a folder's weights are loaded for decoding by default: int8 where it has no
// others.
Packing packing_of(const std::filesystem::path& folder);

// A model ready to run: weights, sub-words and languages of one folder.
class TranslationModel {
 public:
  // Throws IoError or FormatError naming the file, also for one that is not as checksums.json says.
  static std::unique_ptr<TranslationModel> load(const std::filesystem::path& folder,
                                                Backend& backend, Packing packing = Packing::no);

  const std::filesystem::path& folder() const { return folder_; }
  const SequenceModel& model() const { return *model_; }
  // Throws InvalidArgument, which begins with `who`, for another architecture.
  const Transformer& transformer(std::string_view who = "model") const;
  const SubwordPair& subwords() const { return *subwords_; }
  const ModelInfo& info() const { return info_; }
  // The special tokens around a text.
  const TextFrame& frame() const { return frame_; }
  // Chooses among the languages of a multilingual model; empty ones are the folder's own. Models
  // of one pair take them as they are. Throws InvalidArgument as text_frame() does.
  void choose_languages(const Languages& languages);
  const Parameters& parameters() const { return parameters_; }
  // Of a model that was loaded with Packing::int8, else null.
  const QuantisedWeights* quantised() const { return quantised_.get(); }

 private:
  void open_weights(Packing packing);

  TranslationModel(std::filesystem::path folder, const ModelInfo& info, Backend& backend);

  std::filesystem::path folder_;
  ModelInfo info_;
  TextFrame frame_;
  std::optional<SubwordPair> subwords_;  // always there once it is loaded
  std::unique_ptr<SequenceModel> model_;
  Parameters parameters_;
  std::unique_ptr<LazyWeights> lazy_;      // read by packed_
  std::unique_ptr<PackedWeights> packed_;  // gone before the parameters, as is
  std::unique_ptr<Int8WeightsFile> int8_file_;
  std::unique_ptr<QuantisedWeights> quantised_;
};

}  // namespace yona
