// The flat buffer of a model's weights: its order, and who may go first.

#include "yona/nn/parameters.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace yona {
namespace {

class Pair : public Module {
 public:
  Pair() {
    add("first", first);
    add("second", second);
    add(table);
  }
  Parameter first{.shape = {2, 3}, .init = Init::xavier};
  Parameter second{.shape = {3}, .init = Init::ones};
  Constant table{.shape = {2}, .values = [] { return std::vector<double>{4.0, 5.0}; }};
};

TEST(Parameters, LieInOneBufferInTheOrderOfRegistration) {
  const auto backend = make_backend("reference");
  Pair model;
  Parameters parameters(model, *backend, Gradients::no);
  parameters.initialise(1);
  EXPECT_EQ(parameters.count(), 9);
  ASSERT_NE(parameters.find("second"), nullptr);
  EXPECT_EQ(parameters.find("second")->offset, 6);
  EXPECT_EQ(parameters.find("third"), nullptr);
  const std::vector<float> all = parameters.weights().to_vector<float>();
  EXPECT_EQ(std::vector<float>(all.begin() + 6, all.end()), std::vector<float>(3, 1.0F));
  EXPECT_EQ(model.table.value.to_vector<float>(), (std::vector<float>{4.0F, 5.0F}));
}

TEST(Parameters, MayGoBeforeTheModel) {
  const auto backend = make_backend("reference");
  Pair model;
  {
    const Parameters parameters(model, *backend, Gradients::yes);
    EXPECT_TRUE(model.first.value);
  }
  EXPECT_FALSE(model.first.value);
  EXPECT_FALSE(model.table.value);
}

}  // namespace
}  // namespace yona
