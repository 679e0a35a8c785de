#include "yona/models/token_tables.h"

#include <gtest/gtest.h>

#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

std::vector<std::string> table_names(Tying tying) {
  Seq2SeqConfig config = toy_config();
  config.tying = tying;
  TokenTables tables(config);
  std::vector<std::string> names;
  tables.visit([&](const std::string& name, Parameter& /*parameter*/) { names.push_back(name); });
  return names;
}

TEST(TokenTables, AreAsManyAsTheConfigTies) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(table_names(Tying::all), Names{"shared.weight"});
  EXPECT_EQ(table_names(Tying::target),
            (Names{"encoder.embedding.weight", "decoder.embedding.weight"}));
  EXPECT_EQ(table_names(Tying::inputs), (Names{"shared.weight", "projection.weight"}));
  EXPECT_EQ(table_names(Tying::none),
            (Names{"encoder.embedding.weight", "decoder.embedding.weight", "projection.weight"}));
}

TEST(TokenTables, LeavePaddingOutOfTheOutput) {
  const SequenceShape shape = seq2seq_shape(toy_config());
  EXPECT_EQ(shape.outputs, 10);
  EXPECT_EQ(shape.start_id, 10);
  EXPECT_TRUE(shape.has_barred_pad());
}

}  // namespace
}  // namespace yona::testing
