#include "yona/cli/compare_engine.h"

#include <numeric>

#include "yona/base/error.h"
#include "yona/base/timing.h"
#include "yona/io/atomic_file.h"
#include "yona/io/json_file.h"

namespace yona::cli {

Json to_json(const CompareJob& job) {
  return {{"model", job.model.string()},
          {"sources", job.sources},
          {"mode", name_of(job.mode)},
          {"beam", job.beam},
          {"batch", job.batch},
          {"max_length", job.max_length},
          {"end_id", job.end_id},
          {"threads", job.threads},
          {"compute_type", job.compute_type},
          {"scores", job.scores}};
}

CompareJob job_from(const Json& json) {
  CompareJob job;
  job.model = json.at("model").get<std::string>();
  json.at("sources").get_to(job.sources);
  job.mode = beam_mode(json.at("mode").get<std::string>());
  json.at("beam").get_to(job.beam);
  json.at("batch").get_to(job.batch);
  json.at("max_length").get_to(job.max_length);
  json.at("end_id").get_to(job.end_id);
  json.at("threads").get_to(job.threads);
  json.at("compute_type").get_to(job.compute_type);
  json.at("scores").get_to(job.scores);
  return job;
}

std::int64_t EngineResult::tokens() const {
  return std::accumulate(answers.begin(), answers.end(), std::int64_t{0},
                         [](std::int64_t sum, const CompareAnswer& answer) {
                           return sum + static_cast<std::int64_t>(answer.ids.size());
                         });
}

CompareEngine::CompareEngine(std::string name, const std::vector<std::string>& command,
                             const CompareJob& job, const std::filesystem::path& folder)
    : answers_(folder / "answers.json") {
  result_.name = std::move(name);
  result_.search = name_of(job.mode);
  std::filesystem::create_directories(folder);
  Json json = to_json(job);
  json["answers"] = answers_.string();
  json["folder"] = folder.string();
  replace_file(folder / "job.json", json.dump());
  std::vector<std::string> arguments = command;
  arguments.push_back((folder / "job.json").string());
  const Clock::time_point start = Clock::now();
  process_ = std::make_unique<ChildProcess>(arguments);
  next("first");
  result_.start_s = seconds_since(start);
}

// Other lines are what libraries print.
Json CompareEngine::next(std::string_view event) {
  std::string last;
  while (const std::optional<std::string> line = process_->read_line()) {
    Json json = Json::parse(*line, nullptr, false);
    if (json.is_object() && json.value("event", "") == event) {
      return json;
    }
    last = *line;
  }
  const int code = process_->wait();
  fail<Error>("{} ended with code {}{}", result_.name, code, last.empty() ? "" : ": " + last);
}

void CompareEngine::warm_up() {
  process_->write_line("run");
  next("run");
}

void CompareEngine::run() {
  process_->write_line("run");
  result_.seconds.push_back(next("run").at("seconds").get<double>());
}

EngineResult CompareEngine::end() {
  process_->write_line("end");
  result_.mem_mb = next("end").at("mem_mb").get<double>();
  process_->wait();
  for (const Json& answer : read_json(answers_)) {
    CompareAnswer& read = result_.answers.emplace_back();
    answer.at("ids").get_to(read.ids);
    if (const auto score = answer.find("score"); score != answer.end()) {
      read.score = score->get<double>();
    }
  }
  return std::move(result_);
}

}  // namespace yona::cli
