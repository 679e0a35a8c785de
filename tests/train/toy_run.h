// A training run that takes a moment: the built-in data and a model of one narrow layer.
#pragma once

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "yona/data/builtin/generator.h"
#include "yona/tasks/train.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {

class ToyRun : public ::testing::Test {
 protected:
  explicit ToyRun(int train_lines = 400, int valid_lines = 40) {
    builtin::Generator generator({.seed = 5}, builtin::Split::train);
    write("train", generator, train_lines);
    write("valid", generator, valid_lines);
  }

  void write(const std::string& name, builtin::Generator& generator, int count) {
    std::ofstream en(folder_ / (name + ".en"));
    std::ofstream de(folder_ / (name + ".de"));
    for (int i = 0; i < count; ++i) {
      const auto [source, target] = generator.next_pair();
      en << source << '\n';
      de << target << '\n';
    }
  }

  RunConfig config() const {
    RunConfig config;
    config.preset = "tiny";
    config.model = preset("tiny");
    config.model.encoder_layers = config.model.decoder_layers = 1;
    config.model.d_model = 32;
    config.model.d_ff = 48;
    config.model.dropout = 0.2;
    config.model.attention_dropout = 0.1;
    CorpusSpec corpus;
    corpus.source_files = {folder_ / "train.en"};
    corpus.target_files = {folder_ / "train.de"};
    config.data.corpora = {corpus};
    config.data.valid = {
        {.name = "valid", .source = folder_ / "valid.en", .target = folder_ / "valid.de"}};
    config.data.vocabulary_size = 420;
    config.train.updates = 12;
    config.train.batch_tokens = 300;
    config.train.accumulate = 2;
    config.train.save_every = 4;
    config.train.valid_every = 6;
    config.train.schedule.warmup = 10;
    config.train.tensorboard = false;
    return config;
  }

  TempDir folder_;
};

}  // namespace yona::testing
