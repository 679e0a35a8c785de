// A model folder for tests of what is built on a trained model: one layer, trained for a moment on
// the built-in data. It ends its sentences and its outputs differ; they need not be right.
#pragma once

#include <string>
#include <vector>

#include "yona/data/builtin/generator.h"
#include "yona/tasks/train.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {

class SmallModel {
 public:
  explicit SmallModel(std::uint64_t seed = 1) {
    builtin::Generator generator({.seed = 5}, builtin::Split::train);
    std::string english;
    std::string german;
    for (int i = 0; i < 300; ++i) {
      const auto [source, target] = generator.next_pair();
      lines_.push_back(source);
      english += source + "\n";
      german += target + "\n";
    }
    write_bytes(folder_ / "train.en", english);
    write_bytes(folder_ / "train.de", german);
    train(config(seed), {.output = folder_ / "run", .init = {}});
  }

  std::filesystem::path path() const { return folder_ / "run"; }
  const std::vector<std::string>& lines() const { return lines_; }  // English sentences it has seen

 private:
  RunConfig config(std::uint64_t seed) const {
    RunConfig config;
    config.model = preset("tiny");
    config.model.encoder_layers = config.model.decoder_layers = 1;
    config.model.d_model = 32;
    config.model.max_positions = 40;
    CorpusSpec corpus;
    corpus.source_files = {folder_ / "train.en"};
    corpus.target_files = {folder_ / "train.de"};
    config.data.corpora = {corpus};
    config.data.vocabulary_size = 420;
    config.data.source_language = "en";
    config.data.target_language = "de";
    config.train.updates = 60;
    config.train.seed = seed;
    config.train.batch_tokens = 500;
    config.train.tensorboard = false;
    config.train.schedule = {
        .kind = ScheduleKind::constant, .rate = 3e-3, .warmup = 5, .final_rate = 0};
    return config;
  }

  TempDir folder_;
  std::vector<std::string> lines_;
};

}  // namespace yona::testing
