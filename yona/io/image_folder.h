// Folders of image classifiers: ViT and DeiT as transformers writes them, and yona's own in the
// same form. A model that neither can hold (overlapping patches, the mean of the states is
// classified) is written under yona's names with "model_type": "yona-vit".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/data/images/image_processor.h"
#include "yona/models/vit_config.h"
#include "yona/nn/parameters.h"

namespace yona {

inline constexpr std::string_view kOwnVit = "yona-vit";

struct ImageModelInfo {
  VitConfig config;
  std::string family = "vit";  // model_type: vit, deit or yona-vit
  std::vector<std::string> labels{};
  ImageProcessor processor{};
  std::string original_config{};     // config.json as it was read from the hub's folder
  std::string original_processor{};  // preprocessor_config.json likewise
};

// The shape of pictures that the model takes, and how they are cut.
ImageShape image_shape(const VitConfig& config);
PatchGrid patch_grid(const VitConfig& config);

// Is config.json that of an image classifier?
bool is_image_config(const Json& config);

// From config.json, preprocessor_config.json and which tensors there are. Throws IoError or
// FormatError naming file and key.
ImageModelInfo read_image_info(const std::filesystem::path& folder);

// The family that holds a new model, or kOwnVit and the reason.
struct ImageFamilyChoice {
  std::string family;
  std::string reason{};
};
ImageFamilyChoice choose_image_family(const VitConfig& config);

// The processor of a folder whose pictures are as large as the model takes them.
ImageProcessor processor_for(const VitConfig& config, const ImageNormalisation& normalisation);

Json image_config(const ImageModelInfo& info);
Json processor_config(const ImageModelInfo& info);

// The names that a parameter can have in the family's files, the one that is written first.
std::vector<std::string> image_weight_names(const std::string& parameter,
                                            const ImageModelInfo& info);

// model.safetensors: `flat` is laid out as parameters.weights().
void write_image_weights(const std::filesystem::path& path, const ImageModelInfo& info,
                         const Parameters& parameters, const Tensor& flat);

// may_be_new: a classifier that the folder lacks, or that has other labels, stays as it is.
enum class Classifier : std::uint8_t { required, may_be_new };
// Reads the folder's weights into the parameters; returns the names of those that it lacks. Throws
// FormatError naming the first tensor that is missing or has another shape, or a file that is not
// as checksums.json says.
std::vector<std::string> read_image_weights(const std::filesystem::path& folder,
                                            const ImageModelInfo& info,
                                            const Parameters& parameters,
                                            Classifier classifier = Classifier::required);

}  // namespace yona
