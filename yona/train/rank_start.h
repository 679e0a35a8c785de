// What rank 0 tells the other ranks when it is ready to train: they begin where it does, from files
// that it has written.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "yona/base/json.h"
#include "yona/data/batch_stream.h"
#include "yona/io/checkpoints.h"
#include "yona/train/run_record.h"
#include "yona/train/task.h"
#include "yona/train/train_config.h"

namespace yona {

struct RankStart {
  TrainConfig train;                         // as it was planned
  std::optional<std::int64_t> checkpoint{};  // that the run resumes from
  std::filesystem::path init{};
  std::optional<double> passes{};  // planned over the data: Task::regularise()
  BatchPosition position{};
  Json record;

  std::string to_text() const;
  static RankStart from_text(const std::string& text);
};

// Settings as rank_start compares them: every key of train.* and its value.
Json json_of(const TrainConfig& train);

// The model as it was before the first update, in a folder that is there while ranks begin.
std::filesystem::path begun_folder(const std::filesystem::path& run);

// How this rank's record differs from that of rank 0; "" where it does not.
std::string differences_between(const Json& first, const Json& own, const Task& task,
                                const Examples& examples);

}  // namespace yona
