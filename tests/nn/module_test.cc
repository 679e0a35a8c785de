#include "yona/nn/module.h"

#include <set>

#include <gtest/gtest.h>

#include "yona/models/transformer.h"
#include "yona/nn/linear.h"

namespace yona::testing {
namespace {

class Leaf : public Module {
 public:
  Leaf() {
    weight_.shape = Shape{2, 3};
    table_.shape = Shape{4};
    add("weight", weight_);
    add(table_);
  }
  using Module::stream;

 private:
  Parameter weight_;
  Constant table_;
};

class Tree : public Module {
 public:
  Tree() {
    bias_.shape = Shape{5};
    add("left", left);
    add("bias", bias_);
    add("layers.0", right);
  }
  Leaf left, right;

 private:
  Parameter bias_;
};

TEST(Module, VisitsParametersInTheOrderTheyWereAdded) {
  Tree tree;
  std::vector<std::string> names;
  tree.visit([&](const std::string& name, Parameter& /*p*/) { names.push_back(name); });
  EXPECT_EQ(names, (std::vector<std::string>{"left.weight", "bias", "layers.0.weight"}));
  names.clear();
  tree.visit([&](const std::string& name, Parameter& /*p*/) { names.push_back(name); }, "model");
  EXPECT_EQ(names.front(), "model.left.weight");
}

// A part without a name: its parameters and streams are those of the module that has it.
TEST(Module, NamesWhatAPartWithoutANameHasAsItsOwn) {
  class Group : public Module {
   public:
    Group() {
      add("left", left);
      add("right", right);
    }
    Leaf left, right;
  };
  class Layer : public Module {
   public:
    Layer() { add(group); }
    Group group;
  };
  Layer layer;
  std::vector<std::string> names;
  const auto note = [&](const std::string& name, Parameter& /*p*/) { names.push_back(name); };
  layer.visit(note);
  layer.visit(note, "layers.0");
  EXPECT_EQ(names, (std::vector<std::string>{"left.weight", "right.weight", "layers.0.left.weight",
                                             "layers.0.right.weight"}));
  Tree tree;
  tree.name_streams("layers.0");
  layer.name_streams("layers.0");
  EXPECT_EQ(layer.group.left.stream(), tree.left.stream());
}

TEST(Module, VisitsEveryConstant) {
  Tree tree;
  int constants = 0;
  tree.visit_constants(
      [&](Constant& constant) { constants += constant.shape == Shape{4} ? 1 : 0; });
  EXPECT_EQ(constants, 2);
}

TEST(Module, GivesEveryPathAStreamOfItsOwn) {
  Tree tree;
  tree.name_streams();
  EXPECT_NE(tree.left.stream(), tree.right.stream());
  EXPECT_EQ(tree.left.stream() & 0xFFFU, 0U);  // attention counts heads there
  Tree other;
  other.name_streams();
  EXPECT_EQ(other.left.stream(), tree.left.stream());
  other.name_streams("elsewhere");
  EXPECT_NE(other.left.stream(), tree.left.stream());
}

}  // namespace
}  // namespace yona::testing
