#include "yona/encode/encoder_runner.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "yona/base/random.h"
#include "yona/encode/encoder_model.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

std::unique_ptr<EncoderModel> runner_model(const std::string& name, Backend& backend) {
  return EncoderModel::load(std::filesystem::path(YONA_FIXTURES) / "encoders" / name, backend);
}

// More tokens than a batch holds, in lengths that are not in order.
std::vector<std::string> many_texts() {
  RandomSequence random(9);
  std::vector<std::string> texts;
  for (int i = 0; i < 400; ++i) {
    std::string text;
    for (std::uint64_t words = random.below(30); words > 0; --words) {
      text += random.below(2) == 0 ? "hello " : "world ";
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(EncoderRunner, AnswersComeInTheOrderOfTheTextsOverSeveralBatches) {
  const auto model = runner_model("bert-classes", shared_backend("cpu"));
  const std::vector<std::string> texts = many_texts();
  const auto together = model->embed(texts);
  ASSERT_EQ(together.size(), texts.size());
  for (const std::size_t i : {std::size_t{0}, std::size_t{17}, std::size_t{399}}) {
    const auto alone = model->embed({texts[i]});
    EXPECT_EQ(together[i].tokens, alone[0].tokens);
    const std::vector<float>& vector = together[i].vector;
    expect_near(std::vector<double>(vector.begin(), vector.end()),
                std::vector<double>(alone[0].vector.begin(), alone[0].vector.end()), 1e-5,
                texts[i]);
  }
}

TEST(EncoderRunner, AnyNumberOfThreadsGivesTheSameBits) {
  const auto vectors = [](int threads) {
    const auto backend = make_backend("cpu", {.threads = threads});
    const auto model = runner_model("roberta-classes", *backend);
    std::vector<std::vector<float>> all;
    for (const EmbeddedText& text : model->embed(many_texts())) {
      all.push_back(text.vector);
    }
    return all;
  };
  const auto one = vectors(1);
  EXPECT_EQ(one, vectors(2));
  EXPECT_EQ(one, vectors(3));
}

TEST(EncoderRunner, NoTextsGiveNoAnswers) {
  const auto model = runner_model("bert-classes", shared_backend("cpu"));
  EXPECT_TRUE(model->embed({}).empty());
  EXPECT_TRUE(model->classify({}).empty());
}

}  // namespace
}  // namespace yona::testing
