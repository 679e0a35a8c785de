// Any bytes given as the YAML of a Marian folder: decoder.yml says how to decode and which files
// there are, vocab.yml has the pieces; or FormatError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/decode/generation_config.h"
#include "yona/io/marian_files.h"

#include "tests/fuzz/memory_file.h"

namespace {

void read_as_settings(const std::filesystem::path& folder) {
  yona::ModelInfo info;
  info.family = "marian";
  if (yona::folder_options(folder, info).beam < 1) {
    std::abort();
  }
}

void read_as_vocabulary(const std::filesystem::path& folder) {
  yona::ModelDescription description;
  description.config.source_vocabulary = description.config.target_vocabulary = 20;
  const yona::MarianFiles files{.model = folder / "model.npz",
                                .vocabularies = {folder / "vocab.yml", folder / "vocab.yml"}};
  yona::load_marian_subwords(files, description);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yona::testing::MemoryFolder folder({"model.npz", "decoder.yml", "vocab.yml"});
  yona::set_verbosity(yona::Verbosity::quiet);
  folder.set(data, size);
  for (const auto read : {read_as_settings, read_as_vocabulary}) {
    try {
      read(folder.path());
    } catch (const yona::FormatError&) {  // the other allowed answer
    } catch (const yona::IoError&) {      // a file that is named but not there
    }
  }
  return 0;
}
