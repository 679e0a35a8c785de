// Tokenisers of the kinds that the hub has, against Hugging Face's tokenizers
// (tools/fixtures/lm_tokenizers.py).

#include "yona/io/causal_lm/lm_tokenizer.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kTokenizers = fs::path(YONA_FIXTURES) / "lm_tokenizers";

// SentencePiece itself takes "</s>" in a text as text, and no special token is in its lines.
void expect_equal_ids(const fs::path& folder) {
  const Json expected = read_json(folder / "expected.json");
  const TextTokenizer tokenizer = load_tokenizer(folder, expected["size"].get<std::int64_t>());
  int differences = 0;
  for (const Json& line : expected["texts"]) {
    const std::string text = line["text"].get<std::string>();
    const std::vector<std::int32_t> ids = tokenizer.encode(text);
    differences += ids == line["ids"].get<std::vector<std::int32_t>>() ? 0 : 1;
    if (differences < 5) {
      EXPECT_EQ(ids, line["ids"].get<std::vector<std::int32_t>>()) << folder << ": " << text;
      EXPECT_EQ(tokenizer.encode_prompt(text), line["prompt"].get<std::vector<std::int32_t>>())
          << folder << ": " << text;
      EXPECT_EQ(tokenizer.decode(ids), line["decoded"].get<std::string>()) << folder;
    }
  }
  EXPECT_EQ(differences, 0) << folder;
}

TEST(LmTokenizer, GivesTheIdsOfTokenizers) {
  for (const char* kind : {"gpt2", "llama3", "qwen", "llama2", "llama2-spm"}) {
    expect_equal_ids(kTokenizers / kind);
  }
}

// More of them: tools/fixtures/lm_tokenizers.py FOLDER --lines real.txt --size 4000
TEST(LmTokenizer, GivesTheIdsOfTheFoldersThatAreNamed) {
  const char* more = std::getenv("YONA_LM_TOKENIZERS");
  if (more == nullptr) {
    GTEST_SKIP() << "YONA_LM_TOKENIZERS is not set";
  }
  for (const auto& entry : fs::directory_iterator(more)) {
    expect_equal_ids(entry.path());
  }
}

TEST(LmTokenizer, KnowsWhichTokensBeginAndEndTexts) {
  const TextTokenizer llama = load_tokenizer(kTokenizers / "llama2", 430);
  EXPECT_EQ(llama.begin(), 1);
  EXPECT_EQ(llama.end(), 2);
  EXPECT_EQ(llama.pad(), -1);
  EXPECT_TRUE(llama.is_special(1));
  EXPECT_FALSE(llama.is_special(400));
  EXPECT_EQ(llama.find("</s>"), 2);
  EXPECT_EQ(llama.bytes(2), "");
  EXPECT_EQ(llama.bytes(3 + 0x0A), "\n");
}

TEST(LmTokenizer, GivesTheBytesOfPartsOfACharacter) {
  const TextTokenizer tokenizer = load_tokenizer(kTokenizers / "gpt2", 330);
  std::string bytes;
  const std::vector<std::int32_t> ids = tokenizer.encode("👍");
  ASSERT_GT(ids.size(), 1U);
  for (const std::int32_t id : ids) {
    bytes += tokenizer.bytes(id);
  }
  EXPECT_EQ(bytes, "👍");
  EXPECT_EQ(tokenizer.decode(std::span(ids).first(1)), "\uFFFD");
}

std::string refusal(const std::function<void(Json&)>& change, std::int64_t size = 330) {
  const TempDir folder;
  Json json = read_json(kTokenizers / "llama3" / "tokenizer.json");
  change(json);
  write_json(folder / "tokenizer.json", json);
  return message_of<FormatError>([&] { load_tokenizer(folder.path(), size); });
}

TEST(LmTokenizer, NamesTheStepThatIsNotSupported) {
  EXPECT_THAT(refusal([](Json& json) { json["model"]["type"] = "WordPiece"; }),
              ::testing::HasSubstr("a model of type 'WordPiece' is not supported"));
  EXPECT_THAT(refusal([](Json& json) {
                json["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Removed";
              }),
              ::testing::HasSubstr("the pre_tokenizer {\"type\":\"Split\""));
  EXPECT_THAT(refusal([](Json& json) {
                json["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "(";
              }),
              ::testing::HasSubstr("the pattern ( cannot be read: U_REGEX_MISMATCHED_PAREN"));
  EXPECT_THAT(refusal([](Json&) {}, 300),
              ::testing::HasSubstr("but the model only 300 ids (\"vocab_size\")"));
  const TempDir folder;
  EXPECT_THAT(message_of<IoError>([&] { load_tokenizer(folder.path(), 300); }),
              ::testing::HasSubstr("has no tokeniser"));
}

TEST(LmTokenizer, RefusesValuesOfAnotherTypeAndTokensThatTheModelLacks) {
  EXPECT_THAT(refusal([](Json& json) { json["model"]["type"] = 3; }),
              ::testing::HasSubstr("tokenizer.json: a value is not as expected"));
  EXPECT_THAT(refusal([](Json& json) { json["pre_tokenizer"]["type"] = Json::array(); }),
              ::testing::HasSubstr("tokenizer.json: a value is not as expected"));
  EXPECT_THAT(refusal(
                  [](Json& json) {
                    json["post_processor"] = Json::parse(
                        R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x"}}],
                        "special_tokens": {"x": {"ids": [70000]}}})");
                  },
                  332),
              ::testing::HasSubstr("\"post_processor\" adds the token 70000"));
}

TEST(LmTokenizer, TakesAPieceThatOnlyLooksLikeAByteAsItIs) {
  const TempDir folder;
  write_json(folder / "tokenizer.json",
             Json::parse(R"({"normalizer": {"type": "Replace", "pattern": {"String": " "},
               "content": "▁"}, "model": {"type": "BPE", "byte_fallback": true, "merges": [],
               "vocab": {"<unk>": 0, "<0xZZ>": 1, "<0x41>": 2}}})"));
  const TextTokenizer tokenizer = load_tokenizer(folder.path(), 3);
  EXPECT_EQ(tokenizer.bytes(1), "<0xZZ>");
  EXPECT_EQ(tokenizer.bytes(2), "A");
}

}  // namespace
}  // namespace yona::testing
