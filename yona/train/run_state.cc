#include "yona/train/run_state.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/io/atomic_file.h"
#include "yona/io/checkpoints.h"
#include "yona/io/json_file.h"
#include "yona/io/safetensors.h"
#include "yona/io/weight_copy.h"

namespace yona {

namespace {

constexpr int kStateVersion = 1;

// JSON has no infinity.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double number_or_infinity(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

struct NamedState {
  const char* name;
  Tensor tensor;
};

std::vector<NamedState> states_of(const Optimiser& optimiser) {
  std::vector<NamedState> states{{"m", optimiser.m()}, {"v", optimiser.v()}};
  if (optimiser.average()) {
    states.push_back({"average", optimiser.average()});
  }
  return states;
}

void write_optimiser(const std::filesystem::path& path, const Optimiser& optimiser) {
  const std::vector<NamedState> states = states_of(optimiser);
  std::vector<std::vector<float>> host;
  std::vector<NamedArray> arrays;
  host.reserve(states.size());
  for (const NamedState& state : states) {
    host.push_back(state.tensor.to_vector<float>());
    arrays.push_back({state.name, DType::f32, Shape{state.tensor.elements()}, host.back().data()});
  }
  write_safetensors(path, arrays, {});
}

void read_optimiser(const std::filesystem::path& path, const Optimiser& optimiser) {
  const SafetensorsFile file(path, ReadWhen::late);
  for (const NamedState& state : states_of(optimiser)) {
    const std::optional<NamedArray> array = file.find(state.name);
    check<FormatError>(array.has_value() && array->dtype == DType::f32 &&
                           array->shape.elements() == state.tensor.elements(),
                       "{}: '{}' is not there with {} numbers: the checkpoint belongs to another "
                       "model or to other settings of train.ema",
                       path.string(), state.name, state.tensor.elements());
    copy_weights(state.tensor, *array);
  }
}

}  // namespace

std::set<std::int64_t> RunState::to_keep(std::span<const std::int64_t> checkpoints,
                                         std::int64_t best, std::int64_t last) const {
  std::vector<std::pair<double, std::int64_t>> by_cost;
  for (const auto& [step, score] : scores) {
    by_cost.emplace_back(cost(score), step);
  }
  std::sort(by_cost.begin(), by_cost.end());
  by_cost.resize(std::min(by_cost.size(), static_cast<std::size_t>(best)));
  std::set<std::int64_t> keep;
  for (const auto& [cost, step] : by_cost) {
    keep.insert(step);
  }
  const std::size_t count =
      std::min(checkpoints.size(), static_cast<std::size_t>(std::max<std::int64_t>(last, 1)));
  const auto newest = checkpoints.last(count);
  keep.insert(newest.begin(), newest.end());
  return keep;
}

Json RunState::to_json() const {
  Json json;
  json["version"] = kStateVersion;
  json["update"] = update;
  json["epoch"] = position.epoch;
  json["batch"] = position.index;
  json["best_loss"] = number_or_null(best_loss);
  json["best_update"] = best_update;
  json["bad_validations"] = bad_validations;
  json["best_by"] = best_by;
  json["scores"] = Json::array();
  for (const auto& [step, score] : scores) {
    json["scores"].push_back({{"update", step}, {best_by, number_or_null(score)}});
  }
  json["same"] = same;
  return json;
}

RunState RunState::from_json(const Json& json, const std::filesystem::path& file) {
  try {
    check<FormatError>(json.at("version") == kStateVersion,
                       "{}: made by another version of yona (format {}, this one reads {})",
                       file.string(), json.at("version").dump(), kStateVersion);
    RunState state;
    state.update = json.at("update");
    state.position = {json.at("epoch"), json.at("batch")};
    state.best_loss = number_or_infinity(json.at("best_loss"));
    state.best_update = json.at("best_update");
    state.bad_validations = json.at("bad_validations");
    state.best_by = json.value("best_by", "loss");
    for (const Json& score : json.at("scores")) {
      state.scores[score.at("update")] = number_or_infinity(score.at(state.best_by));
    }
    state.same = json.at("same");
    return state;
  } catch (const Json::exception& error) {
    fail<FormatError>("{}: not the state of a run: {}", file.string(), error.what());
  }
}

void save_checkpoint(const std::filesystem::path& run, const RunState& state, const ModelInfo& info,
                     const Parameters& parameters, const Optimiser& optimiser) {
  write_checkpoint(run, state.update, [&](const std::filesystem::path& folder) {
    write_json(folder / "config.json", model_config(info));
    write_weights(folder / "model.safetensors", info, parameters, parameters.weights());
    write_optimiser(folder / "optimizer.safetensors", optimiser);
    write_json(folder / "state.json", state.to_json());
    if (!state.choices.empty()) {
      replace_file(folder / "choices.txt", state.choices);
    }
  });
}

Json settings_that_stay(const RunConfig& config, const ModelInfo& info) {
  Json same;
  same["model"] = to_json(describe(info));
  same["train.seed"] = config.train.seed;
  same["train.batch_tokens"] = config.train.batch_tokens;
  same["train.accumulate"] = config.train.accumulate;
  same["train.ema"] = config.train.ema;
  same["train.freeze"] = config.train.freeze;
  same["train.best_by"] = config.train.best_by;
  return same;
}

void check_same_settings(const RunState& state, const Json& now,
                         const std::filesystem::path& checkpoint) {
  for (const auto& [key, value] : state.same.items()) {
    check(now.contains(key) && now.at(key) == value,
          "{}: {} was {} when the run began and is {} now; resume with the same value, or begin a "
          "new run with --init",
          checkpoint.string(), key, value.dump(),
          now.contains(key) ? now.at(key).dump() : "absent");
  }
}

RunState load_checkpoint(const std::filesystem::path& folder, const Parameters& parameters,
                         const Optimiser& optimiser) {
  RunState state = RunState::from_json(read_json(folder / "state.json"), folder / "state.json");
  read_weights(folder, parameters);
  read_optimiser(folder / "optimizer.safetensors", optimiser);
  if (std::filesystem::exists(folder / "choices.txt")) {
    std::ifstream file(folder / "choices.txt", std::ios::binary);
    state.choices.assign(std::istreambuf_iterator<char>(file), {});
  }
  return state;
}

}  // namespace yona
