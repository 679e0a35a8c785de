#include "yona/serve/engine/encoder_engine.h"

#include <cmath>
#include <filesystem>
#include <future>

#include <gtest/gtest.h>

#include "yona/api/encoder.h"
#include "yona/base/error.h"

namespace yona::testing {
namespace {

using serve::EncoderEngine;
using serve::EncoderJob;
using serve::EncoderResult;
using serve::HttpError;

std::filesystem::path fixture(const char* name) {
  return std::filesystem::path(YONA_FIXTURES) / name;
}

serve::EncoderEngineOptions options() {
  return {.models = {{fixture("encoders/bert-classes"), "bert"}, {fixture("vit/deit")}},
          .loading = {.threads = 1}};
}

struct Waiting {
  std::shared_ptr<EncoderJob> job = std::make_shared<EncoderJob>();
  std::shared_ptr<std::promise<std::vector<EncoderResult>>> promise =
      std::make_shared<std::promise<std::vector<EncoderResult>>>();

  Waiting() {
    job->model = "bert";
    job->done = [p = promise](std::vector<EncoderResult> results) {
      p->set_value(std::move(results));
    };
    job->failed = [p = promise](const std::exception_ptr& error) { p->set_exception(error); };
  }
  std::vector<EncoderResult> results() const { return promise->get_future().get(); }
};

TEST(EncoderEngine, NamesItsModels) {
  const EncoderEngine engine(options());
  const auto encoders = engine.encoders();
  ASSERT_EQ(encoders.size(), 2U);
  EXPECT_EQ(encoders[0].id, "bert");
  EXPECT_EQ(encoders[0].family, "bert");
  EXPECT_FALSE(encoders[0].labels.empty());
  EXPECT_EQ(encoders[1].id, "deit");
  EXPECT_TRUE(encoders[1].takes_pictures());
}

TEST(EncoderEngine, GivesTheVectorsOfEmbedWhileOthersRun) {
  EncoderEngine engine(options());
  const TextEncoder alone = TextEncoder::load(fixture("encoders/bert-classes"), {.threads = 1});
  std::vector<Waiting> all(12);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].job->texts = {{"the film is good"}, {std::string(3 * i + 1, 'a')}};
    engine.submit(all[i].job);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto got = all[i].results();
    const auto expected = alone.embed({"the film is good", std::string(3 * i + 1, 'a')});
    for (std::size_t text = 0; text < 2; ++text) {
      EXPECT_EQ(got[text].tokens, expected[text].tokens);
      ASSERT_EQ(got[text].vector.size(), expected[text].vector.size());
      for (std::size_t k = 0; k < got[text].vector.size(); ++k) {
        EXPECT_NEAR(got[text].vector[k], expected[text].vector[k], 1e-5);
      }
    }
  }
  EXPECT_EQ(engine.figures().sentences, 24U);
}

TEST(EncoderEngine, LargePicturesAreNotComputedTogether) {
  EncoderEngine engine(options());
  std::string png("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\x16\0\0\0\x16\0", 24);  // 5632 × 5632
  Waiting many;
  many.job->model = "deit";
  many.job->wants = EncoderJob::Wants::labels;
  many.job->pictures.assign(5, png);
  engine.submit(many.job);
  EXPECT_GT(many.job->total_work(), 5 * 7000);
  EXPECT_LT(many.job->tokens[0], 1000);  // only the small file waits in the queue
  EXPECT_THROW(many.results(), FormatError);
  engine.close();
  EXPECT_EQ(engine.figures().sentences, 1U);  // the first fails the job, and ends it
}

TEST(EncoderEngine, FailsAJobAndGoesOnWithTheOthers) {
  EncoderEngine engine(options());
  Waiting wrong;
  Waiting right;
  wrong.job->ids = {{1'000'000}};
  right.job->ids = {{5, 6}};
  engine.submit(wrong.job);
  engine.submit(right.job);
  EXPECT_THROW(wrong.results(), InvalidArgument);
  EXPECT_EQ(right.results()[0].tokens, 4);
  Waiting unknown;
  unknown.job->model = "nothing";
  unknown.job->texts = {{"a"}};
  EXPECT_THROW(engine.submit(unknown.job), HttpError);
}

TEST(EncoderEngine, RefusesPicturesThatCannotBeRead) {
  EncoderEngine engine(options());
  Waiting waiting;
  waiting.job->model = "deit";
  waiting.job->wants = EncoderJob::Wants::labels;
  waiting.job->pictures = {"not a picture"};
  engine.submit(waiting.job);
  try {
    waiting.results();
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("picture 1:")) << error.what();
  }
}

TEST(EncoderEngine, FinishesWhatItHasAcceptedAndAcceptsNoMore) {
  EncoderEngine engine(options());
  Waiting accepted;
  accepted.job->texts.assign(50, {"a text"});
  engine.submit(accepted.job);
  engine.close();
  EXPECT_EQ(accepted.results().size(), 50U);
  Waiting late;
  late.job->texts = {{"a"}};
  EXPECT_THROW(engine.submit(late.job), HttpError);
}

TEST(EncoderEngine, WritesItsFiguresForPrometheus) {
  const std::string text = serve::encoder_metrics({.sentences = 7});
  EXPECT_NE(text.find("\nyona_encoder_inputs_total 7\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace yona::testing
