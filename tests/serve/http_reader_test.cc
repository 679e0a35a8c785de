#include "yona/serve/http_reader.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/data/compress.h"

namespace yona {
namespace {

using serve::HttpReader;
using Found = HttpReader::Found;

// Adds as much of the bytes as there is room for.
std::size_t add(HttpReader& reader, std::string_view bytes) {
  const auto room = reader.room();
  const std::size_t count = std::min(room.size(), bytes.size());
  std::copy_n(bytes.data(), count, room.data());
  reader.add(count);
  return count;
}

// What is found first that is not `more`, with so many bytes at a time.
Found read(HttpReader& reader, std::string_view& bytes, std::size_t at_a_time) {
  Found found = reader.next();
  while (found == Found::more && !bytes.empty()) {
    bytes.remove_prefix(add(reader, bytes.substr(0, at_a_time)));
    found = reader.next();
  }
  return found;
}

const std::string kPost =
    "POST /a%20b?x=1 HTTP/1.1\r\nHost: x\r\nContent-Type: Text/Plain; charset=utf-8\r\n"
    "X-Api-Key: k\r\nAuthorization: Bearer b\r\nContent-Length: 5\r\n\r\nhello";

TEST(HttpReader, FindsTheSameRequestHoweverItsBytesCome) {
  for (const std::size_t at_a_time : {1, 2, 7, 1000}) {
    HttpReader reader({});
    reader.begin();
    std::string_view bytes = kPost;
    ASSERT_EQ(read(reader, bytes, at_a_time), Found::header);
    EXPECT_EQ(reader.method(), "POST");
    EXPECT_EQ(reader.path(), "/a%20b");
    EXPECT_TRUE(reader.frame().keeps_alive);
    ASSERT_EQ(read(reader, bytes, at_a_time), Found::request);
    const serve::HttpRequest request = reader.take("1.2.3.4");
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/a b");
    EXPECT_EQ(request.query, "x=1");
    EXPECT_EQ(request.content_type, "text/plain");
    EXPECT_EQ(request.api_key, "k");
    EXPECT_EQ(request.authorization, "Bearer b");
    EXPECT_EQ(request.body, "hello");
    EXPECT_EQ(request.client, "1.2.3.4");
    EXPECT_FALSE(reader.has_bytes());
  }
}

TEST(HttpReader, LeavesTheNextRequestForLater) {
  HttpReader reader({});
  reader.begin();
  add(reader, kPost + "GET / HTTP/1.0\r\n\r\n");
  ASSERT_EQ(reader.next(), Found::header);
  ASSERT_EQ(reader.next(), Found::request);
  reader.take("");
  ASSERT_TRUE(reader.has_bytes());
  reader.begin();
  ASSERT_EQ(reader.next(), Found::header);
  EXPECT_TRUE(reader.frame().is_http_1_0);
  EXPECT_FALSE(reader.frame().keeps_alive);
  ASSERT_EQ(reader.next(), Found::request);
  EXPECT_EQ(reader.take("").method, "GET");
  EXPECT_FALSE(reader.has_bytes());
}

TEST(HttpReader, TakesTargetsWithSchemeAndHost) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"http://x:80/a?b=1", "/a"}, {"http://x", "/"}, {"https://x?b=1", "/"}, {"/a://b", "/a://b"}};
  for (const auto& [target, path] : cases) {
    HttpReader reader({});
    reader.begin();
    const std::string request = "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
    std::string_view bytes = request;
    ASSERT_EQ(read(reader, bytes, 1000), Found::header);
    EXPECT_EQ(reader.path(), path);
    ASSERT_EQ(reader.next(), Found::request);
    EXPECT_EQ(reader.take("").path, path);
  }
}

TEST(HttpReader, ReadsChunks) {
  HttpReader reader({});
  reader.begin();
  std::string_view bytes =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n "
      "world\r\n0\r\n\r\n";
  ASSERT_EQ(read(reader, bytes, 3), Found::header);
  ASSERT_EQ(read(reader, bytes, 3), Found::request);
  EXPECT_EQ(reader.take("").body, "hello world");
}

