// A model as Marian trains it (Junczys-Dowmunt et al. 2018): weights in an .npz that also holds
// their configuration, as YAML, in the array special:model.yml.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "yona/io/model_description.h"
#include "yona/io/npz_file.h"

namespace yona {

// Throws IoError or FormatError naming the file and, for what yona cannot run, Marian's option.
class MarianNpz {
 public:
  explicit MarianNpz(const std::filesystem::path& path);

  const ModelDescription& description() const { return description_; }

  // A parameter by yona's name, in yona's layout: Marian multiplies x W where yona has x Wᵀ, and
  // has no <pad>. Made when first asked for, in f32; lives as long as this object. Not
  // thread-safe.
  std::optional<NamedArray> find(const std::string& parameter) const;

  const NpzFile& file() const { return file_; }

 private:
  void read_sizes(const Json& options);
  // Its name there, and whether it is transposed; empty: Marian has nothing of the kind.
  struct Source {
    std::string name;
    bool is_turned = false;
    bool has_pad = false;  // one row more in yona
  };
  Source source_of(const std::string& parameter) const;
  Source layer_source(const std::string& parameter) const;

  NpzFile file_;
  std::string name_;
  ModelDescription description_;
  struct Array {
    Shape shape;
    std::vector<float> values;
  };
  mutable std::map<std::string, Array> made_;
};

}  // namespace yona
