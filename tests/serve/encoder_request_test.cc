#include "yona/serve/encoder_request.h"

#include <gtest/gtest.h>

#include "yona/base/base64.h"

#include "tests/serve/fake_encoders.h"

namespace yona::testing {
namespace {

using serve::EncoderJob;
using serve::EncoderSummary;
using serve::Fields;
using serve::HttpError;
using serve::RequestFields;

const EncoderSummary kTexts{.id = "texts", .d_model = 8, .vocabulary = 9, .labels = {"a", "b"}};
const EncoderSummary kPictures{.id = "eyes", .d_model = 8, .labels = {"a", "b"}};

RequestFields fields_of(const Json& body, const Fields& fields) {
  return RequestFields(
      {.method = "POST", .path = "/", .content_type = "application/json", .body = body.dump()},
      fields, serve::UnknownFields::refuse);
}

std::shared_ptr<EncoderJob> embedding(const Json& body, const serve::TextLimits& limits = {}) {
  return embedding_job(fields_of(body, serve::embedding_fields()), kTexts, limits);
}

std::shared_ptr<EncoderJob> classification(const Json& body, const EncoderSummary& model) {
  return classify_job(fields_of(body, serve::classify_fields()), model, {});
}

template <class Make>
std::string refusal_of(const Make& make) {
  try {
    make();
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status, 400);
    return error.what();
  }
  return "none";
}

TEST(EncoderRequest, ReadsTextsAndTokens) {
  EXPECT_EQ(embedding({{"input", "a"}})->texts.size(), 1U);
  EXPECT_EQ(embedding({{"input", {"a", "", "c"}}})->texts[2].first, "c");
  EXPECT_EQ(embedding({{"input", {1, 2}}})->ids, (std::vector<std::vector<std::int32_t>>{{1, 2}}));
  const auto two = embedding({{"input", Json::parse("[[1, 2], [3]]")}});
  EXPECT_EQ(two->ids, (std::vector<std::vector<std::int32_t>>{{1, 2}, {3}}));
  EXPECT_TRUE(two->texts.empty());
}

TEST(EncoderRequest, RefusesOtherInput) {
  for (const char* input :
       {"[]", "[[]]", "3", "[1, \"a\"]", "[[1], \"a\"]", "[1.5]", "{}", "[[\"a\"]]"}) {
    const std::string text = refusal_of([&] { embedding({{"input", Json::parse(input)}}); });
    EXPECT_TRUE(text.starts_with("\"input\": expected")) << input << ": " << text;
  }
  EXPECT_EQ(refusal_of([] { embedding({{"input", {-1}}}); }), "\"input\": there is no token -1");
  EXPECT_EQ(refusal_of([] {
              embedding({{"input", "a"}, {"dimensions", 9}});
            }),
            "\"dimensions\": expected at most the 8 of the model 'texts', got 9");
}

TEST(EncoderRequest, HasLimits) {
  EXPECT_EQ(refusal_of([] {
              embedding({{"input", {"a", "b", "c"}}}, {.texts = 2});
            }),
            "\"input\": 3 texts; 2 are allowed at most");
  EXPECT_EQ(refusal_of([] {
              embedding({{"input", {1, 2, 3}}}, {.characters = 2});
            }),
            "the request has 3 characters; 2 are allowed at most");
}

TEST(EncoderRequest, ReadsPairsOfTexts) {
  const auto job = classification({{"input", Json::parse(R"(["one", ["a", "b"]])")}}, kTexts);
  ASSERT_EQ(job->texts.size(), 2U);
  EXPECT_FALSE(job->texts[0].second);
  EXPECT_EQ(job->texts[1].second, "b");
  EXPECT_EQ(characters_of(*job), 5);
  const std::string text = refusal_of([] {
    classification({{"input", Json::parse(R"([["a", "b", "c"]])")}}, kTexts);
  });
  EXPECT_EQ(text, "\"input\": expected a text, a list of texts or a list of pairs");
}

TEST(EncoderRequest, ReadsPicturesAsBase64OrDataUrls) {
  const std::string picture = base64("not a picture yet");
  const auto job =
      classification({{"image", {picture, "data:image/png;base64," + picture}}}, kPictures);
  EXPECT_EQ(job->pictures, (std::vector<std::string>(2, "not a picture yet")));
  EXPECT_EQ(refusal_of([] {
              classification({{"image", "data:image/png,abc"}}, kPictures);
            }),
            "\"image\": the data URL is not base64");
  EXPECT_EQ(refusal_of([] {
              classification({{"image", ""}}, kPictures);
            }),
            "\"image\": the text is not base64");
}

TEST(EncoderRequest, TakesWhatTheModelTakes) {
  EXPECT_EQ(refusal_of([] {
              classification({{"input", "a"}}, kPictures);
            }),
            "\"image\" is missing: the model 'eyes' takes pictures");
  EXPECT_EQ(refusal_of([] {
              classification({{"input", "a"}, {"image", "b"}}, kTexts);
            }),
            "give \"input\" or \"image\", not both");
  const EncoderSummary bare{.id = "bare", .vocabulary = 9};
  EXPECT_EQ(refusal_of([&] {
              classification({{"input", "a"}}, bare);
            }),
            "the model 'bare' has no classification head; use /v1/embeddings");
}

}  // namespace
}  // namespace yona::testing
