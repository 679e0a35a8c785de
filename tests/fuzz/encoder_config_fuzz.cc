// Any bytes given as the JSON files of a folder with an encoder (BERT, RoBERTa, DistilBERT), an
// image classifier (ViT, DeiT) or a sentence-transformers model: a description within the limits,
// which can be written, or FormatError, or IoError for a file that is missing. The weights are
// there, without a tensor.
//
// The first byte chooses the kind of folder; NUL bytes separate its files.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "yona/base/error.h"
#include "yona/encode/sentence_settings.h"
#include "yona/io/encoder_folder.h"
#include "yona/io/image_folder.h"
#include "yona/io/safetensors.h"

#include "tests/fuzz/memory_file.h"

namespace {

using yona::testing::MemoryFolder;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void add_weights(const MemoryFolder& folder) {
  yona::write_safetensors(folder.path() / "model.safetensors", {}, {});
}

void read_encoder(std::string_view bytes) {
  static MemoryFolder folder({"config.json"});
  static const bool kHasWeights = (add_weights(folder), true);
  require(kHasWeights);
  folder.set_parts(bytes);
  const yona::EncoderInfo info = yona::read_encoder_info(folder.path());
  yona::check_config(info.config);
  require(info.config.labels == static_cast<std::int64_t>(info.labels.size()));
  yona::encoder_config(info);
}

void read_images(std::string_view bytes) {
  static MemoryFolder folder({"config.json", "preprocessor_config.json"});
  static const bool kHasWeights = (add_weights(folder), true);
  require(kHasWeights);
  folder.set_parts(bytes);
  const yona::ImageModelInfo info = yona::read_image_info(folder.path());
  yona::check_config(info.config);
  yona::image_config(info);
  yona::processor_config(info);
}

void read_sentence_files(std::string_view bytes) {
  static MemoryFolder folder({"modules.json", "1_Pooling/config.json", "sentence_bert_config.json",
                              "config_sentence_transformers.json"});
  folder.set_parts(bytes);
  require(yona::read_sentence_settings(folder.path()).max_length >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array kReaders{read_encoder, read_images, read_sentence_files};
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    kReaders.at(data[0] % kReaders.size())(bytes);
  } catch (const yona::FormatError&) {  // the other allowed answers
  } catch (const yona::IoError&) {      // a file that another names, and that is not there
  }
  return 0;
}
