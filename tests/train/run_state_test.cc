#include "yona/train/run_state.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunState scored(std::string best_by, std::map<std::int64_t, double> scores) {
  RunState state;
  state.higher_is_better = best_by == "bleu";
  state.best_by = std::move(best_by);
  state.scores = std::move(scores);
  return state;
}

TEST(RunState, KeepsTheBestAndTheLastCheckpoints) {
  const std::vector<std::int64_t> all{100, 200, 300, 400};
  const RunState loss = scored("loss", {{100, 3.0}, {200, 1.0}, {300, 2.0}, {400, 4.0}});
  EXPECT_THAT(loss.to_keep(all, 1, 1), ElementsAre(200, 400));
  EXPECT_THAT(loss.to_keep(all, 2, 1), ElementsAre(200, 300, 400));
  EXPECT_THAT(loss.to_keep(all, 0, 2), ElementsAre(300, 400));
  EXPECT_THAT(loss.to_keep(all, 0, 0), ElementsAre(400));  // one to go on from
  EXPECT_THAT(loss.to_keep(all, 99, 99), ElementsAre(100, 200, 300, 400));
  EXPECT_THAT(scored("loss", {}).to_keep({}, 1, 1), IsEmpty());
}

TEST(RunState, MoreIsBetterWhereTheFigureIsBleu) {
  const std::vector<std::int64_t> all{100, 200, 300};
  const RunState bleu = scored("bleu", {{100, 30.0}, {200, 10.0}, {300, 20.0}});
  EXPECT_THAT(bleu.to_keep(all, 1, 1), ElementsAre(100, 300));
}

TEST(RunState, IsTheSameAfterBeingWrittenAndRead) {
  RunState state = scored("bleu", {{100, 30.5}});
  state.update = 120;
  state.position = {3, 17};
  state.best_update = 100;
  state.bad_validations = 2;
  state.record["settings"] = {{"train.seed", "5"}};
  state.changes = {"update 8: train.seed: 1 → 5"};
  const RunState read = RunState::from_json(state.to_json(), "state.json");
  EXPECT_EQ(read.to_json(), state.to_json());
  EXPECT_TRUE(std::isinf(read.best_loss));  // JSON has no infinity
}

// Their states did not say so.
TEST(RunState, MoreIsBetterForBleuAndChrfInRunsOfVersion0_1) {
  Json json = scored("chrf", {}).to_json();
  json["record"] = Json::object();
  EXPECT_TRUE(RunState::from_json(json, "state.json").higher_is_better);
  json["best_by"] = "ter";
  EXPECT_FALSE(RunState::from_json(json, "state.json").higher_is_better);
}

TEST(RunState, SaysWhatIsWrongWithItsFile) {
  EXPECT_THAT(testing::message_of<FormatError>([] {
                RunState::from_json(Json{{"version", 99}}, "a/state.json");
              }),
              HasSubstr("a/state.json: made by another version of yona"));
  EXPECT_THAT(
      testing::message_of<FormatError>([] { RunState::from_json(Json::array(), "a/state.json"); }),
      HasSubstr("a/state.json: not the state of a run"));
  Json json = RunState().to_json();
  for (const char* number : {"2e66", "18446744073709551615", "1.5", "true"}) {
    json["batch"] = Json::parse(number);
    EXPECT_THAT(
        testing::message_of<FormatError>([&] { RunState::from_json(json, "a/state.json"); }),
        HasSubstr("is not a whole number of 64 bits"))
        << number;
  }
}

TEST(RunState, SaysWhichPartOfItsRecordIsWrong) {
  const auto message = [](const Json& record) {
    Json json = RunState().to_json();
    json["record"] = record;
    return testing::message_of<FormatError>([&] { RunState::from_json(json, "a/state.json"); });
  };
  EXPECT_EQ(message({{"settings", 3}}),
            "a/state.json: not the state of a run: 'settings' cannot be 3");
  for (const Json& record :
       {Json{{"settings", {{"train.batch_tokens", 3}}}}, Json{{"platform", {{"device", 1}}}},
        Json{{"platform", 1}}, Json{{"corpora", {1}}}, Json{{"init", 1}},
        Json{{"corpora", {{{"digest", "x"}}}}}, Json{{"model", "x"}}, Json::array()}) {
    EXPECT_THAT(message(record), HasSubstr("a/state.json: ")) << record;
  }
}

TEST(RunState, ReadsTheStateOfVersion01) {
  Json json = RunState().to_json();
  json["version"] = 1;
  json.erase("record");
  json["same"] = {{"train.seed", 3}};
  const RunState state = RunState::from_json(json, "state.json");
  EXPECT_TRUE(state.record.is_null());
  EXPECT_EQ(state.same.at("train.seed"), 3);
}

}  // namespace
}  // namespace yona
