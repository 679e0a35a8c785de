// Folders of encoders: BERT, RoBERTa and DistilBERT as transformers writes them, and yona's own in
// the same form. A model that none of the families can hold (the mean of the states is classified,
// norms come first) is written under yona's names with "model_type": "yona-encoder".
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/io/encoder_family.h"
#include "yona/io/safetensors_folder.h"
#include "yona/models/bert_config.h"
#include "yona/nn/parameters.h"

namespace yona {

// What the outputs of a classification head are.
enum class Problem : std::uint8_t { single_label, multi_label, regression };

struct EncoderInfo {
  BertConfig config;
  std::string family = "bert";  // model_type; "yona-encoder": none of them
  Problem problem = Problem::single_label;
  std::vector<std::string> labels{};  // names of the head's outputs; one for a regression
  std::string original_config{};      // config.json as it was read from the hub's folder
};

inline constexpr std::string_view kOwnEncoder = "yona-encoder";

// Is config.json that of an encoder?
bool is_encoder_config(const Json& config);
bool is_encoder_folder(const std::filesystem::path& folder);

// From config.json and from which tensors there are. Throws IoError or FormatError naming file and
// key.
EncoderInfo read_encoder_info(const std::filesystem::path& folder);

// The family that holds a new model, or kOwnEncoder and the reason.
struct EncoderChoice {
  std::string family;
  std::string reason;
};
EncoderChoice choose_encoder_family(const BertConfig& config);

Json encoder_config(const EncoderInfo& info);
// The key "yona" of a folder that has the weights in int8 alone: it says what else the weights say.
Json int8_encoder_fields(const EncoderInfo& info);

// model.safetensors: `flat` is laid out as parameters.weights().
void write_encoder_weights(const std::filesystem::path& path, const EncoderInfo& info,
                           const Parameters& parameters, const Tensor& flat);

// A whole model folder, its tokeniser's files excepted: config.json and weights, each replaced
// atomically and recorded in checksums.json. Throws IoError.
void write_encoder_model(const std::filesystem::path& folder, const EncoderInfo& info,
                         const Parameters& parameters, const Tensor& flat);

// may_be_new: the heads, if the folder lacks them, stay as they are (a run that begins with the
// folder of a masked language model gets a new classifier).
enum class Heads : std::uint8_t { required, may_be_new };
// Reads the folder's weights into the parameters; returns the names of those that it lacks. Throws
// FormatError naming the first tensor that is missing or has another shape, or a file that is not
// as checksums.json says.
std::vector<std::string> read_encoder_weights(const std::filesystem::path& folder,
                                              const EncoderInfo& info, const Parameters& parameters,
                                              Heads heads = Heads::required);

}  // namespace yona
