#include <algorithm>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "yona/decode/line_translator.h"
#include "yona/inspect/attention.h"
#include "yona/yona.h"

#include "tests/harness/lm_folder.h"
#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class ModelTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    small_ = std::make_unique<SmallModel>();
    model_.emplace(Model::load(small_->path()));
  }
  static void TearDownTestSuite() {
    model_.reset();
    small_.reset();
  }
  static std::vector<std::string> some_lines(std::size_t count) {
    return {small_->lines().begin(), small_->lines().begin() + static_cast<std::ptrdiff_t>(count)};
  }

  inline static std::unique_ptr<SmallModel> small_;
  inline static std::optional<Model> model_;
};

// The parts, put together by hand.
struct ByHand {
  explicit ByHand(const std::filesystem::path& folder, const DecodeOptions& options = {})
      : backend(make_backend("cpu")),
        model(TranslationModel::load(folder, *backend, Packing::yes)),
        translator({model.get()}, *backend, options),
        lines(translator, {.source_language = "en", .target_language = "de"}) {}

  std::unique_ptr<Backend> backend;
  std::unique_ptr<TranslationModel> model;
  Translator translator;
  LineTranslator lines;
};

TEST_F(ModelTest, TranslatesAsItsPartsDo) {
  const std::vector<std::string> texts = some_lines(8);
  ByHand by_hand(small_->path());
  const std::vector<std::string> expected = by_hand.translator.translate(texts);
  EXPECT_EQ(model_->translate(texts), expected);
  EXPECT_EQ(model_->translate(texts[3]), expected[3]);
  EXPECT_EQ(model_->translate(""), "");
}

TEST_F(ModelTest, SplitsLongTextsAndRefusesThemWhenAsked) {
  std::string paragraph;
  for (const std::string& line : some_lines(12)) {
    paragraph += "It is " + line + ". ";
  }
  ByHand by_hand(small_->path());
  const auto expected =
      by_hand.lines.translate(std::vector<SourceLine>{{.text = paragraph, .number = 1}});
  ASSERT_GT(expected[0][0].parts.size(), 1U);
  EXPECT_EQ(model_->translate(paragraph), expected[0][0].text);
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { model_->translate(paragraph, {.long_lines = LongLines::refuse}); }),
              HasSubstr("line 1 has "));
}

TEST_F(ModelTest, GivesSeveralTranslationsWithTheirScores) {
  ByHand by_hand(small_->path(), {.beam = 5, .n_best = 3, .alignments = true});
  const std::vector<SourceLine> lines{{.text = small_->lines()[3], .number = 1}};
  const auto expected = by_hand.lines.translate(lines);
  const auto found = model_->n_best(lines, {.beam = 5, .n_best = 3, .alignments = true});
  ASSERT_THAT(found, SizeIs(1));
  ASSERT_THAT(found[0], SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[0][i].text, expected[0][i].text);
    EXPECT_EQ(found[0][i].score, expected[0][i].score);
    EXPECT_EQ(found[0][i].log_probability, expected[0][i].log_probability);
    EXPECT_EQ(found[0][i].token_scores, expected[0][i].parts[0].hypothesis.token_scores);
    EXPECT_EQ(found[0][i].tokens.size(), found[0][i].token_scores.size());
    EXPECT_EQ(found[0][i].alignment.size(), found[0][i].word_scores.size());
  }
  EXPECT_EQ(found[0][0].source_tokens.back(), "</s>");
}

TEST_F(ModelTest, BeginsWithThePrefix) {
  const auto found = model_->n_best({{.text = small_->lines()[3], .prefix = "dreizehn"}});
  EXPECT_TRUE(found[0][0].text.starts_with("dreizehn")) << found[0][0].text;
}

TEST_F(ModelTest, SamplesByTheLineItIs) {
  const TranslateOptions options{.sampling = Sampling{.temperature = 2.0}, .seed = 7};
  const std::vector<std::string> texts(6, small_->lines()[3]);
  const std::vector<std::string> drawn = model_->translate(texts, options);
  EXPECT_EQ(model_->translate(texts, options), drawn);
  EXPECT_GT(std::set<std::string>(drawn.begin(), drawn.end()).size(), 1U);
}

TEST_F(ModelTest, ScoresAGivenTranslation) {
  ByHand by_hand(small_->path());
  const std::string source = small_->lines()[3];
  const Hypothesis expected =
      by_hand.translator.score(std::vector<SentencePair>{{source, "dreizehn"}})[0];
  const Translation scored = model_->score(source, "dreizehn");
  EXPECT_EQ(scored.text, "dreizehn");
  EXPECT_EQ(scored.log_probability, expected.log_probability);
  EXPECT_EQ(scored.score, expected.score);
  EXPECT_THAT(model_->score({{.text = source, .target = "a"}, {.text = source, .target = "b"}}),
              SizeIs(2));
}

TEST_F(ModelTest, ShowsWhatItsHeadsLookAt) {
  ByHand by_hand(small_->path());
  const AttentionMaps expected =
      inspect_attention(*by_hand.model, *by_hand.backend, small_->lines()[3], "dreizehn");
  const AttentionMaps maps = model_->attention(small_->lines()[3], "dreizehn");
  EXPECT_EQ(maps.target_tokens, expected.target_tokens);
  EXPECT_EQ(maps.at(AttentionPart::cross, 0).weights, expected.at(AttentionPart::cross, 0).weights);
  EXPECT_TRUE(model_->attention(small_->lines()[3]).translated);
}

