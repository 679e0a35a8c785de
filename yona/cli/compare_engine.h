// The engines of `yona bench compare`: each is a process of its own, yona's too, so that memory and
// start are its own. All are spoken to in the same way, by lines:
//
//   (it starts, loads, decodes the first sentence)   → {"event": "first"}
//   run                                              → {"event": "run", "seconds": …}   all
//   sentences end                                              → {"event": "end", "mem_mb": …} and
//   its answers
//
// What to do is in a job file. Sentences are token ids, so that all of them read the same; answers
// are ids and, where asked for, scores, in order.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/cli/child_process.h"
#include "yona/decode/options.h"

namespace yona::cli {

struct CompareJob {
  std::filesystem::path model;
  std::vector<std::vector<std::int32_t>> sources;  // with </s>
  BeamMode mode = BeamMode::paper;
  std::int64_t beam = 4;
  std::int64_t batch = 32;        // sentences decoded together, sorted by length
  std::int64_t max_length = 256;  // output tokens, </s> included
  std::int64_t end_id = 0;
  int threads = 1;
  std::string compute_type = "f32";
  bool scores = true;  // asked for with the tokens
};
Json to_json(const CompareJob& job);
CompareJob job_from(const Json& json);

struct CompareAnswer {
  std::vector<std::int32_t> ids;
  std::optional<double> score{};  // where one was asked for
};

struct EngineResult {
  std::string name;             // "CTranslate2 4.8.4"
  std::string search;           // the rules of its beam search
  double start_s = 0;           // from the process's start to its first sentence
  std::vector<double> seconds;  // of each round
  double mem_mb = 0;            // at its peak
  std::vector<CompareAnswer> answers;

  std::int64_t tokens() const;
};

class CompareEngine {
 public:
  // `command` is what starts it, before the name of its job file, which is written to `folder` with
  // what else it needs. Returns when the first sentence is decoded. Throws Error naming the engine
  // and its last words when it ends instead.
  CompareEngine(std::string name, const std::vector<std::string>& command, const CompareJob& job,
                const std::filesystem::path& folder);

  void warm_up();
  void run();          // once more, timed
  EngineResult end();  // reads its answers

 private:
  Json next(std::string_view event);

  std::filesystem::path answers_;
  EngineResult result_;
  std::unique_ptr<ChildProcess> process_;
};

// yona's own side of the talk: the process behind `yona bench compare --worker JOB`.
int run_compare_worker(const std::filesystem::path& job_file);

}  // namespace yona::cli
