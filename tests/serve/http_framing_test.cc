// The parts of a head alone; tests/serve/http_smuggling_test.cc has whole requests.

#include "yona/serve/http_framing.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using serve::BodyFraming;
using serve::RequestHead;
using testing::message_of;

RequestHead head_of(const std::string& line, const serve::Headers& fields) {
  RequestHead head;
  serve::parse_request_line(line, head);
  head.fields = fields;
  serve::complete_head(head);
  return head;
}

TEST(HttpFraming, FindsWhereABodyEnds) {
  const auto framing = [](const serve::Headers& fields) {
    serve::Headers all{{"host", "x"}};
    all.insert(all.end(), fields.begin(), fields.end());
    return head_of("POST / HTTP/1.1", all).framing;
  };
  EXPECT_EQ(framing({}), BodyFraming::none);
  EXPECT_EQ(framing({{"content-length", "0"}}), BodyFraming::none);
  EXPECT_EQ(framing({{"content-length", "7"}}), BodyFraming::length);
  EXPECT_EQ(framing({{"transfer-encoding", "chunked"}}), BodyFraming::chunked);
}

TEST(HttpFraming, KnowsWhetherTheConnectionStays) {
  const auto stays = [](const std::string& version, const serve::Headers& fields) {
    serve::Headers all{{"host", "x"}};
    all.insert(all.end(), fields.begin(), fields.end());
    return head_of("GET / HTTP/" + version, all).keeps_alive;
  };
  EXPECT_TRUE(stays("1.1", {}));
  EXPECT_TRUE(stays("1.1", {{"connection", "upgrade"}}));
  EXPECT_FALSE(stays("1.1", {{"connection", "x, Close"}}));
  EXPECT_FALSE(stays("1.1", {{"connection", "keep-alive"}, {"connection", "close"}}));
  EXPECT_FALSE(stays("1.0", {}));
  EXPECT_TRUE(stays("1.0", {{"connection", "Keep-Alive"}}));
}

TEST(HttpFraming, CutsTargetsIntoTheirParts) {
  const RequestHead plain = head_of("GET /a%20b?c=%20&d HTTP/1.1", {{"host", "h:1"}});
  EXPECT_EQ(plain.path, "/a b");
  EXPECT_EQ(plain.raw_path(), "/a%20b");
  EXPECT_EQ(plain.query(), "c=%20&d");
  EXPECT_EQ(plain.authority, "h:1");
  const RequestHead absolute = head_of("GET HTTPS://a.example:9?q HTTP/1.1", {{"host", "h"}});
  EXPECT_EQ(absolute.path, "/");
  EXPECT_EQ(absolute.query(), "q");
  EXPECT_EQ(absolute.authority, "a.example:9");
  EXPECT_EQ(head_of("GET / HTTP/1.0", {}).authority, "");
  EXPECT_EQ(head_of("OPTIONS * HTTP/1.1", {{"host", "h"}}).path, "*");
}

TEST(HttpFraming, ReadsFieldsWithoutTheBlanksAroundThem) {
  using Field = std::pair<std::string, std::string>;
  EXPECT_EQ(serve::parse_field_line("Content-TYPE:\t a  b \t"), (Field{"content-type", "a  b"}));
  EXPECT_EQ(serve::parse_field_line("X:"), (Field{"x", ""}));
  EXPECT_EQ(serve::parse_field_line("X: : ä"), (Field{"x", ": ä"}));
}

TEST(HttpFraming, ReadsSizesOfChunks) {
  EXPECT_EQ(serve::parse_chunk_line("0").size, 0U);
  EXPECT_EQ(serve::parse_chunk_line("fF").size, 255U);
  EXPECT_EQ(serve::parse_chunk_line("ffffffffffffffff").size, ~std::uint64_t{0});
  EXPECT_EQ(serve::parse_chunk_line("5;a=b").size, 5U);
  EXPECT_EQ(serve::parse_chunk_line("5;a=b").extension_bytes, 4U);
}

TEST(HttpFraming, SaysWhatIsWrong) {
  const auto error = [](const serve::Headers& fields) {
    return message_of<serve::HttpError>([&] { head_of("POST / HTTP/1.1", fields); });
  };
  EXPECT_EQ(error({}), "malformed HTTP request: Host is missing");
  EXPECT_EQ(error({{"host", "x"}, {"content-length", "1"}, {"transfer-encoding", "chunked"}}),
            "malformed HTTP request: both Transfer-Encoding and Content-Length are given");
  EXPECT_EQ(error({{"host", "x"}, {"transfer-encoding", "gzip, chunked"}}),
            "Transfer-Encoding: expected chunked alone, got gzip, chunked");
  EXPECT_EQ(error({{"host", "x"}, {"content-encoding", "br"}}),
            "Content-Encoding: expected gzip or identity, got br");
}

}  // namespace
}  // namespace yona
