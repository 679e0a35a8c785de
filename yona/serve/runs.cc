#include "yona/serve/runs.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

namespace yona::serve {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

double number_of(const Json& event, const char* field, double fallback) {
  const auto found = event.find(field);
  return found != event.end() && found->is_number() ? found->get<double>() : fallback;
}

std::string text_of(const Json& event, const char* field) {
  const auto found = event.find(field);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

bool flag_of(const Json& event, const char* field) {
  const auto found = event.find(field);
  return found != event.end() && found->is_boolean() && found->get<bool>();
}

// A line of the log; null when it is not JSON, or deeper than any event is.
Json event_of(const std::string& line) {
  try {
    return parse_json(line, kRunLog);
  } catch (const FormatError&) {
    return {};
  }
}

void add_event(const Json& event, RunSummary& run) {
  const std::string kind = text_of(event, "event");
  const auto count = [&](const char* field, std::int64_t fallback) {
    constexpr double kMost = 1e15;  // beyond it a number is not a count
    const double number = number_of(event, field, static_cast<double>(fallback));
    return number >= 0 && number <= kMost ? static_cast<std::int64_t>(number) : fallback;
  };
  if (kind == "started") {
    run.model = text_of(event, "model");
    run.updates = count("updates", 0);
    run.state = "running or killed";
  } else if (kind == "update") {
    run.update = count("update", run.update);
    run.updates = count("updates", run.updates);
    run.loss = number_of(event, "loss", run.loss);
    run.seconds = number_of(event, "seconds", run.seconds);
  } else if (kind == "valid") {
    run.best_loss = std::fmin(run.best_loss, number_of(event, "loss", run.best_loss));
    for (const char* name : {"bleu", "chrf", "ter"}) {
      if (event.contains(name)) {
        run.figures[name] = event[name];
      }
    }
  } else if (kind == "finished") {
    run.update = count("updates", run.update);
    run.seconds = number_of(event, "seconds", run.seconds);
    run.state = flag_of(event, "interrupted")     ? "interrupted"
                : flag_of(event, "stopped_early") ? "stopped early"
                                                  : "finished";
  }
}

}  // namespace

std::vector<std::string> run_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (fs::is_regular_file(entry.path() / kRunLog, error)) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Json runs_json(const RunsPlace& place) {
  std::vector<std::string> names = run_names(place.folder);
  std::stable_partition(names.begin(), names.end(),
                        [&](const std::string& name) { return name == place.current; });
  Json runs = Json::array();
  for (const std::string& name : names) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(place.folder / name / kRunLog, error);
    runs.push_back(
        {{"name", name}, {"current", name == place.current}, {"bytes", error ? 0 : bytes}});
  }
  return {{"runs", std::move(runs)}};
}

RunEvents run_events(const fs::path& run, std::int64_t from, std::int64_t most) {
  RunEvents found;
  std::ifstream log(run / kRunLog, std::ios::binary);
  for (std::string line; std::getline(log, line) && !log.eof();) {
    if (found.next++ < from) {
      continue;
    }
    Json event = event_of(line);
    if (event.is_object()) {
      found.events.push_back(std::move(event));
    }
    if (static_cast<std::int64_t>(found.events.size()) >= most) {
      break;
    }
  }
  return found;
}

RunSummary run_summary(const fs::path& run) {
  RunSummary summary;
  summary.name = fs::absolute(run / "x").parent_path().filename().string();
  summary.loss = summary.best_loss = std::numeric_limits<double>::quiet_NaN();
  summary.figures = Json::object();
  summary.state = "not begun";
  for (const Json& event : run_events(run, 0, kAll).events) {
    add_event(event, summary);
  }
  return summary;
}

}  // namespace yona::serve
