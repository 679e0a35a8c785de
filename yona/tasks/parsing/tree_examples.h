// Trees to learn from: the words of a sentence as sub-words, and the symbols of its tree.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yona/data/examples.h"
#include "yona/text/pair_encoder.h"
#include "yona/trees/linearise.h"
#include "yona/trees/substitution.h"

namespace yona {

struct TreeExamplesOptions {
  std::string name = "train";
  LeafSymbol leaves = LeafSymbol::tag;
  std::int64_t max_length = 512;  // of a side, </s> included
  double sampling = 0.0;          // of the words' sub-words, drawn again each epoch; 0: off
  double substitution = 0.0;      // see TreeSubstitution; 0: off
};

class TreeExamples : public Examples {
 public:
  // Throws InvalidArgument where no tree is short enough.
  TreeExamples(std::vector<Tree> trees, const PairEncoder& encoder, TreeExamplesOptions options);

  // Trees that were longer than max_length.
  std::int64_t left_out() const { return left_out_; }

  // What is drawn comes out longer than the trees as they are by a factor that is measured; it is
  // applied here.
  Lengths lengths(std::uint64_t example) const override;
  // An example whose draw would make a side longer than max_length, or than `batch_tokens` together
  // with the others, is given as it is.
  void fill(std::span<const std::uint32_t> examples, std::int64_t batch_tokens, const Draw& draw,
            Batch& batch) const override;

 private:
  struct Ids {
    std::vector<std::int32_t> source, target;
  };

  bool draws() const { return options_.sampling > 0 || options_.substitution > 0; }
  Ids encoded(const Tree& tree) const;
  Ids drawn(std::uint64_t example, std::uint64_t key) const;
  bool is_short(const Ids& ids) const;
  void keep_short();
  void measure_expansion();

  std::vector<Tree> trees_;
  PairEncoder encoder_;
  TreeExamplesOptions options_;
  std::unique_ptr<TreeSubstitution> substitution_;
  std::vector<Ids> ids_;                // as they are
  std::vector<std::uint64_t> numbers_;  // of the trees in the treebank
  std::int64_t left_out_ = 0;
  double expansion_ = 1;
};

}  // namespace yona
