// A model folder opened for reading: its description and its weights under yona's names, also
// of folders that other programs wrote.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "yona/base/shape.h"
#include "yona/io/marian_npz.h"
#include "yona/io/model_description.h"
#include "yona/io/safetensors_folder.h"

namespace yona {

// Is there a model that yona reads: a config.json, or Marian's .npz?
bool is_model_folder(const std::filesystem::path& folder);
// Its description from config.json or Marian's .npz alone, before what the weights add. Throws
// IoError or FormatError naming the file and key.
ModelDescription read_folder_description(const std::filesystem::path& folder);

// Throws IoError when config.json or the weights cannot be read, FormatError when they are wrong.
class ModelFolder {
 public:
  explicit ModelFolder(const std::filesystem::path& folder);

  // Of a foreign folder, completed by what only the weights say.
  const ModelDescription& description() const { return description_; }

  // A parameter by yona's name, under yona's name. projection.bias of the families has shape [V].
  // Its data is read when it is copied; the array lives as long as this object.
  std::optional<NamedArray> find(const std::string& parameter) const;

  // The same, for a parameter that must be there: FormatError naming folder and tensor when it is
  // missing or has another shape.
  NamedArray get(const std::string& parameter, const Shape& shape) const;
  // Compares the weights with the folder's checksums.json, if there is one. Throws FormatError
  // naming the file that differs and what to do.
  void verify(ThreadPool* pool) const;

 private:
  std::vector<std::string> names_of(const std::string& parameter) const;
  void skip_positions(NamedArray& table) const;
  void complete_description();
  void complete_tying();
  enum class Fallback : std::uint8_t { none, shared };
  // Throws FormatError where the weights have neither the parameter's own matrix nor its fallback.
  void check_untied(const std::string& parameter, Fallback fallback) const;

  std::filesystem::path folder_;
  ModelDescription description_;
  // One of the two.
  std::optional<SafetensorsFolder> weights_;
  std::optional<MarianNpz> marian_;
};

}  // namespace yona
