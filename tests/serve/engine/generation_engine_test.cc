#include "yona/serve/engine/generation_engine.h"

#include <gtest/gtest.h>

#include "yona/api/model.h"
#include "yona/base/error.h"

#include "tests/serve/engine/generating.h"

namespace yona::testing {
namespace {

using serve::GenerationEngine;
using serve::HttpError;

const std::vector<std::string> kPrompts{"The dog", "a",     "Two men", "one two three four", "In",
                                        "it was",  "Hello", "yes",     "The dog ran"};

// As `yona generate` makes it.
std::vector<std::vector<GeneratedText>> generated_offline(const std::vector<std::string>& prompts,
                                                          const GenerateOptions& options) {
  static const Model model = Model::load(shared_language_folder().path(), {.threads = 1});
  return model.generate_all(prompts, options);
}

TEST(GenerationEngine, GivesTheTextOfGenerateWhileOthersRun) {
  GenerationEngine engine(generation_options());
  for (const double temperature : {0.0, 1.0}) {
    std::vector<Generating> all;
    std::vector<GenerateOptions> options;
    for (std::size_t i = 0; i < kPrompts.size(); ++i) {
      options.push_back({.max_new = 8 + 5 * static_cast<std::int64_t>(i % 4),
                         .temperature = temperature,
                         .seed = 3 + i});
      all.push_back(generating({kPrompts[i]}, options.back()));
      engine.submit(all.back().job);
    }
    for (std::size_t i = 0; i < kPrompts.size(); ++i) {
      const GeneratedText expected = generated_offline({kPrompts[i]}, options[i])[0][0];
      const serve::GenerationUsage usage = all[i].usage.get();
      EXPECT_EQ((*all[i].texts)[std::pair(std::size_t{0}, std::int64_t{0})], expected.text);
      EXPECT_EQ(usage.prompt_tokens, expected.prompt_tokens);
      EXPECT_EQ(usage.completion_tokens, static_cast<std::int64_t>(expected.tokens.size()));
      EXPECT_EQ(all[i].pieces->back().finish, expected.finish);
    }
  }
}

TEST(GenerationEngine, GivesAllAnswersOfAllPromptsWithTheirTokens) {
  GenerationEngine engine(generation_options());
  const GenerateOptions options{
      .max_new = 10, .temperature = 1.2, .seed = 5, .answers = 3, .logprobs = 2};
  auto waiting = generating({"The dog", "a"}, options);
  engine.submit(waiting.job);
  waiting.usage.get();
  const auto expected = generated_offline({"The dog", "a"}, options);
  ASSERT_EQ(waiting.texts->size(), 6U);
  for (const auto& [place, text] : *waiting.texts) {
    const GeneratedText& answer = expected[place.first][static_cast<std::size_t>(place.second)];
    EXPECT_EQ(text, answer.text);
    std::vector<float> logprobs;
    for (const serve::GenerationPiece& piece : *waiting.pieces) {
      if (std::pair(piece.prompt, piece.answer) == place && piece.token) {
        logprobs.push_back(piece.token->logprob);
        EXPECT_EQ(piece.best.size(), 2U);
        EXPECT_GE(piece.best[0].logprob, piece.best[1].logprob);
      }
    }
    EXPECT_EQ(logprobs, answer.logprobs);
  }
}

TEST(GenerationEngine, EndsAtAStopStringWhichIsNotPartOfTheText) {
  GenerationEngine engine(generation_options());
  const std::string whole = generated_offline({"The dog"}, {.max_new = 30})[0][0].text;
  std::string stop;  // two characters that are in the middle, of ASCII or not
  for (std::size_t i = whole.size() / 2; i + 1 < whole.size() && stop.empty(); ++i) {
    if ((static_cast<unsigned char>(whole[i]) & 0xC0U) != 0x80U) {
      stop = whole.substr(i, 1) + (whole.size() > i + 3 ? whole.substr(i + 1, 3) : "");
    }
  }
  ASSERT_FALSE(stop.empty());
  const GenerateOptions options{.max_new = 30, .stop = {stop}};
  auto waiting = generating({"The dog"}, options);
  engine.submit(waiting.job);
  const GeneratedText expected = generated_offline({"The dog"}, options)[0][0];
  EXPECT_EQ(waiting.text(), expected.text);
  EXPECT_EQ(waiting.texts->begin()->second.find(stop), std::string::npos);
  EXPECT_EQ(waiting.pieces->back().finish, expected.finish);
}

TEST(GenerationEngine, RendersChatsByTheTemplateOfTheFolder) {
  GenerationEngine engine(generation_options());
  EXPECT_TRUE(engine.generators().front().has_chat);
  auto chat = generating({}, {.max_new = 12});
  chat.job->messages = Json::array({{{"role", "user"}, {"content", "Hi"}}});
  engine.submit(chat.job);
  EXPECT_EQ(chat.text(), generated_offline({"user: Hi\nassistant: "}, {.max_new = 12})[0][0].text);
  auto refused = generating({}, {.max_new = 12});
  refused.job->messages = Json::array({{{"role", "tool"}, {"content", "Hi"}}});
  engine.submit(refused.job);
  EXPECT_EQ(message_of<InvalidArgument>([&] { refused.usage.get(); }),
            "chat template: no tools here");
}

TEST(GenerationEngine, AnswersAMistakeToTheRequestThatHasIt) {
  GenerationEngine engine(generation_options());
  auto good = generating({"The dog"}, {.max_new = 20});
  auto too_long = generating({std::string(500, 'x')}, {.max_new = 5});
  auto too_many = generating({"a"}, {.max_new = 1000});
  auto unmet = generating({"a"}, {.max_new = 5, .regex = "[^\\x00-\\x{10FFFF}]"});
  auto bad_schema = generating({"a"}, {.max_new = 5, .json_schema = R"({"type": "nothing"})"});
  auto second_prompt = generating({"a", std::string(500, 'x')}, {.max_new = 5});
  auto other = generating({"a"}, {.max_new = 20});
  for (Generating* one :
       {&good, &too_long, &too_many, &unmet, &bad_schema, &second_prompt, &other}) {
    engine.submit(one->job);
  }
  for (Generating* one : {&too_long, &too_many, &unmet, &bad_schema, &second_prompt}) {
    EXPECT_NE(message_of<InvalidArgument>([&] { one->usage.get(); }), "");
  }
  EXPECT_EQ(good.text(), generated_offline({"The dog"}, {.max_new = 20})[0][0].text);
  EXPECT_EQ(other.text(), generated_offline({"a"}, {.max_new = 20})[0][0].text);
}

TEST(GenerationEngine, RefusesMoreWorkThanIsAllowedAndModelsThatAreNotThere) {
  auto options = generation_options();
  options.limits.work = 100;
  options.limits.cache_bytes = 50 * 2 * 2 * 16 * 4;  // 50 tokens
  GenerationEngine engine(options);
  const auto refusal = [&](const Generating& one) {
    try {
      engine.submit(one.job);
    } catch (const HttpError& error) {
      return std::pair(error.status, std::string(error.what()));
    }
    return std::pair(0, std::string());
  };
  const auto [status, message] = refusal(generating({"a", "b", "c"}, {.max_new = 40}));
  EXPECT_EQ(status, 413);
  EXPECT_EQ(message,
            "the request may take 126 tokens (those of its prompts, and new ones of all answers); "
            "100 are allowed at most; send fewer prompts, or ask for a smaller \"n\" or "
            "\"max_tokens\"");
  auto wide = generating({"a"}, {.max_new = 30, .answers = 3});
  EXPECT_EQ(refusal(wide), std::pair(0, std::string()));
  EXPECT_EQ(wide.status(), 413);  // its tokens do not fit the cache
  Generating unknown = generating({"a"}, {.max_new = 4});
  unknown.job->model = "other";
  EXPECT_EQ(refusal(unknown), std::pair(404, std::string("there is no language model 'other'")));
  auto fits = generating({"a"}, {.max_new = 40});  // 44 of them are for requests of any size
  EXPECT_EQ(refusal(fits).first, 0);
  EXPECT_FALSE(fits.text().empty());
}

TEST(GenerationEngine, NamesModelsByTheirFoldersOrAsItIsTold) {
  auto options = generation_options();
  options.models = {{shared_language_folder().path()}, {shared_language_folder().path(), "other"}};
  const GenerationEngine engine(options);
  const auto summaries = engine.generators();
  EXPECT_EQ(summaries[0].id, shared_language_folder().path().filename());
  EXPECT_EQ(summaries[1].id, "other");
  EXPECT_EQ(summaries[0].family, "gpt2");
  EXPECT_EQ(summaries[0].context, 96);
  EXPECT_EQ(summaries[0].vocabulary, 330);
  options.models[0].id = "other";
  const std::string message = message_of<InvalidArgument>([&] { GenerationEngine{options}; });
  EXPECT_NE(message.find("are both named other; say NAME=DIR"), std::string::npos) << message;
}

TEST(GenerationEngine, LoadsAFolderAgainWhenItsFilesHaveChanged) {
  const LanguageFolder folder(1);
  auto options = generation_options();
  options.models = {{folder.path(), "toy"}};
  GenerationEngine engine(options);
  const auto answer = [&] {
    auto one = generating({"The dog"}, {.max_new = 20});
    engine.submit(one.job);
    return one.text();
  };
  const std::string before = answer();
  folder.write_weights(2);
  engine.reload();
  const std::string after = answer();
  EXPECT_NE(after, before);
  write_bytes(folder.path() / "model.safetensors", "broken");
  engine.reload();
  EXPECT_EQ(answer(), after);
}

TEST(GenerationEngine, WhatWaitsWhileAFolderIsLoadedAgainIsReadByItsNewTokenizer) {
  const LanguageFolder folder(1);
  std::filesystem::remove(folder.path() / "checksums.json");  // another program writes
  auto options = generation_options();
  options.models = {{folder.path(), "toy"}};
  options.limits.answers = 1;
  options.limits.small_answers = 0;
  GenerationEngine engine(options);
  Generating waiting = generating({"the dog", "the cat"}, {.max_new = 4});
  int pieces = 0;
  Generating running = generating({"a"}, {.max_new = 20}, [&] {
    if (++pieces == 1) {
      engine.submit(waiting.job);
    }
    if (pieces == 10) {
      Json tokenizer = read_json(folder.path() / "tokenizer.json");
      tokenizer["model"]["merges"] = Json::array();
      write_json(folder.path() / "tokenizer.json", tokenizer);
      engine.reload();
    }
  });
  engine.submit(running.job);
  EXPECT_FALSE(running.text().empty());
  EXPECT_EQ(waiting.usage.get().prompt_tokens, 14);  // characters
}

TEST(GenerationEngine, AnswersWhereTheModelCannotBeLoadedAndLoadsItOnceItCan) {
  const LanguageFolder folder(1);
  auto options = generation_options();
  options.models = {{folder.path(), "toy"}};
  GenerationEngine engine(options);
  std::filesystem::rename(folder.path() / "model.safetensors", folder.path() / "away");
  auto failing = generating({"a"}, {.max_new = 4});
  engine.submit(failing.job);
  EXPECT_THROW(failing.usage.get(), Error);
  std::filesystem::rename(folder.path() / "away", folder.path() / "model.safetensors");
  auto working = generating({"a"}, {.max_new = 4});
  engine.submit(working.job);
  EXPECT_FALSE(working.text().empty());
}

}  // namespace
}  // namespace yona::testing
