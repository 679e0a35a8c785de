// What classification and masked-lm have in common as tasks: the model's shape and tokeniser (new,
// of the folder that the run starts from, or of the resumed run), records and folders.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "yona/io/encoder_folder.h"
#include "yona/tasks/run_config.h"
#include "yona/text/encoder_tokenizer.h"
#include "yona/text/word_piece_training.h"
#include "yona/train/task.h"

namespace yona {

// The head that a run trains.
struct EncoderHead {
  std::vector<std::string> labels{};  // of classification; empty: masked-lm
  Problem problem = Problem::single_label;
};

class EncoderTask : public Task {
 public:
  std::int64_t width() const override { return config_.bert.d_model; }
  void describe(RunPlan& plan) const override;
  std::string settings(const TrainConfig& train) const override;
  Json record(const TrainConfig& train) const override;
  Differences differences(const RunState& then, const Json& now) const override;
  bool higher_is_better(const std::string& figure) const override { return figure != "loss"; }
  void write_model(const std::filesystem::path& folder,
                   const Parameters& parameters) const override;
  void write_checkpoint(const std::filesystem::path& folder,
                        const Parameters& parameters) const override;
  void read_weights(const std::filesystem::path& folder,
                    const Parameters& parameters) const override;

 protected:
  EncoderTask(RunConfig config, const RunPlace& place)
      : config_(std::move(config)), place_(place) {}

  // Makes model and tokeniser. `count_words` is called where a new vocabulary is made.
  void prepare(const EncoderHead& head, const std::function<void(WordCounts&)>& count_words);

  const RunConfig& config() const { return config_; }
  const RunPlace& place() const { return place_; }
  const EncoderInfo& info() const { return info_; }
  const EncoderTokenizer& tokenizer() const { return *tokenizer_; }

 private:
  RunConfig with_train(const TrainConfig& train) const;
  EncoderInfo started_info(const EncoderHead& head) const;
  void make_vocabulary(const std::function<void(WordCounts&)>& count_words);

  RunConfig config_;
  RunPlace place_;
  EncoderInfo info_;
  std::unique_ptr<EncoderTokenizer> tokenizer_;
};

}  // namespace yona
