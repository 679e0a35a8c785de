// A folder of a language model that every test can make: the weights of fixtures/causal_lm/gpt2 (24
// positions, 40 tokens) with a tokeniser of characters, whose ids are <|endoftext|>, <unk>, line
// feed, space, a … z, 0 … 9.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {

inline std::vector<std::string> lm_folder_pieces() {
  std::vector<std::string> pieces{"<|endoftext|>", "<unk>", "\n", " "};
  for (char c = 'a'; c <= 'z'; ++c) {
    pieces.emplace_back(1, c);
  }
  for (char c = '0'; c <= '9'; ++c) {
    pieces.emplace_back(1, c);
  }
  return pieces;
}

// tokenizer.json and tokenizer_config.json.
inline void write_character_tokenizer(const std::filesystem::path& folder) {
  Json vocabulary = Json::object();
  Json added = Json::array();
  for (const std::string& piece : lm_folder_pieces()) {
    if (vocabulary.size() < 2) {
      added.push_back({{"id", vocabulary.size()}, {"content", piece}, {"special", true}});
    }
    vocabulary[piece] = vocabulary.size();
  }
  write_json(folder / "tokenizer.json", Json{{"added_tokens", added},
                                             {"normalizer", nullptr},
                                             {"pre_tokenizer", nullptr},
                                             {"post_processor", nullptr},
                                             {"decoder", {{"type", "Fuse"}}},
                                             {"model",
                                              {{"type", "BPE"},
                                               {"unk_token", "<unk>"},
                                               {"fuse_unk", false},
                                               {"byte_fallback", false},
                                               {"vocab", vocabulary},
                                               {"merges", Json::array()}}}});
  write_json(folder / "tokenizer_config.json",
             Json{{"bos_token", "<|endoftext|>"}, {"eos_token", "<|endoftext|>"}});
}

class LmFolder {
 public:
  LmFolder() {
    const std::filesystem::path from = std::filesystem::path(YONA_FIXTURES) / "causal_lm" / "gpt2";
    for (const char* name : {"config.json", "model.safetensors"}) {
      write_bytes(folder_ / name, read_bytes(from / name));
    }
    write_character_tokenizer(folder_.path());
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TempDir folder_;
};

}  // namespace yona::testing
