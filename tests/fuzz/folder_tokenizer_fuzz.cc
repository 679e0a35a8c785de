// Any bytes given as the tokeniser's files of a folder with a language model (tokenizer.json,
// vocab.json and merges.txt, SentencePiece's tokenizer.model) or with an encoder (tokenizer.json,
// vocab.txt, vocab.json and merges.txt): a tokeniser whose ids are within the model's, or an error
// that names the file.
//
// The first byte chooses the kind of folder; NUL bytes separate its files.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "yona/base/error.h"
#include "yona/io/causal_lm/lm_tokenizer.h"
#include "yona/io/encoder_tokenizer_files.h"

#include "tests/fuzz/memory_file.h"

namespace {

using yona::testing::MemoryFolder;

constexpr std::int64_t kIds = 300;
constexpr std::string_view kText = "The dog's 12 Häuser, 家! <s> [MASK] <|end|>";

void require_ids(const std::vector<std::int32_t>& ids) {
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= kIds) {
      std::abort();
    }
  }
}

void read_for_language_model(MemoryFolder& folder, std::string_view bytes) {
  folder.set_parts(bytes);
  const yona::TextTokenizer tokenizer = yona::load_tokenizer(folder.path(), kIds);
  const std::vector<std::int32_t> ids = tokenizer.encode_prompt(kText);
  require_ids(ids);
  tokenizer.decode(ids);
  for (const std::int32_t special : {tokenizer.begin(), tokenizer.end(), tokenizer.pad()}) {
    require_ids({special < 0 ? 0 : special});
  }
}

void read_for_encoder(MemoryFolder& folder, std::string_view bytes) {
  folder.set_parts(bytes);
  yona::EncoderInfo info;
  info.config.vocabulary = kIds;
  const yona::EncoderTokenizer tokenizer = yona::load_encoder_tokenizer(folder.path(), info);
  for (const std::int64_t most : {5, 100}) {
    const std::vector<std::int32_t> ids = tokenizer.encode(kText, "second", most).ids;
    require_ids(ids);
    tokenizer.decode(ids);
  }
}

void lm_json(std::string_view bytes) {
  static MemoryFolder folder({"tokenizer.json", "tokenizer_config.json"});
  read_for_language_model(folder, bytes);
}

void lm_merges(std::string_view bytes) {
  static MemoryFolder folder(
      {"vocab.json", "merges.txt", "tokenizer_config.json", "config.json", "added_tokens.json"});
  read_for_language_model(folder, bytes);
}

void lm_spm(std::string_view bytes) {  // has NUL bytes itself
  static MemoryFolder folder({"tokenizer.model"});
  read_for_language_model(folder, bytes);
}

void encoder_json(std::string_view bytes) {
  static MemoryFolder folder({"tokenizer.json", "special_tokens_map.json"});
  read_for_encoder(folder, bytes);
}

void encoder_lines(std::string_view bytes) {
  static MemoryFolder folder({"vocab.txt", "tokenizer_config.json"});
  read_for_encoder(folder, bytes);
}

void encoder_merges(std::string_view bytes) {
  static MemoryFolder folder({"vocab.json", "merges.txt", "tokenizer_config.json"});
  read_for_encoder(folder, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array kReaders{lm_json,      lm_merges,     lm_spm,
                                encoder_json, encoder_lines, encoder_merges};
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    kReaders.at(data[0] % kReaders.size())(bytes);
  } catch (const yona::FormatError&) {  // the other allowed answers
  } catch (const yona::IoError&) {      // an empty file
  } catch (const yona::NotImplemented&) {
  }
  return 0;
}
