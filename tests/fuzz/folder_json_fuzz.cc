// Any bytes given as the small files of JSON in a Hugging Face folder: generation_config.json gives
// options, tokenizer_config.json, added_tokens.json and special_tokens_map.json tokens and
// languages, or FormatError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/decode/generation_config.h"
#include "yona/io/added_tokens.h"
#include "yona/io/hf_tokenizer.h"

#include "tests/fuzz/memory_file.h"

namespace {

constexpr std::int64_t kVocabulary = 100;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void read_as_options(const std::filesystem::path& folder) {
  yona::ModelInfo info;
  info.family = "bart";
  info.config.source_vocabulary = info.config.target_vocabulary = kVocabulary;
  info.config.departures.start_id = 2;
  const yona::DecodeOptions options = yona::folder_options(folder, info);
  require(options.beam >= 1);
  for (const std::int32_t id : options.banned) {
    require(id >= 0 && id < kVocabulary);
  }
}

void read_as_tokens(const std::filesystem::path& folder) {
  yona::beyond_core(yona::numbered_tokens(folder));
  yona::additional_tokens(folder);
}

void read_as_languages(const std::filesystem::path& folder) {
  const yona::Languages given{.source = "en", .target = ""};
  require(yona::completed_languages(folder, given).source == "en");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yona::testing::MemoryFolder folder({"config.json", "generation_config.json",
                                             "tokenizer_config.json", "added_tokens.json",
                                             "special_tokens_map.json"});
  yona::set_verbosity(yona::Verbosity::quiet);
  folder.set(data, size);
  for (const auto read : {read_as_options, read_as_tokens, read_as_languages}) {
    try {
      read(folder.path());
    } catch (const yona::FormatError&) {  // the other allowed answer
    } catch (const yona::InvalidArgument&) {
    }
  }
  return 0;
}
