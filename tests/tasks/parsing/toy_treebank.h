// A small treebank and a parsing run that takes a moment.
#pragma once

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "yona/base/random.h"
#include "yona/tasks/task_kind.h"
#include "yona/tasks/train.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {

class ToyTreebank : public ::testing::Test {
 protected:
  explicit ToyTreebank(int train = 200, int valid = 20) {
    RandomSequence random(7);
    write_bytes(folder_ / "train.mrg", trees(random, train));
    write_bytes(folder_ / "valid.mrg", trees(random, valid));
  }

  static std::string noun_phrase(RandomSequence& random) {
    constexpr std::array<const char*, 3> kArticles{"the", "a", "this"};
    constexpr std::array<const char*, 5> kNouns{"cat", "dog", "tree", "house", "farmer"};
    return std::string("(NP-SBJ (DT ") + kArticles[random.below(3)] + ") (NN " +
           kNouns[random.below(5)] + "))";
  }
  static std::string trees(RandomSequence& random, int count) {
    constexpr std::array<const char*, 4> kVerbs{"sees", "likes", "hears", "finds"};
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "( (S " + noun_phrase(random) + "\n    (VP (VBZ " + kVerbs[random.below(4)] + ") " +
              noun_phrase(random);
      text += random.below(2) == 0 ? "" : " (PP (IN near) " + noun_phrase(random) + ")";
      text += ") (. .)))\n";
    }
    return text;
  }

  RunConfig config() const {
    RunConfig config = resolve_config("", {{"task", "parsing", "--task"}});
    config.given.reset();  // every value counts as given
    config.model.encoder_layers = config.model.decoder_layers = 1;
    config.model.d_model = 32;
    config.model.d_ff = 48;
    config.model.attention_dropout = 0.1;
    config.parsing.train = {folder_ / "train.mrg"};
    config.parsing.valid = folder_ / "valid.mrg";
    config.parsing.vocabulary_size = 340;
    config.parsing.sampling = 0.1;
    config.parsing.substitution = 0.1;
    config.train.updates = 12;
    config.train.batch_tokens = 300;
    config.train.save_every = 4;
    config.train.valid_every = 4;
    config.train.schedule.warmup = 10;
    config.train.tensorboard = false;
    return config;
  }

  TempDir folder_;
};

}  // namespace yona::testing
