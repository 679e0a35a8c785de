#include "yona/serve/multipart.h"

#include <gtest/gtest.h>

#include "yona/serve/http.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using namespace std::string_literals;
using serve::parse_multipart;
using testing::message_of;
using Parts = std::vector<std::pair<std::string, std::string>>;

std::string form_part(const std::string& name, const std::string& value) {
  return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
}

std::string form_refusal(const std::string& body, const std::string& boundary = "b",
                         const serve::MultipartLimits& limits = {}) {
  return message_of<serve::HttpError>([&] { parse_multipart(body, boundary, limits); });
}

TEST(Multipart, ReadsWhatCurlSends) {
  const std::string boundary = "------------------------d74496d66958873e";
  EXPECT_EQ(parse_multipart("--" + boundary +
                                "\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nTwo dogs "
                                "run.\r\n--" +
                                boundary +
                                "\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nen\r\n"
                                "--" +
                                boundary + "--\r\n",
                            boundary),
            (Parts{{"q", "Two dogs run."}, {"source", "en"}}));
}

// urllib3, which requests uses, adds types; FormData has boundaries of its own.
TEST(Multipart, ReadsWhatRequestsAndBrowsersSend) {
  EXPECT_EQ(parse_multipart("--5a3\r\nContent-Disposition: form-data; name=\"q\"\r\nContent-Type: "
                            "text/plain; charset=utf-8\r\n\r\nä\r\n\r\nb\r\n--5a3--\r\n",
                            "5a3"),
            (Parts{{"q", "ä\r\n\r\nb"}}));
  const std::string boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";
  EXPECT_EQ(
      parse_multipart("--" + boundary + "\r\ncontent-disposition: FORM-DATA; NAME=q\r\n\r\n\r\n--" +
                          boundary + "--",
                      boundary),
      (Parts{{"q", ""}}));
}

TEST(Multipart, TakesBoundariesToTheLetter) {
  // What only begins like a boundary is content, and so is one that does not begin a line.
  for (const std::string& value :
       {"--b"s, "x--b--"s, "\r\n--bb\r\n"s, "\r\n--b x\r\n"s, "\r\n-b--\r\n"s, "\n--b--\n"s,
        "\r\n--b-\r\n"s, "\r\n"s, "\0"s}) {
    if (value == "--b") {
      continue;  // at the start of a value it does begin a line
    }
    EXPECT_EQ(parse_multipart(form_part("q", value) + "--b--\r\n", "b"), (Parts{{"q", value}}))
        << value;
  }
  EXPECT_EQ(
      parse_multipart("--b \t\r\nContent-Disposition: form-data; name=q\r\n\r\n1\r\n--b--", "b"),
      (Parts{{"q", "1"}}));
}

TEST(Multipart, LeavesOutWhatIsBeforeAndAfter) {
  EXPECT_EQ(parse_multipart("preamble --b\r\n--bx\r\n" + form_part("q", "1") +
                                "--b--\r\nepilogue\r\n" + form_part("z", "2"),
                            "b"),
            (Parts{{"q", "1"}}));
  EXPECT_EQ(parse_multipart("--b--\r\n", "b"), Parts{});
}

TEST(Multipart, ReadsNamesInQuotes) {
  EXPECT_EQ(parse_multipart(form_part("a; b=\\\"c\\\"", "1") + "--b--", "b"),
            (Parts{{"a; b=\"c\"", "1"}}));
}

TEST(Multipart, RefusesFilesByName) {
  EXPECT_EQ(form_refusal("--b\r\nContent-Disposition: form-data; name=\"q\"; filename=\"a.txt\"\r\n"
                         "Content-Type: text/plain\r\n\r\nx\r\n--b--"),
            "multipart/form-data: \"q\" is a file; expected its text");
}

TEST(Multipart, RefusesWhatIsNotAForm) {
  EXPECT_NE(form_refusal("x", "").find("the boundary is missing"), std::string::npos);
  EXPECT_NE(form_refusal("x", std::string(71, 'b')).find("boundary"), std::string::npos);
  EXPECT_NE(form_refusal("x", "a\"b").find("boundary"), std::string::npos);
  for (const std::string& body : {""s, "q=1"s, form_part("q", "1"), form_part("q", "1") + "--b",
                                  "--b\r\n"s, "--b"s, form_part("q", "1") + "--b\r\n"}) {
    EXPECT_EQ(form_refusal(body), "multipart/form-data: the body does not end with its boundary")
        << body;
  }
  EXPECT_NE(form_refusal("--b\r\n--b--").find("no empty line"), std::string::npos);
  EXPECT_NE(form_refusal("--b\r\nX: y\r\nno end\r\n--b--").find("no empty line"),
            std::string::npos);
  EXPECT_NE(form_refusal("--b\r\n\r\nx\r\n--b--").find("a part has no name"), std::string::npos);
  EXPECT_NE(form_refusal("--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--").find("no name"),
            std::string::npos);
  EXPECT_NE(form_refusal("--b\r\nContent-Disposition: attachment; name=q\r\n\r\nx\r\n--b--")
                .find("is not form-data"),
            std::string::npos);
  EXPECT_NE(form_refusal("--b\r\nno colon\r\n\r\nx\r\n--b--").find("colon"), std::string::npos);
  EXPECT_NE(
      form_refusal("--b\r\nContent-Disposition: form-data; name=q\r\nContent-Transfer-Encoding: "
                   "base64\r\n\r\nx\r\n--b--")
          .find("base64"),
      std::string::npos);
}

TEST(Multipart, HasLimits) {
  const std::string three =
      form_part("q", "1") + form_part("q", "2") + form_part("q", "3") + "--b--";
  EXPECT_EQ(parse_multipart(three, "b", {.parts = 3}).size(), 3U);
  EXPECT_NE(form_refusal(three, "b", {.parts = 2}).find("more than the 2 parts"),
            std::string::npos);
  EXPECT_NE(form_refusal(form_part(std::string(5000, 'x'), "1") + "--b--").find("the 4096 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace yona