TEST(HttpReader, TakesHeadForGetWithoutABody) {
  HttpReader reader({});
  reader.begin();
  add(reader, "HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_EQ(reader.next(), Found::header);
  EXPECT_TRUE(reader.frame().has_only_head);
  ASSERT_EQ(reader.next(), Found::request);
  EXPECT_EQ(reader.take("").method, "GET");
}

TEST(HttpReader, KnowsWhoWaitsForAWord) {
  HttpReader reader({});
  reader.begin();
  add(reader, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
  ASSERT_EQ(reader.next(), Found::header);
  EXPECT_TRUE(reader.expects_continue());
  EXPECT_EQ(reader.next(), Found::more);
}

TEST(HttpReader, SaysWhatIsWrong) {
  const auto refusal = [](std::string_view bytes) {
    HttpReader reader({.header_bytes = 100, .body_bytes = 10});
    reader.begin();
    Found found = read(reader, bytes, 50);
    found = found == Found::header ? read(reader, bytes, 50) : found;
    EXPECT_EQ(found, Found::wrong);
    return reader.refusal();
  };
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nX: " + std::string(200, 'x') + "\r\n\r\n").status, 431);
  EXPECT_EQ(refusal("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nhello world").status,
            413);
  EXPECT_EQ(
      refusal(
          "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n")
          .status,
      413);
  for (const char* bytes :
       {"hello there\r\n\r\n", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n"}) {
    EXPECT_EQ(refusal(bytes).status, 400) << bytes;
  }
}

// Feeds `piece` until it is refused, at most 64 MB of it, and watches the room that is given.
serve::HttpResponse refused_for_ever(const std::string& start, const std::string& piece) {
  constexpr std::size_t kMost = 64 << 20;
  HttpReader reader({});
  reader.begin();
  std::string_view bytes = start;
  std::size_t fed = 0;
  std::size_t at = 0;
  while (fed < kMost) {
    const Found found = reader.next();
    if (found == Found::wrong) {
      return reader.refusal();
    }
    if (found != Found::more) {
      continue;
    }
    if (bytes.empty()) {
      bytes = std::string_view(piece).substr(at);
      at = 0;
    }
    const std::size_t added = add(reader, bytes);
    bytes.remove_prefix(added);
    fed += added;
  }
  return {.status = 0};
}

TEST(HttpReader, CountsEveryByteAgainstALimit) {
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\n";
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string line(1000, 'a');
  EXPECT_EQ(refused_for_ever("", line).status, 431);
  EXPECT_EQ(refused_for_ever(head + "X:", line).status, 431);
  EXPECT_EQ(refused_for_ever(head, "X: y\r\n").status, 431);
  EXPECT_EQ(refused_for_ever(chunked + "5;", line).status, 431);
  EXPECT_EQ(refused_for_ever(chunked, "1;" + line + "\r\na\r\n").status, 431);
  EXPECT_EQ(refused_for_ever(chunked, "1;\r\na\r\n").status, 431);
  EXPECT_EQ(refused_for_ever(chunked + "0\r\n", "X: " + line + "\r\n").status, 431);
  EXPECT_EQ(refused_for_ever(chunked + "0\r\n", "X:\r\n").status, 431);
  EXPECT_EQ(refused_for_ever(chunked + "0\r\nX:", line).status, 431);
  EXPECT_EQ(refused_for_ever(chunked, "1\r\na\r\n").status, 413);
  EXPECT_EQ(refused_for_ever(chunked + "1\r\na", line).status, 400);
  EXPECT_NE(refused_for_ever(chunked + "0\r\nX:", line).body.find("the 16384 bytes"),
            std::string::npos);
}

// As `bytes` are read in one piece, or one at a time: the body, or the status of the refusal.
std::string body_or_status(const std::string& bytes, std::size_t at_a_time,
                           const serve::ReadLimits& limits) {
  HttpReader reader(limits);
  reader.begin();
  std::string_view rest = bytes;
  Found found = Found::header;
  while (found == Found::header) {
    found = read(reader, rest, at_a_time);
  }
  return found == Found::request ? reader.take("").body
         : found == Found::wrong ? std::to_string(reader.refusal().status)
                                 : "more";
}

TEST(HttpReader, CountsTrailersAndExtensionsTogetherWithTheHead) {
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto bytes = [&](std::size_t extension, std::size_t trailer) {
    return head + "1;" + std::string(extension - 1, 'e') +
           "\r\na\r\n0\r\nX:" + std::string(trailer - 4, 't') + "\r\n\r\n";
  };
  const serve::ReadLimits limits{.header_bytes = static_cast<std::uint32_t>(head.size() + 102)};
  for (const std::size_t at_a_time : {1, 3, 1000}) {
    EXPECT_EQ(body_or_status(bytes(50, 50), at_a_time, limits), "a");
    EXPECT_EQ(body_or_status(bytes(51, 50), at_a_time, limits), "431");
    EXPECT_EQ(body_or_status(bytes(50, 51), at_a_time, limits), "431");
    EXPECT_EQ(body_or_status(bytes(200, 50), at_a_time, limits), "431");
  }
}

TEST(HttpReader, DecompressesBodiesWithinTheLimit) {
  const std::string plain(900, 'x');
  const auto request = [](const std::string& packed, const std::string& coding) {
    return "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: " + coding +
           "\r\nContent-Length: " + std::to_string(packed.size()) + "\r\n\r\n" + packed;
  };
  const serve::ReadLimits limits{.body_bytes = 1000};
  const std::string packed = testing::gzip(plain);
  for (const std::size_t at_a_time : {1, 1000}) {
    EXPECT_EQ(body_or_status(request(packed, "gzip"), at_a_time, limits), plain);
    EXPECT_EQ(body_or_status(request(packed, "X-GZip"), at_a_time, limits), plain);
    EXPECT_EQ(body_or_status(request(packed, "identity"), at_a_time, limits), packed);
    EXPECT_EQ(body_or_status(request(packed.substr(0, 20), "gzip"), at_a_time, limits), "400");
    EXPECT_EQ(body_or_status(request(plain, "gzip"), at_a_time, limits), "400");
    EXPECT_EQ(
        body_or_status(request(testing::gzip(std::string(1 << 20, 'x')).substr(0, 999), "gzip"),
                       at_a_time, limits),
        "413");
    for (const char* coding : {"br", "deflate", "zstd", "gzip, gzip", "", "*"}) {
      EXPECT_EQ(body_or_status(request(packed, coding), at_a_time, limits), "415") << coding;
    }
  }
}

}  // namespace
}  // namespace yona
