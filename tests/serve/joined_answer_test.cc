#include "yona/serve/joined_answer.h"

#include <gtest/gtest.h>

#include "tests/serve/fake_service.h"

namespace yona {
namespace {

using serve::TextGroup;

TEST(JoinedAnswer, GroupsTextsByTheirWays) {
  const std::vector<TextGroup> groups =
      serve::grouped({"a", "b", "c", "d"}, {"en-de", "", "en-de", "fr-de"});
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].places, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(groups[0].texts, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(groups[1].way, "");
  EXPECT_EQ(groups[2].places, (std::vector<std::size_t>{3}));
}

class Joining : public ::testing::Test {
 protected:
  std::shared_ptr<testing::FakeExchange> exchange_ =
      std::make_shared<testing::FakeExchange>(serve::HttpRequest{});
  serve::JoinedAnswer<std::string> joined_{
      exchange_, 3, [](const std::vector<std::string>& pieces) {
        return serve::HttpResponse{.body = fmt::format("{}", fmt::join(pieces, " "))};
      }};
};

TEST_F(Joining, AnswersInOrderWhenAllAreThere) {
  joined_.put({.way = "x", .places = {2, 0}}, {"c", "a"});
  EXPECT_EQ(exchange_->answers, 0);
  joined_.put({.way = "y", .places = {1}}, {"b"});
  EXPECT_EQ(exchange_->answers, 1);
  EXPECT_EQ(exchange_->response.body, "a b c");
}

TEST_F(Joining, AnswersTheFirstErrorAndNothingElse) {
  joined_.fail(std::make_exception_ptr(serve::HttpError(413, "too much")));
  joined_.fail(std::make_exception_ptr(serve::HttpError(503, "busy")));
  joined_.put({.way = "y", .places = {0, 1, 2}}, {"a", "b", "c"});
  EXPECT_EQ(exchange_->answers, 1);
  EXPECT_EQ(exchange_->response.status, 413);
}

TEST_F(Joining, CancelsTheOtherJobsWhereOneFails) {
  const serve::GoneFlag cancelled = joined_.cancelled();
  joined_.put({.way = "x", .places = {0}}, {"a"});
  EXPECT_FALSE(*cancelled);
  joined_.fail(std::make_exception_ptr(serve::HttpError(503, "busy")));
  EXPECT_TRUE(*cancelled);
}

TEST(JoinedAnswer, CanFailWhereItsAnswerCannotBeMade) {
  const auto exchange = std::make_shared<testing::FakeExchange>(serve::HttpRequest{});
  serve::JoinedAnswer<std::string> joined(
      exchange, 1,
      [](const std::vector<std::string>&) -> serve::HttpResponse { throw std::bad_alloc(); });
  EXPECT_THROW(joined.put({.way = "x", .places = {0}}, {"a"}), std::bad_alloc);
  EXPECT_EQ(exchange->answers, 0);
  joined.fail(std::make_exception_ptr(std::bad_alloc()));
  EXPECT_EQ(exchange->response.status, 500);
}

}  // namespace
}  // namespace yona
