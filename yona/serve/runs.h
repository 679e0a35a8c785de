// Training runs as their folders tell of them: a run writes its events to log.jsonl (the lines of
// `yona train --progress json`), and this reads them back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "yona/base/json.h"

namespace yona::serve {

inline constexpr const char* kRunLog = "log.jsonl";

// Which runs are shown: those of one folder, one of which may be running in this process.
struct RunsPlace {
  std::filesystem::path folder;
  std::string current{};  // its name; empty: none
};

// What a run's log says in the end.
struct RunSummary {
  std::string name;   // of its folder
  std::string model;  // "tiny"
  // "not begun", "running or killed", "finished", "interrupted", "stopped early"
  std::string state;
  std::int64_t update = 0, updates = 0;
  double loss = 0;       // of the last updates; NaN: none yet
  double best_loss = 0;  // of validations; NaN: none yet
  Json figures{};        // of the last validation: {"bleu": 30.1}
  double seconds = 0;
};

struct RunEvents {
  std::vector<Json> events;  // whole lines from the first that was asked for
  std::int64_t next = 0;     // the line to ask for next
};

// Names of the folders in `folder` that hold a run's log, in order; none where there is no such
// folder.
std::vector<std::string> run_names(const std::filesystem::path& folder);

// {"runs": [{"name", "current", "bytes"}, …]}: the one that is running first; `bytes` of its log,
// which grows.
Json runs_json(const RunsPlace& place);

// The events from line `from` on, at most `most`; a line that is not whole yet waits for the next
// time, one that is not JSON is left out. No log: no events.
RunEvents run_events(const std::filesystem::path& run, std::int64_t from, std::int64_t most);

RunSummary run_summary(const std::filesystem::path& run);

}  // namespace yona::serve
