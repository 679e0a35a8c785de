#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/inspect/explain.h"

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;

std::string refusal(const std::string& body) {
  return message_of<InvalidArgument>([&] { explain_request(Json::parse(body)); });
}

TEST(ExplainJson, ReadsARequestWithItsDefaults) {
  const ExplainRequest plain = explain_request(Json::parse(R"({"q": "Hello."})"));
  EXPECT_EQ(plain.source, "Hello.");
  EXPECT_EQ(plain.part, AttentionPart::encoder);
  EXPECT_EQ(plain.layer + plain.head + plain.query, 0);
  const ExplainRequest full = explain_request(Json::parse(
      R"({"q": "a", "target_prefix": ["▁b", "c"], "stack": "cross", "layer": 1, "head": 2, "query": 3})"));
  EXPECT_THAT(full.target_prefix, ElementsAre("▁b", "c"));
  EXPECT_EQ(full.part, AttentionPart::cross);
  EXPECT_EQ(full.layer, 1);
  EXPECT_EQ(full.head, 2);
  EXPECT_EQ(full.query, 3);
}

TEST(ExplainJson, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(refusal("[]"), "explain: the body must be a JSON object");
  EXPECT_EQ(refusal("{}"), "explain: \"q\", the sentence, must be a string");
  EXPECT_EQ(refusal(R"({"q": 3})"), "explain: \"q\", the sentence, must be a string");
  EXPECT_EQ(refusal(R"({"q": "a", "stack": "both"})"),
            "explain: \"stack\" must be \"encoder\", \"decoder\" or \"cross\"");
  EXPECT_EQ(refusal(R"({"q": "a", "stack": 1})"),
            "explain: \"stack\" must be \"encoder\", \"decoder\" or \"cross\"");
  EXPECT_EQ(refusal(R"({"q": "a", "layer": 0.5})"), "explain: \"layer\" must be a whole number");
  EXPECT_EQ(refusal(R"({"q": "a", "head": 18446744073709551615})"),
            "explain: \"head\" is too large");
  EXPECT_EQ(refusal(R"({"q": "a", "query": "1"})"), "explain: \"query\" must be a whole number");
  for (const char* prefix : {"\"b\"", "[1]", "{}"}) {
    EXPECT_EQ(refusal(std::string(R"({"q": "a", "target_prefix": )") + prefix + "}"),
              "explain: \"target_prefix\" must be an array of pieces, as /v1/translate gives them");
  }
}

TEST(ExplainJson, WritesNumbersWithFiveDecimals) {
  Explanation explanation;
  explanation.q = {0.1F, -2.0F};
  explanation.scores = {1.0 / 3};
  explanation.seen = {true, false};
  explanation.heads = {{{0.25F}, 1.5}};
  explanation.next = {{"▁x", 7, -1.5, 0.123456789}};
  explanation.turns = {{{1.0F, 0.0F}, {0.0F, 1.0F}, 1.5707963}};
  explanation.model.d_model = 512;
  explanation.zeros = 5;
  const Json json = explanation_json(explanation);
  EXPECT_EQ(json["q"].dump(), "[0.1,-2.0]");
  EXPECT_EQ(json["scores"].dump(), "[0.33333]");
  EXPECT_EQ(json["seen"].dump(), "[true,false]");
  EXPECT_EQ(json["heads"].dump(), R"([{"norm":1.5,"weights":[0.25]}])");
  EXPECT_EQ(json["next"].dump(), R"([{"token":"▁x","id":7,"logit":-1.5,"probability":0.12346}])");
  EXPECT_EQ(json["turns"].dump(), R"([{"before":[1.0,0.0],"after":[0.0,1.0],"angle":1.5708}])");
  EXPECT_EQ(json["zeros"], 5);
  EXPECT_EQ(json["stack"], "encoder");
  EXPECT_EQ(json["model"]["d_model"], 512);
  EXPECT_EQ(json["model"]["activation"], "relu");
}

}  // namespace
}  // namespace yona::testing
