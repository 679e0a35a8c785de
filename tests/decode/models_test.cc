#include "yona/decode/models.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

TEST(DecodeModels, HaveTheFewestPositionsOfAny) {
  TransformerConfig config = toy_config();
  const Transformer first(config);
  config.max_positions = 9;
  const Transformer second(config);
  EXPECT_EQ(least_positions({&first}, "decode"), 16);
  EXPECT_EQ(least_positions({&first, &second}, "decode"), 9);
  EXPECT_EQ(message_of<InvalidArgument>([] { least_positions({}, "decode"); }),
            "decode: there is no model");
}

TEST(DecodeModels, TakeIdsOfTheirVocabularyAlone) {
  check_ids({0, 10}, 11, {.what = "decode", .side = "source"});
  EXPECT_EQ(message_of<InvalidArgument>([] {
              check_ids({0, -1}, 11, {.what = "score", .side = "target", .sentence = 4});
            }),
            "score: sentence 5 has the target id -1, outside the vocabulary of 11 pieces");
}

}  // namespace
}  // namespace yona::testing
