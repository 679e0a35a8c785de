#include "yona/tasks/language_model/task.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/data/cache_key.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/io/causal_lm/lm_weights.h"
#include "yona/io/json_file.h"
#include "yona/tasks/language_model/samples.h"
#include "yona/tasks/language_model/validation.h"
#include "yona/tasks/task_record.h"

namespace yona {

namespace {

Json recorded_shape(const CausalLmConfig& config) {
  Json shape = Json::object();
  for (const ConfigKey<CausalLmConfig>& field : causal_lm_fields()) {
    if (field.on_resume == OnResume::fixed) {
      shape[field.name] = field.get(config).text;
    }
  }
  return shape;
}

}  // namespace

LanguageModelTask::LanguageModelTask(RunConfig config, const RunPlace& place)
    : config_(std::move(config)),
      place_(place),
      files_(recorded_files(config_.language_model.data.train)),
      model_(prepare_lm(config_, place_)) {
  config_.language_model.model = model_.description.config;
  check(context() <= model_.description.config.max_positions,
        "data.context: {} is more than the model's {} positions", context(),
        model_.description.config.max_positions);
}

std::int64_t LanguageModelTask::context() const {
  const std::int64_t given = config_.language_model.data.context;
  return given > 0 ? given : model_.description.config.max_positions;
}

std::unique_ptr<Objective> LanguageModelTask::make_objective() const {
  return std::make_unique<LmObjective>(model_.description.config, config_.train.label_smoothing,
                                       context());
}

void LanguageModelTask::describe(RunPlan& plan) const {
  plan.example_name = "windows of text";
  plan.model =
      place_.init.empty() ? config_.preset : std::string(model_type(model_.description.family));
  plan.input_vocabulary = plan.output_vocabulary = model_.description.config.vocabulary;
}

RunConfig LanguageModelTask::with_train(const TrainConfig& train) const {
  RunConfig config = config_;
  config.train = train;
  return config;
}

std::string LanguageModelTask::settings(const TrainConfig& train) const {
  return to_yaml(with_absolute_paths(with_train(train)));
}

Json LanguageModelTask::record(const TrainConfig& train) const {
  Json record = Json::object();
  record["corpora"] = Json::array({Json{{"files", files_}}});
  record["model"] = recorded_shape(model_.description.config);
  record["subwords"] = fmt::format("{:016x}", checksum(model_.tokenizer_identity));
  if (!config_.language_model.data.valid.empty()) {
    record["valid"] = recorded_files({config_.language_model.data.valid});
  }
  record["settings"] = recorded_settings(with_train(train));
  return record;
}

Differences LanguageModelTask::differences(const RunState& then, const Json& now) const {
  try {
    Differences found =
        settings_that_differ(then.record.at("settings"), now.at("settings"), config_.task);
    for (std::string& change : changed_files(then.record.at("corpora").at(0).at("files"),
                                             now.at("corpora").at(0).at("files"),
                                             config_.language_model.data.train, "train")) {
      found.changes.push_back(std::move(change));
    }
    found += parts_that_differ(then.record.at("model"), now.at("model"));
    if (then.record.at("subwords") != now.at("subwords")) {
      found.fixed.emplace_back("the tokeniser in the run's folder: changed");
    }
    return found;
  } catch (const Json::exception& error) {
    fail<FormatError>("state.json: not the record of a run: {}", error.what());
  }
}

std::filesystem::path LanguageModelTask::cache_folder() const {
  const std::filesystem::path& given = config_.language_model.data.cache;
  std::filesystem::path folder = given.empty() ? place_.output / "cache" : given;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  check<IoError>(!error, "{}: cannot make the cache folder: {}", folder.string(), error.message());
  return folder;
}

LmTextOptions LanguageModelTask::text_options() const {
  const LmDataConfig& data = config_.language_model.data;
  return {.name = "train",
          .files = data.train,
          .unit = data.documents,
          .packing = data.packing,
          .context = context(),
          .start_id = static_cast<std::int32_t>(model_.description.config.start_id),
          .end_id = model_.tokenizer.end(),
          .tokenizer_identity = model_.tokenizer_identity};
}

std::shared_ptr<const Examples> LanguageModelTask::open_training() {
  auto text = std::make_shared<const LmText>(
      LmText::open(text_options(), model_.tokenizer, cache_folder(), *place_.backend.exec().pool));
  place_.reporter.message(
      MessageLevel::info,
      fmt::format("train: {} bytes of text, {} tokens in {} examples of up to {}", text->bytes(),
                  text->tokens(), text->count(), context()));
  return text;
}

std::vector<std::unique_ptr<Evaluation>> LanguageModelTask::open_evaluations(
    Objective& /*objective*/, const TrainConfig& train) {
  std::vector<std::unique_ptr<Evaluation>> sets;
  if (config_.language_model.data.valid.empty()) {
    return sets;
  }
  LmTextOptions options = text_options();
  options.name = "valid";
  options.files = {config_.language_model.data.valid};
  options.draws_start = false;
  const LmText text =
      LmText::open(options, model_.tokenizer, cache_folder(), *place_.backend.exec().pool);
  sets.push_back(std::make_unique<LmValidation>("valid", text,
                                                std::max<std::int64_t>(train.batch_tokens, 1024)));
  return sets;
}

std::unique_ptr<Sampler> LanguageModelTask::open_samples(Objective& objective) {
  if (config_.language_model.data.valid.empty()) {
    return nullptr;
  }
  return std::make_unique<LmSamples>(config_.language_model.data, model_.tokenizer, place_.samples,
                                     dynamic_cast<LmObjective&>(objective).model(), place_.backend);
}

double LanguageModelTask::passes(const Examples& examples) const {
  const double passes = worthwhile_text_passes(examples);
  return config_.language_model.data.valid.empty() ? std::min(passes, 10.0) : passes;
}

bool LanguageModelTask::higher_is_better(const std::string& /*figure*/) const { return false; }

void LanguageModelTask::write_model(const std::filesystem::path& folder,
                                    const Parameters& parameters) const {
  write_language_model(folder, model_.description, model_.config, parameters, parameters.weights());
}

void LanguageModelTask::write_checkpoint(const std::filesystem::path& folder,
                                         const Parameters& parameters) const {
  write_json(folder / "config.json", model_.config);
  write_lm_weights(folder / "model.safetensors", model_.description, parameters,
                   parameters.weights());
}

void LanguageModelTask::read_weights(const std::filesystem::path& folder,
                                     const Parameters& parameters) const {
  read_lm_weights(folder, read_lm_description(folder), parameters);
}

}  // namespace yona
