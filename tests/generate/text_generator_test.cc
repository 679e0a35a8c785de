#include "yona/generate/text_generator.h"

#include <atomic>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

// Letters from 'a' on; the last id ends a text.
class Letters : public Segmenter {
 public:
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    for (const char letter : text) {
      ids.push_back(letter - 'a');
    }
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) {
      text += static_cast<char>('a' + id);
    }
    return text;
  }
};

constexpr std::int32_t kEnd = 12;

TextTokenizer letters() {
  TextTokenizer::Parts parts;
  parts.segmenter = std::make_shared<Letters>();
  for (std::int32_t id = 0; id < kEnd; ++id) {
    parts.bytes.emplace_back(1, static_cast<char>('a' + id));
  }
  parts.bytes.emplace_back();
  parts.added = {{.text = "<end>", .id = kEnd}};
  parts.end = kEnd;
  return TextTokenizer(std::move(parts));
}

class TextGeneratorTest : public ::testing::Test {
 protected:
  static CausalLmConfig config() {
    CausalLmConfig config = toy_llama();
    config.max_positions = 32;
    return config;
  }

  ToyLm toy_{config(), "cpu"};
  TextTokenizer tokenizer_ = letters();
  TextGenerator generator_{
      toy_.model, tokenizer_, toy_.region.backend(), {.rules = {.end_ids = {kEnd}}}};
};

TEST_F(TextGeneratorTest, GivesTextAndTokensOfEachPromptInOrder) {
  const auto answers = generator_.generate({"abc", "", "k"}, {.max_new = 8});
  ASSERT_EQ(answers.size(), 3U);
  for (const auto& of_prompt : answers) {
    ASSERT_EQ(of_prompt.size(), 1U);
    EXPECT_EQ(of_prompt[0].text, tokenizer_.decode(of_prompt[0].tokens));
    EXPECT_EQ(of_prompt[0].finish, of_prompt[0].tokens.size() == 8 ? "length" : "stop");
    EXPECT_TRUE(of_prompt[0].logprobs.empty());
  }
  EXPECT_EQ(answers[0][0].prompt_tokens, 3);
  EXPECT_EQ(answers[1][0].prompt_tokens, 1);  // the token that ends texts also begins one
  EXPECT_EQ(generator_.generate({"k"}, {.max_new = 8})[0][0].text, answers[2][0].text);
}

TEST_F(TextGeneratorTest, DrawsByTheNumberOfThePrompt) {
  GenerateOptions options{.max_new = 12, .temperature = 1.5, .answers = 2};
  const auto answers = generator_.generate({"ab", "ab"}, options);
  EXPECT_NE(answers[0][0].text, answers[0][1].text);
  EXPECT_NE(answers[0][0].text, answers[1][0].text);
  options.first_prompt = 1;
  EXPECT_EQ(generator_.generate({"ab"}, options)[0][0].text, answers[1][0].text);
}

TEST_F(TextGeneratorTest, GivesPiecesAndEndsWhenTheyAreNotWanted) {
  std::string text;
  const auto whole = generator_.generate({"abc"}, {.max_new = 8},
                                         [&](std::size_t, std::int64_t, const std::string& piece) {
                                           text += piece;
                                           return true;
                                         });
  EXPECT_EQ(text, whole[0][0].text);
  int pieces = 0;
  generator_.generate({"abc"}, {.max_new = 8},
                      [&](std::size_t, std::int64_t, const std::string&) { return ++pieces < 2; });
  EXPECT_EQ(pieces, 2);
  EXPECT_TRUE(generator_.generator().is_idle());
}

TEST_F(TextGeneratorTest, GivesNoPieceOfAPromptThatIsEnded) {
  const GenerateOptions options{.max_new = 8, .temperature = 1, .answers = 3};
  int calls = 0;
  generator_.generate({"abc"}, options, [&](std::size_t, std::int64_t, const std::string&) {
    ++calls;
    return false;
  });
  EXPECT_EQ(calls, 1);  // the other answers have a token of the same step
}

TEST_F(TextGeneratorTest, GivesLogProbabilitiesOfTheTokens) {
  const auto answers = generator_.generate({"abc"}, {.max_new = 5, .logprobs = 3});
  const GeneratedText& answer = answers[0][0];
  ASSERT_EQ(answer.logprobs.size(), answer.tokens.size());
  for (std::size_t i = 0; i < answer.tokens.size(); ++i) {
    ASSERT_EQ(answer.alternatives[i].size(), 3U);
    EXPECT_EQ(answer.alternatives[i][0].token, answer.tokens[i]);  // greedy: the best
    EXPECT_EQ(answer.alternatives[i][0].logprob, answer.logprobs[i]);
    EXPECT_GE(answer.alternatives[i][0].logprob, answer.alternatives[i][1].logprob);
    EXPECT_LT(answer.logprobs[i], 0.0F);
  }
}

