#include "yona/io/model_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <system_error>

#include "yona/base/input_file.h"
#include "yona/io/checksums.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 18> kNames = {
    "config.json",
    "generation_config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer.model",
    "chat_template.jinja",
    "added_tokens.json",
    "vocab.json",
    "target_vocab.json",
    "symbols.json",
    "merges.txt",
    "spiece.model",
    "checksums.json",
    "sentencepiece.bpe.model",
    "vocab.txt",
    "modules.json",
    "sentence_bert_config.json",
};
// Weights and their index, SentencePiece's models, and what Marian writes.
constexpr std::array<std::string_view, 6> kEndings = {
    ".safetensors", ".safetensors.index.json", ".spm", ".npz", ".yml", ".yaml"};
// What a run stores with its model, or people edit.
constexpr std::array<std::string_view, 2> kOthers = {"config.yaml", "optimizer.safetensors"};
constexpr std::array<std::string_view, 5> kSettings = {"config.json", "generation_config.json",
                                                       "tokenizer_config.json",
                                                       "special_tokens_map.json", kManifestFile};

template <class List>
bool is_in(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_model_file(const std::string& name) {
  const bool has_ending =
      std::any_of(kEndings.begin(), kEndings.end(),
                  [&](std::string_view ending) { return name.ends_with(ending); });
  return is_in(kNames, name) || (has_ending && !name.starts_with('.') && !is_in(kOthers, name) &&
                                 !name.ends_with(".optimizer.npz"));
}

bool is_of_weights(std::string_view name) {
  return name.ends_with(".safetensors") || name.ends_with(".npz");
}

}  // namespace

std::vector<std::string> model_files(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (std::string name = entry->path().filename().string(); is_model_file(name)) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path tokenizer_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path checkpoint = fs::canonical(folder, error);
  if (error || checkpoint.parent_path().filename() != "checkpoints" ||
      !fs::exists(checkpoint / "state.json", error)) {
    return folder;
  }
  return checkpoint.parent_path().parent_path();
}

void verify_model_files(const fs::path& folder, VerifiedFiles which, ThreadPool* pool) {
  if (!fs::exists(folder / kManifestFile)) {
    return;
  }
  std::vector<InputFile> files;
  for (const std::string& name : model_files(folder)) {
    if (!is_in(kSettings, name) && (which == VerifiedFiles::all || !is_of_weights(name))) {
      files.emplace_back(folder / name);
    }
  }
  // Read after the files were opened: a manifest knows the file that it replaces, not the next.
  const std::optional<Manifest> manifest = Manifest::find(folder);
  for (const InputFile& file : files) {
    if (manifest) {
      check_listed(*manifest, file.path(), file.size(), [&] { return checksum_input(file, pool); });
    }
  }
}

std::size_t record_checksums(const fs::path& folder, ThreadPool* pool) {
  check_own_manifest(folder);
  Manifest manifest;
  for (const std::string& name : model_files(folder)) {
    if (name != kManifestFile) {
      manifest.set(name, checksum_input(InputFile(folder / name), pool));
    }
  }
  manifest.write(folder);
  return manifest.names().size();
}

}  // namespace yona
