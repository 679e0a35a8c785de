#include "yona/serve/engine/loaded_generator.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/serve/engine/generating.h"

namespace yona::testing {
namespace {

using serve::LoadedGenerator;

class LoadedGeneratorTest : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 1});
  serve::GenerationLimits limits_ = generation_options().limits;
};

TEST_F(LoadedGeneratorTest, MakesARequestOfEachPrompt) {
  limits_.new_tokens = 50;
  LoadedGenerator loaded(shared_language_folder().path(), *backend_, {}, limits_);
  serve::GenerationJob job;
  job.prompts = {"The dog", std::string(60, 'x')};
  job.options = {.temperature = 0.5, .seed = 9};
  const auto requests = loaded.requests_of(job);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].seed, 9U);
  EXPECT_EQ(requests[0].sequence, 0U);
  EXPECT_EQ(requests[1].sequence, 1U);
  EXPECT_EQ(requests[0].max_new, 50);
  EXPECT_EQ(*requests[1].max_new, 96 - static_cast<std::int64_t>(requests[1].prompt.size()));
}

TEST_F(LoadedGeneratorTest, NamesTokensByTheirBytesAndSpecialOnesByTheirNames) {
  const LoadedGenerator loaded(shared_language_folder().path(), *backend_, {}, limits_);
  EXPECT_EQ(loaded.text_of(0, -1.5F).bytes, "<|endoftext|>");
  EXPECT_EQ(loaded.text_of(0, -1.5F).logprob, -1.5F);
  EXPECT_EQ(loaded.text_of(-1, 0).bytes, "");
  EXPECT_EQ(loaded.text_of(100'000, 0).bytes, "");
  EXPECT_EQ(loaded.text_of(61, 0).bytes.size(), 1U);
}

TEST_F(LoadedGeneratorTest, SaysWhyAChatTemplateCannotBeUsed) {
  const LanguageFolder folder;
  write_bytes(folder.path() / "chat_template.jinja", "{% include 'x' %}");
  EXPECT_TRUE(serve::summary_of({folder.path()}).has_chat);
  LoadedGenerator loaded(folder.path(), *backend_, {}, limits_);
  serve::GenerationJob job;
  job.messages = Json::array({{{"role", "user"}, {"content", "Hi"}}});
  const std::string message =
      message_of<InvalidArgument>([&] { static_cast<void>(loaded.requests_of(job)); });
  EXPECT_TRUE(message.starts_with("the model's chat template cannot be used: ")) << message;
}

TEST_F(LoadedGeneratorTest, SaysThatAFolderHasNoChatTemplate) {
  const LanguageFolder folder;
  std::filesystem::remove(folder.path() / "tokenizer_config.json");
  EXPECT_FALSE(serve::summary_of({folder.path()}).has_chat);
  LoadedGenerator loaded(folder.path(), *backend_, {}, limits_);
  serve::GenerationJob job;
  job.messages = Json::array({{{"role", "user"}, {"content", "Hi"}}});
  EXPECT_EQ(message_of<InvalidArgument>([&] { static_cast<void>(loaded.requests_of(job)); }),
            "the model has no chat template; use /v1/completions");
}

}  // namespace
}  // namespace yona::testing
