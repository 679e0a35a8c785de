#include "yona/io/int8_folder.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/input_file.h"
#include "yona/io/atomic_folder.h"
#include "yona/io/checksums.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/io/model_files.h"
#include "yona/io/translation_model.h"
#include "yona/io/warm_up.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// Sub-words, generation settings and what tokenisers want besides: small files, none of weights.
bool is_kept(const fs::directory_entry& entry) {
  constexpr std::array<std::string_view, 4> kEndings = {".json", ".spm", ".model", ".txt"};
  const std::string name = entry.path().filename().string();
  const bool is_of_weights = name == "config.json" || name == kManifestFile ||
                             name.find("safetensors") != name.npos ||
                             name.find(".bin") != name.npos;
  return entry.is_regular_file() && !is_of_weights &&
         std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// std::filesystem::copy_file() says of a full disk that there was an input or output error.
void copy_small_file(const fs::path& from, const fs::path& to) {
  const std::string bytes = read_file(from);
  FileWriter copy(to, static_cast<std::int64_t>(bytes.size()));
  copy.write(bytes);
  copy.close();
}

}  // namespace

void write_int8_folder(const fs::path& from, const fs::path& to, Backend& backend) {
  check(!fs::exists(to), "{}: already exists; name a new folder", to.string());
  check(fs::exists(from / "config.json"), "{}: has no config.json; only folders with one convert",
        from.string());
  const auto model = TranslationModel::load(from, backend, Packing::int8);
  warm_up(*model, backend);  // which asks for every matrix
  if (!to.parent_path().empty()) {
    fs::create_directories(to.parent_path());
  }
  AtomicFolder folder(to);
  Json config = read_json(from / "config.json");
  config["yona"] = huggingface_config(describe(model->info()))["yona"];
  config["yona"]["weights"] = "int8";
  write_json(folder.path() / "config.json", config);
  for (const fs::directory_entry& entry : fs::directory_iterator(tokenizer_folder(from))) {
    if (is_kept(entry)) {
      copy_small_file(entry.path(), folder.path() / entry.path().filename());
    }
  }
  write_int8_weights(folder.path() / kInt8File, model->parameters(), *model->quantised());
  folder.commit();
}

}  // namespace yona
