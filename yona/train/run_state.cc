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

constexpr int kStateVersion = 2;  // 1, of yona 0.1, has no record

// JSON has no infinity.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double number_or_infinity(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

// The parts of a record, or of what yona 0.1 had for one, are read as these kinds.
void check_record(const Json& record, const std::filesystem::path& file) {
  const auto check_kind = [&](const Json& json, const char* name, auto is_kind) {
    check<FormatError>(!json.contains(name) || is_kind(json.at(name)),
                       "{}: not the state of a run: '{}' cannot be {}", file.string(), name,
                       json.contains(name) ? json.at(name).dump() : "");
  };
  const auto is_object = [](const Json& json) { return json.is_object(); };
  const auto is_string = [](const Json& json) { return json.is_string(); };
  check<FormatError>(record.is_object(), "{}: its record is not an object", file.string());
  check_kind(record, "settings", is_object);
  check_kind(record, "model", is_object);
  check_kind(record, "platform", is_object);
  check_kind(record, "subwords", is_string);
  check_kind(record, "init", is_string);
  check_kind(record, "corpora", [&](const Json& corpora) {
    return corpora.is_array() && std::all_of(corpora.begin(), corpora.end(), [&](const Json& each) {
             return each.is_object() && each.contains("digest") == each.contains("pairs");
           });
  });
  check_kind(record, "valid", [](const Json& files) {
    return files.is_array() && std::all_of(files.begin(), files.end(), [](const Json& each) {
             return each.is_object() && each.contains("bytes") && each.contains("crc64");
           });
  });
  check_kind(record, "train.batch_tokens",
             [](const Json& json) { return json.is_number_integer(); });
  if (record.contains("settings")) {
    check_kind(record.at("settings"), "train.batch_tokens", is_string);
  }
  if (record.contains("platform")) {
    for (const auto& [name, value] : record.at("platform").items()) {
      check_kind(record.at("platform"), name.c_str(), is_string);
    }
  }
}

constexpr std::string_view kAverage = "average";

void write_optimiser(const std::filesystem::path& path, const std::vector<OptimiserState>& states) {
  std::vector<NamedArray> arrays;
  arrays.reserve(states.size());
  for (const OptimiserState& state : states) {
    arrays.push_back({state.name, DType::f32, Shape{static_cast<std::int64_t>(state.values.size())},
                      state.values.data()});
  }
  write_safetensors(path, arrays, {});
}

void read_optimiser(const std::filesystem::path& path, Optimiser& optimiser) {
  const SafetensorsFile file(path, ReadWhen::late);
  const std::int64_t count = optimiser.shards().count();
  for (const auto& [name, tensor] : optimiser.states()) {
    const std::optional<NamedArray> array = file.find(name);
    if (name == kAverage && !array) {  // train.ema was 0 until now
      optimiser.start_average();
      continue;
    }
    check<FormatError>(
        array.has_value() && array->dtype == DType::f32 && array->shape.elements() == count,
        "{}: '{}' is not there with {} numbers: the checkpoint belongs to another model",
        path.string(), name, count);
    for (const Shards::Slice& slice : optimiser.shards().own()) {
      copy_weights(tensor.columns(slice.packed, slice.count()), *array, slice.begin);
    }
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

void RunState::forget_scores() {
  scores.clear();
  best_loss = std::numeric_limits<double>::infinity();
  best_update = bad_validations = 0;
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
  if (higher_is_better) {
    json["higher_is_better"] = true;
  }
  json["scores"] = Json::array();
  for (const auto& [step, score] : scores) {
    json["scores"].push_back({{"update", step}, {best_by, number_or_null(score)}});
  }
  if (interrupted) {
    json["interrupted"] = true;
  }
  json["record"] = record;
  if (!changes.empty()) {
    json["changes"] = changes;
  }
  return json;
}

RunState RunState::from_json(const Json& json, const std::filesystem::path& file) {
  const auto whole_number = [&](const Json& value) {
    check<FormatError>(
        value.is_number_integer() &&
            (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX}),
        "{}: not the state of a run: {} is not a whole number of 64 bits", file.string(),
        value.dump());
    return value.get<std::int64_t>();
  };
  try {
    const std::int64_t version = whole_number(json.at("version"));
    check<FormatError>(version >= 1 && version <= kStateVersion,
                       "{}: made by another version of yona (format {}, this one reads up to {})",
                       file.string(), version, kStateVersion);
    RunState state;
    state.update = whole_number(json.at("update"));
    state.position = {whole_number(json.at("epoch")), whole_number(json.at("batch"))};
    state.best_loss = number_or_infinity(json.at("best_loss"));
    state.best_update = whole_number(json.at("best_update"));
    state.bad_validations = whole_number(json.at("bad_validations"));
    state.best_by = json.value("best_by", "loss");
    const bool is_of_text = state.best_by == "bleu" || state.best_by == "chrf";  // before 0.2
    state.higher_is_better = json.value("higher_is_better", is_of_text);
    state.interrupted = json.value("interrupted", false);
    for (const Json& score : json.at("scores")) {
      state.scores[whole_number(score.at("update"))] = number_or_infinity(score.at(state.best_by));
    }
    if (version == 1) {
      state.same = json.at("same");
      check_record(state.same, file);
    } else {
      state.record = json.at("record");
      check_record(state.record, file);
      state.changes = json.value("changes", std::vector<std::string>());
    }
    return state;
  } catch (const Json::exception& error) {
    fail<FormatError>("{}: not the state of a run: {}", file.string(), error.what());
  }
}

void save_checkpoint(const std::filesystem::path& run, const RunState& state,
                     const std::vector<OptimiserState>& optimiser,
                     const std::function<void(const std::filesystem::path& folder)>& write_model) {
  write_checkpoint(run, state.update, [&](const std::filesystem::path& folder) {
    write_model(folder);
    write_optimiser(folder / "optimizer.safetensors", optimiser);
    write_json(folder / "state.json", state.to_json());
    if (!state.choices.empty()) {
      replace_file(folder / "choices.txt", state.choices);
    }
  });
}

void load_optimiser(const std::filesystem::path& folder, Optimiser& optimiser) {
  read_optimiser(folder / "optimizer.safetensors", optimiser);
}

RunState load_state(const std::filesystem::path& folder) {
  RunState state = RunState::from_json(read_json(folder / "state.json"), folder / "state.json");
  if (std::filesystem::exists(folder / "choices.txt")) {
    std::ifstream file(folder / "choices.txt", std::ios::binary);
    state.choices.assign(std::istreambuf_iterator<char>(file), {});
  }
  return state;
}

}  // namespace yona