TEST_F(TextGeneratorTest, SizesTheCacheByWhatPromptsNeed) {
  const std::string text = generator_.generate({"abc"}, {.max_new = 5})[0][0].text;
  EXPECT_EQ(generator_.generator().cache_tokens(), 4 * 8);
  generator_.generate({"abc", "k"}, {.max_new = 5, .answers = 3});
  EXPECT_EQ(generator_.generator().cache_tokens(), 4 * (3 * 8 + 3 * 6));
  EXPECT_EQ(generator_.generate({"abc"}, {.max_new = 5})[0][0].text, text);
  const std::vector<std::string> many(100, "abc");
  generator_.generate(many, {.max_new = 20});  // 32 at once, and no more than their contexts
  EXPECT_EQ(generator_.generator().cache_tokens(), 32 * 32);
}

TEST_F(TextGeneratorTest, ConstrainsAnswersByARegularExpression) {
  const auto answers = generator_.generate(
      {"abc", "d"}, {.max_new = 20, .temperature = 2.0, .answers = 3, .regex = "(ab|cd){2}e"});
  for (const auto& of_prompt : answers) {
    for (const GeneratedText& answer : of_prompt) {
      EXPECT_EQ(answer.text.size(), 5U);
      EXPECT_EQ(answer.text.back(), 'e');
      EXPECT_EQ(answer.finish, "stop");
    }
  }
}

TEST_F(TextGeneratorTest, RefusesInOneLineAndCanBeUsedAgain) {
  const auto message = [&](const std::vector<std::string>& prompts,
                           const GenerateOptions& options) {
    return message_of<InvalidArgument>([&] { generator_.generate(prompts, options); });
  };
  EXPECT_EQ(message({"a"}, {.max_new = 0}),
            "generate: 0 new tokens are asked for; at least 1 is needed");
  EXPECT_EQ(message({"a", std::string(40, 'b')}, {}),
            "prompt 2: generate: the prompt has 40 tokens; the model's context is 32, with at "
            "least one new token");
  EXPECT_EQ(message({"a"}, {.json_schema = "{}", .regex = "a"}),
            "generate: give a JSON schema or a regular expression, not both");
  EXPECT_EQ(message({"a"}, {.regex = "zz"}).find('\n'), std::string::npos);
  EXPECT_NE(message({"a"}, {.regex = "zz"}), "");  // no token of the vocabulary has a z
  const std::atomic<bool> stop{true};
  EXPECT_EQ(message_of<Interrupted>([&] { generator_.generate({"a"}, {.interrupt = &stop}); }),
            "generate: interrupted");
  EXPECT_TRUE(generator_.generator().is_idle());
  EXPECT_EQ(generator_.generate({"a"}, {.max_new = 3})[0].size(), 1U);
}

TEST(EndIds, ComeFromTheFolderOrTheTokeniser) {
  const TextTokenizer tokenizer = letters();
  const TempDir folder;
  EXPECT_EQ(end_ids_of(folder.path(), tokenizer, 20), std::vector<std::int32_t>{kEnd});
  write_json(folder.path() / "config.json", Json{{"eos_token_id", 3}});
  EXPECT_EQ(end_ids_of(folder.path(), tokenizer, 20), std::vector<std::int32_t>{3});
  write_json(folder.path() / "generation_config.json", Json{{"eos_token_id", {5, 6}}});
  EXPECT_EQ(end_ids_of(folder.path(), tokenizer, 20), (std::vector<std::int32_t>{5, 6}));
  write_json(folder.path() / "generation_config.json", Json{{"eos_token_id", "x"}});
  EXPECT_EQ(message_of<FormatError>([&] { end_ids_of(folder.path(), tokenizer, 20); }),
            (folder.path() / "generation_config.json").string() +
                ": eos_token_id: expected a number or a list of numbers");
}

TEST(EndIds, OutsideTheVocabularyAreRefused) {
  const TextTokenizer tokenizer = letters();
  const TempDir folder;
  const std::string file = (folder.path() / "config.json").string();
  for (const std::int64_t id : {std::int64_t{-1}, std::int64_t{10}, std::int64_t{1} << 40}) {
    write_json(file, Json{{"eos_token_id", {5, id}}});
    EXPECT_EQ(message_of<FormatError>([&] { end_ids_of(folder.path(), tokenizer, 10); }),
              fmt::format("{}: eos_token_id: {} is outside the vocabulary of 10 tokens", file, id));
  }
}

}  // namespace
}  // namespace yona::testing