TEST_F(ModelTest, KnowsWhatItIs) {
  const ModelDetails details = model_->details();
  EXPECT_EQ(details.task, "translation");
  EXPECT_EQ(details.family, "yona");
  EXPECT_EQ(details.source_language, "en");
  EXPECT_EQ(details.target_language, "de");
  EXPECT_EQ(details.d_model, 32);
  EXPECT_EQ(details.encoder_layers, 1);
  EXPECT_EQ(details.max_positions, 40);
  EXPECT_GT(details.parameters, 10000);
  EXPECT_EQ(details.models, 1U);
}

TEST_F(ModelTest, OfTheSameTwiceIsAnEnsembleThatTranslatesTheSame) {
  const Model twice = Model::load_ensemble({small_->path(), small_->path()});
  EXPECT_EQ(twice.details().models, 2U);
  EXPECT_EQ(twice.translate(some_lines(5)), model_->translate(some_lines(5)));
  EXPECT_THAT(message_of<InvalidArgument>([&] { twice.attention("two"); }),
              HasSubstr("ensemble of 2"));
}

TEST_F(ModelTest, GivesTheSameHoweverManyWorkersAndThreads) {
  const Model workers = Model::load(small_->path(), {.threads = 1, .workers = 2});
  EXPECT_EQ(workers.translate(some_lines(20)), model_->translate(some_lines(20)));
}

TEST_F(ModelTest, ComputesInBytesWhenAsked) {
  const Model bytes = Model::load(small_->path(), {.compute_type = "int8"});
  EXPECT_THAT(bytes.translate(some_lines(5)), SizeIs(5));
  EXPECT_NE(bytes.score("two", "zwei").log_probability,
            model_->score("two", "zwei").log_probability);
}

TEST_F(ModelTest, TellsHowFarItIs) {
  std::vector<double> shares;
  model_->translate(some_lines(20), {.batch_tokens = 40,
                                     .progress = [&](double share) { shares.push_back(share); }});
  ASSERT_GT(shares.size(), 1U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1.0);
}

TEST_F(ModelTest, EndsWhenAskedAndCanBeUsedAgain) {
  const std::atomic<bool> stop{true};
  EXPECT_THROW(model_->translate(some_lines(3), {.stop = &stop}), Interrupted);
  EXPECT_NE(model_->translate(small_->lines()[0]), "");
}

TEST_F(ModelTest, IsUsedFromSeveralThreads) {
  const std::vector<std::string> texts = some_lines(6);
  const std::vector<std::string> expected = model_->translate(texts);
  std::vector<std::string> found(texts.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([&, i] { found[i] = model_->translate(texts[i]); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(found, expected);
}

TEST_F(ModelTest, SaysWhatFolderItCannotRun) {
  const TempDir folder;
  write_bytes(folder / "config.json", R"({"model_type": "bert", "hidden_size": 8})");
  EXPECT_THAT(message_of<Error>([&] { Model::load(folder.path()); }),
              HasSubstr("config.json: is an encoder, not a translation model; "));
}

TEST_F(ModelTest, SaysWhatIsWrong) {
  const auto refused = [](const auto& load) { return message_of<Error>(load); };
  const std::filesystem::path path = small_->path();
  EXPECT_THAT(refused([&] { Model::load(path / "nothing"); }), HasSubstr("nothing"));
  EXPECT_EQ(refused([&] { Model::load(path, {.device = "tpu"}); }),
            "device: expected cpu or cuda, got 'tpu'");
  EXPECT_THAT(refused([&] { Model::load(path, {.compute_type = "f64"}); }),
              HasSubstr("compute_type: expected one of auto, f32"));
  EXPECT_EQ(refused([&] { Model::load(path, {.workers = 0}); }), "workers: 0 is below 1");
  EXPECT_THAT(refused([&] { Model::load(path, {.target_language = "fr"}); }),
              HasSubstr("translates from en to de"));
  EXPECT_THAT(refused([&] { Model::load_ensemble({}); }), HasSubstr("no folder"));
  EXPECT_THAT(refused([&] { model_->translate("two", {.beam = 2, .n_best = 3}); }),
              HasSubstr("n-best: 3 hypotheses need a beam"));
  EXPECT_THAT(refused([&] { model_->translate("two", {.beam_mode = "moses"}); }),
              HasSubstr("beam mode: 'moses' is unknown"));
  EXPECT_THAT(refused([&] { model_->translate("two", {.batch_tokens = 0}); }),
              HasSubstr("a batch of 0 tokens"));
}

TEST(LanguageModelApi, MeasuresTextAndDoesNotTranslateOrParse) {
  const LmFolder folder;
  const Model model = Model::load(folder.path(), {.threads = 1});
  const Perplexity result = model.perplexity("the quick brown fox jumps over it", {.stride = 12});
  EXPECT_EQ(result.tokens, 32);
  EXPECT_EQ(result.words, 7);
  EXPECT_GT(result.per_token, 1.0);
  EXPECT_THAT(message_of<InvalidArgument>([&] { model.parse("a"); }),
              HasSubstr("is a language model; a translation model is expected"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { model.translate("a"); }),
              HasSubstr("is a language model; a translation model is expected"));
  EXPECT_FALSE(TextEncoder::is_encoder(folder.path()));
  EXPECT_FALSE(TextEncoder::is_encoder(folder.path() / "nowhere"));
  EXPECT_TRUE(
      TextEncoder::is_encoder(std::filesystem::path(YONA_FIXTURES) / "encoders" / "bert-classes"));
}

}  // namespace
}  // namespace yona::testing
