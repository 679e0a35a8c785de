#include "yona/cli/output_file.h"

#include <algorithm>
#include <array>
#include <string>

#include "yona/base/error.h"
#include "yona/io/model_folder.h"

namespace yona::cli {

namespace {

namespace fs = std::filesystem;

// What lies in folders of models and runs, yona's and the hub's, besides weights.
constexpr std::array<std::string_view, 20> kNames{"config.json",
                                                  "config.yaml",
                                                  "generation_config.json",
                                                  "tokenizer.json",
                                                  "tokenizer_config.json",
                                                  "special_tokens_map.json",
                                                  "added_tokens.json",
                                                  "vocab.json",
                                                  "target_vocab.json",
                                                  "symbols.json",
                                                  "vocab.txt",
                                                  "merges.txt",
                                                  "sentencepiece.bpe.model",
                                                  "spiece.model",
                                                  "spm.model",
                                                  "checksums.json",
                                                  "state.json",
                                                  "choices.txt",
                                                  "log.jsonl",
                                                  "model.safetensors.index.json"};

bool is_weights(const std::string& name) {
  return name.ends_with(".safetensors") || name.ends_with(".spm") ||
         (name.starts_with("model") && name.ends_with(".npz"));
}

// A model's folder, a run's or a checkpoint's.
bool holds_model(const fs::path& folder) {
  std::error_code error;
  return is_model_folder(folder) || fs::exists(folder / "checkpoints", error) ||
         fs::exists(folder / "checksums.json", error);
}

}  // namespace

void protect_model_files(std::string_view flag, const fs::path& path) {
  std::error_code error;
  if (path.empty() || path == "-" || !fs::is_regular_file(path, error)) {
    return;
  }
  const std::string name = path.filename().string();
  const bool is_named = std::find(kNames.begin(), kNames.end(), name) != kNames.end();
  const bool is_part =
      is_weights(name) || (is_named && holds_model(fs::absolute(path).parent_path()));
  check(!is_part, "{}: {} is a file of a model, which would be lost; name another", flag,
        path.string());
}

}  // namespace yona::cli
