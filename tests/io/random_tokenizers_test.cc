// Random tokenizer.json files with the ids that Hugging Face's tokenizers gives to random texts:
// tests/fixtures/random_tokenizers has a few; random_tokenizers_test.py makes others and sets
// YONA_TOKENIZERS to have them checked here.

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "yona/io/causal_lm/lm_tokenizer.h"
#include "yona/io/encoder_tokenizer_files.h"
#include "yona/io/json_file.h"
#include "yona/io/tokenizer_reader.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int32_t>;
using Encode = std::function<Ids(const std::string&)>;

// By the kind of model that the folder's tokeniser is read for.
Encode encoder_of(const fs::path& folder, const std::string& kind, std::int64_t size) {
  if (kind == "translation") {
    return [subword = read_tokenizer_json(folder / "tokenizer.json", size)](const auto& text) {
      Ids ids;
      subword.encode(text, ids);
      return ids;
    };
  }
  if (kind == "language model") {
    return [tokenizer = load_tokenizer(folder, size)](const auto& text) {
      return tokenizer.encode(text);
    };
  }
  EncoderInfo info;
  info.config.vocabulary = size;
  return [tokenizer = load_encoder_tokenizer(folder, info)](const auto& text) {
    const Ids ids = tokenizer.encode(text, std::nullopt, 1 << 20).ids;
    return Ids(ids.begin() + 1, ids.end() - 1);
  };
}

std::vector<fs::path> tokenizer_folders() {
  const char* given = std::getenv("YONA_TOKENIZERS");
  const fs::path root =
      given != nullptr ? fs::path(given) : fs::path(YONA_FIXTURES) / "random_tokenizers";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::exists(entry.path() / "expected.json")) {
      folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

TEST(RandomTokenizers, IdsAreThoseOfTokenizers) {
  std::size_t compared = 0;
  for (const fs::path& folder : tokenizer_folders()) {
    const Json expected = read_json(folder / "expected.json");
    for (const Json& kind : expected["kinds"]) {
      const Encode encode =
          encoder_of(folder, kind.get<std::string>(), expected["size"].get<std::int64_t>());
      std::size_t different = 0;
      for (const Json& row : expected["texts"]) {
        const Ids ids = encode(row[0].get<std::string>());
        const Ids theirs = row[1].get<Ids>();
        ++compared;
        if (ids != theirs && ++different <= 3) {
          ADD_FAILURE() << folder.filename() << ", " << kind << ": " << row[0] << " is "
                        << ::testing::PrintToString(ids) << " and to tokenizers "
                        << ::testing::PrintToString(theirs);
        }
      }
      EXPECT_EQ(different, 0U) << folder.filename() << ", " << kind << ", of "
                               << expected["texts"].size();
    }
  }
  RecordProperty("texts", static_cast<int>(compared));
  EXPECT_GT(compared, 0U);
}

}  // namespace
}  // namespace yona::testing
