#include "yona/io/typed_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(TypedJson, NamesTheFileOfAValueOfAnotherType) {
  const Json json{{"size", "large"}};
  const auto text = [&] { return json.at("size").get<std::string>(); };
  const auto number = [&] { return json.at("size").get<int>(); };
  EXPECT_EQ(read_typed("a.json", text), "large");
  EXPECT_THAT(message_of<FormatError>([&] { read_typed("a.json", number); }),
              ::testing::StartsWith("a.json: a value is not as expected: "));
}

}  // namespace
}  // namespace yona::testing
