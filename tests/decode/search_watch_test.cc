#include "yona/decode/search_watch.h"

#include <map>

#include <gtest/gtest.h>

#include "yona/decode/line_translator.h"

#include "tests/harness/small_model.h"

namespace yona {
namespace {

class Counter : public SearchWatch {
 public:
  explicit Counter(std::int64_t given_up = -1) : given_up_(given_up) {}

  bool stepped(std::size_t request, std::span<const Candidate> candidates,
               const SentenceSearch& search) override {
    EXPECT_FALSE(candidates.empty());
    EXPECT_EQ(search.length(), ++steps[request]);
    return static_cast<std::int64_t>(request) != given_up_;
  }
  std::map<std::size_t, std::int64_t> steps;

 private:
  std::int64_t given_up_;
};

class WatchedSearch : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = std::make_unique<testing::SmallModel>(); }
  static void TearDownTestSuite() { model_.reset(); }
  static std::vector<SourceLine> lines() {
    std::vector<SourceLine> lines;
    for (std::size_t i = 0; i < 12; ++i) {
      lines.push_back({.text = i == 3 ? "" : model_->lines()[i], .number = i + 1});
    }
    return lines;
  }
  static std::vector<std::string> translate(SearchWatch* watch, std::int64_t batch_tokens) {
    const auto backend = make_backend("cpu");
    const auto model = TranslationModel::load(model_->path(), *backend);
    Translator translator({model.get()}, *backend, {}, {.batch_tokens = batch_tokens});
    LineTranslator line_translator(translator, {});
    std::vector<std::string> texts;
    for (const auto& line : line_translator.translate(lines(), watch)) {
      texts.push_back(line.front().text);
    }
    return texts;
  }
  inline static std::unique_ptr<testing::SmallModel> model_;
};

TEST_F(WatchedSearch, SeesEveryStepOfEveryLineByItsPlace) {
  for (const std::int64_t batch_tokens : {40, 4096}) {
    Counter counter;
    EXPECT_EQ(translate(&counter, batch_tokens), translate(nullptr, batch_tokens));
    EXPECT_EQ(counter.steps.size(), 11U);
    EXPECT_FALSE(counter.steps.contains(3));
  }
}

TEST_F(WatchedSearch, GivesOneUpAndLeavesTheOthers) {
  Counter counter(5);
  std::vector<std::string> expected = translate(nullptr, 4096);
  expected[5] = "";
  EXPECT_EQ(translate(&counter, 4096), expected);
  EXPECT_EQ(counter.steps[5], 1);
}

}  // namespace
}  // namespace yona
