#include "yona/train/rank_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "yona/train/run_record.h"
#include "yona/train/run_state.h"
#include "yona/train/train_keys.h"

namespace yona {

namespace {

// valid_metrics and best_by are words that the task knows; here any are.
MetricNames any_metrics(const TrainConfig& train) {
  MetricNames names;
  names.names = train.valid_metrics;
  names.names.push_back(train.best_by);
  return names;
}

ConfigNode node_of(const Json& json) {
  if (!json.is_array()) {
    return ConfigNode::scalar(json.get<std::string>());
  }
  ConfigNode node;
  node.kind = ConfigNode::Kind::list;
  for (const Json& item : json) {
    node.items.push_back(node_of(item));
  }
  return node;
}

}  // namespace

Json json_of(const TrainConfig& train) {
  Json values = Json::object();
  for (const ConfigKey<TrainConfig>& key : train_keys(any_metrics(train))) {
    values["train." + key.name] = json_of(key.get(train));
  }
  return values;
}

std::string RankStart::to_text() const {
  Json json{{"train", json_of(train)},
            {"init", init.string()},
            {"epoch", position.epoch},
            {"batch", position.index},
            {"record", record}};
  if (checkpoint) {
    json["checkpoint"] = *checkpoint;
  }
  if (passes) {
    json["passes"] = *passes;
  }
  return json.dump();
}

RankStart RankStart::from_text(const std::string& text) {
  const Json json = Json::parse(text);
  RankStart start;
  start.train.valid_metrics = json.at("train").at("train.valid_metrics");
  start.train.best_by = json.at("train").at("train.best_by");
  for (const ConfigKey<TrainConfig>& key : train_keys(any_metrics(start.train))) {
    key.set(start.train, node_of(json.at("train").at("train." + key.name)),
            {"train." + key.name, "", ""});
  }
  start.init = json.at("init").get<std::string>();
  start.position = {json.at("epoch"), json.at("batch")};
  start.record = json.at("record");
  if (json.contains("checkpoint")) {
    start.checkpoint = json.at("checkpoint");
  }
  if (json.contains("passes")) {
    start.passes = json.at("passes");
  }
  return start;
}

std::filesystem::path begun_folder(const std::filesystem::path& run) { return run / ".begun"; }

std::string differences_between(const Json& first, const Json& own, const Task& task,
                                const Examples& examples) {
  RunState leader;
  leader.record = first;
  Differences found = task.differences(leader, own);
  std::vector<std::string> all = found.fixed;
  all.insert(all.end(), found.changes.begin(), found.changes.end());
  for (const auto& [name, value] : own.at("platform").items()) {
    if (const Json there = first.at("platform").value(name, Json()); there != value) {
      all.push_back(change(name, there, value));
    }
  }
  if (validation_differs(first, own)) {
    all.emplace_back("the files of the validation set");
  }
  if (all.empty()) {  // else there is a reason for other ids
    all = examples_that_differ(first.at("corpora"), own.at("corpora"), examples.parts()).changes;
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

}  // namespace yona
