// The index of shards: {"metadata": {…}, "weight_map": {"tensor name":
// "model-00001-of-00002.safetensors", …}}.

#include "yona/io/safetensors_folder.h"

#include <algorithm>
#include <string>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/io/int8_weights_file.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

// model-00001-of-00003.safetensors
bool has_parts(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(folder);
  return std::any_of(begin(files), end(files), [](const auto& entry) {
    const std::string name = entry.path().filename().string();
    return name.starts_with("model-") && name.ends_with(".safetensors");
  });
}

}  // namespace

SafetensorsFolder::SafetensorsFolder(const std::filesystem::path& folder) {
  const std::filesystem::path single = folder / "model.safetensors";
  const std::filesystem::path index = folder / "model.safetensors.index.json";
  if (std::filesystem::exists(single)) {
    files_.emplace_back(single, ReadWhen::late);
    for (const NamedArray& array : files_.front().arrays()) {
      file_of_.emplace(array.name, 0);
    }
    return;
  }
  check<FormatError>(
      std::filesystem::exists(index) || !has_int8_weights(folder),
      "{}: its weights are int8 alone, made to decode on CPUs (--compute-type int8); use "
      "the folder that `yona convert` made it from",
      folder.string());
  for (const char* pickle : {"pytorch_model.bin", "pytorch_model.bin.index.json"}) {
    check<FormatError>(
        std::filesystem::exists(index) || !std::filesystem::exists(folder / pickle),
        "{0}: {1} is a pickle, which can run any program and is never opened; convert "
        "it once where transformers is installed: python -c \"from transformers import "
        "AutoModelForSeq2SeqLM as M; M.from_pretrained('{0}').save_pretrained('{0}')\"",
        folder.string(), pickle);
  }
  check<FormatError>(std::filesystem::exists(index),
                     "{}: no weights: neither model.safetensors nor model.safetensors.index.json{}",
                     folder.string(),
                     has_parts(folder) ? ", which says what is in which of its parts" : "");
  open_shards(index);
}

void SafetensorsFolder::open_shards(const std::filesystem::path& index) {
  const Json json = read_json(index);
  check<FormatError>(
      json.is_object() && json.contains("weight_map") && json["weight_map"].is_object(),
      "{}: no \"weight_map\" from tensor names to files", index.string());
  std::map<std::string, std::size_t> opened;  // shard → position in files_
  for (const auto& [name, value] : json["weight_map"].items()) {
    check<FormatError>(value.is_string(), "{}: the file of tensor '{}' is not a string",
                       index.string(), name);
    const std::string shard = value.get<std::string>();
    check<FormatError>(shard == std::filesystem::path(shard).filename().string(),
                       "{}: tensor '{}' is in '{}', which is not a plain file name", index.string(),
                       name, shard);
    const auto [position, is_new] = opened.emplace(shard, files_.size());
    if (is_new) {
      std::error_code unusable;  // a name that no file can have
      check<FormatError>(std::filesystem::exists(index.parent_path() / shard, unusable),
                         "{}: '{}', which has a part of the weights, is missing; all parts "
                         "are needed",
                         index.string(), shard);
      files_.emplace_back(index.parent_path() / shard, ReadWhen::late);
    }
    const SafetensorsFile& file = files_[position->second];
    check<FormatError>(file.find(name).has_value(), "{}: tensor '{}' is not in {}", index.string(),
                       name, file.path().string());
    file_of_.emplace(name, position->second);
  }
}

std::vector<std::string> SafetensorsFolder::names() const {
  std::vector<std::string> names;
  names.reserve(file_of_.size());
  for (const auto& [name, file] : file_of_) {
    names.push_back(name);
  }
  return names;
}

std::optional<NamedArray> SafetensorsFolder::find(std::string_view name) const {
  const auto found = file_of_.find(name);
  return found == file_of_.end() ? std::nullopt : files_[found->second].find(name);
}

}  // namespace yona
