// Random tokenizer.json files with the ids that Hugging Face's tokenizers gives to random texts,
// and .spm files with SentencePiece's: tests/fixtures/random_tokenizers has a few;
// random_tokenizers_test.py makes others and sets YONA_TOKENIZERS to have them checked here.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "yona/base/input_file.h"
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
  if (kind == "SentencePiece") {
    return [subword = Subword::load(folder / "model.spm")](const auto& text) {
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

// Are the two equally good to a unigram model, as far as single precision can tell? Versions of
// SentencePiece differ there: up to 0.2.0 a sum in double precision is compared with one that was
// rounded, in 0.2.3 both are rounded.
bool is_tie(const fs::path& folder, const Ids& ours, const Ids& theirs) {
  const SpmFile spm = parse_spm(read_file(folder / "model.spm"), "model.spm");
  double difference = 0;
  double size = 0;
  for (const auto& [ids, sign] : {std::pair(&ours, 1), std::pair(&theirs, -1)}) {
    for (const std::int32_t id : *ids) {
      const double score = spm.pieces.at(static_cast<std::size_t>(id)).score;
      difference += sign * score;
      size += std::abs(score) / 2;
    }
  }
  return spm.algorithm == SubwordAlgorithm::unigram && std::abs(difference) <= 1e-6 * size;
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

TEST(RandomTokenizers, IdsAreThoseOfTheOriginals) {
  std::size_t compared = 0;
  std::size_t ties = 0;
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
        if (ids != theirs && kind == "SentencePiece" && is_tie(folder, ids, theirs)) {
          ++ties;
        } else if (ids != theirs && ++different <= 3) {
          ADD_FAILURE() << folder.filename() << ", " << kind << ": " << row[0] << " is "
                        << ::testing::PrintToString(ids) << " and to the original "
                        << ::testing::PrintToString(theirs);
        }
      }
      EXPECT_EQ(different, 0U) << folder.filename() << ", " << kind << ", of "
                               << expected["texts"].size();
    }
  }
  EXPECT_GT(compared, 0U);
  EXPECT_LE(ties, compared / 20);
  fmt::print("{} texts, {} cut otherwise by another version of SentencePiece\n", compared, ties);
}

}  // namespace
}  // namespace yona::testing
