#include "yona/tasks/parsing/parsing_model.h"

#include <gtest/gtest.h>

#include "yona/trees/tree_reader.h"

namespace yona {
namespace {

TEST(SymbolVocabulary, HasEachSymbolOnceBetweenTheSpecialOnes) {
  const std::vector<Tree> trees{tree_of("(S (NP (DT the) (NN cat)))"), tree_of("(NP (NN dogs))")};
  const Vocabulary tags = symbol_vocabulary(trees, LeafSymbol::tag);
  EXPECT_EQ(tags, Vocabulary({"</s>", "<unk>", "(NP", "(S", ")NP", ")S", "DT", "NN", "<pad>"}));
  const Vocabulary plain = symbol_vocabulary(trees, LeafSymbol::placeholder);
  EXPECT_EQ(plain, Vocabulary({"</s>", "<unk>", "(NP", "(S", ")NP", ")S", "XX", "<pad>"}));
}

}  // namespace
}  // namespace yona
