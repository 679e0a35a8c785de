#include "yona/tasks/translation/task.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/io/model_folder.h"
#include "yona/tasks/translation/data_plan.h"
#include "yona/tasks/translation/inputs.h"
#include "yona/tasks/translation/record.h"
#include "yona/tasks/translation/samples.h"

namespace yona {

namespace {

const SequenceModel& model_of(Objective& objective) {
  return dynamic_cast<Seq2SeqObjective&>(objective).model();
}

}  // namespace

TranslationTask::TranslationTask(RunConfig config, const RunPlace& place)
    : config_((check_validation_lines(config), std::move(config))),
      place_(place),
      corpora_(recorded_corpora(config_.data.corpora)),
      model_(prepare_model(config_, place_)) {
  config_.model = model_.info.config;
  if (config_.is_open("data.vocabulary_size") && config_.data.vocabulary_size > 0) {
    // A small corpus may have fewer pieces than were planned: recorded so, the run can be repeated.
    config_.data.vocabulary_size =
        std::min({config_.data.vocabulary_size, config_.model.source_vocabulary,
                  config_.model.target_vocabulary});
  }
  config_.data.max_length = std::min(config_.data.max_length, longest_sentence(config_.model));
}

std::unique_ptr<Objective> TranslationTask::make_objective() const {
  return std::make_unique<Seq2SeqObjective>(
      config_.model,
      Seq2SeqLoss{.label_smoothing = config_.train.label_smoothing, .rdrop = config_.train.rdrop});
}

std::vector<std::string> TranslationTask::constants() const {
  return constant_parameters(yona::describe(model_.info));
}

void TranslationTask::describe(RunPlan& plan) const {
  plan.model = model_.info.family.empty() ? config_.preset : model_.info.family;
  plan.example_name = "sentence pairs";
  plan.input_vocabulary = model_.info.config.source_vocabulary;
  plan.output_vocabulary = model_.info.config.target_vocabulary;
}

RunConfig TranslationTask::with_train(const TrainConfig& train) const {
  RunConfig config = config_;
  config.train = train;
  return config;
}

std::string TranslationTask::settings(const TrainConfig& train) const {
  return to_yaml(with_absolute_paths(with_train(train)));
}

Json TranslationTask::record(const TrainConfig& train) const {
  Json record = Json::object();
  record["corpora"] = corpora_;
  record["model"] = recorded_model(model_.info);
  record["subwords"] = recorded_subwords(model_.encoder);
  if (!config_.data.valid.empty()) {
    const ValidationSet& first = config_.data.valid.front();
    record["valid"] = recorded_files({first.source, first.target});
  }
  record["settings"] = recorded_settings(with_train(train));
  return record;
}

Differences TranslationTask::differences(const RunState& then, const Json& now) const {
  if (then.record.is_null()) {
    return differences_from_0_1(then.same, config_, model_.info);
  }
  Differences found = records_that_differ(then.record, now, config_.data.corpora);
  found += given_subwords_that_differ(config_.data, model_.encoder);
  return found;
}

void TranslationTask::begin() { keep_languages(model_, place_.output); }

std::shared_ptr<const Examples> TranslationTask::open_training() {
  return prepare_training_set(config_, model_.encoder, place_.output, *place_.backend.exec().pool,
                              place_.reporter);
}

std::vector<std::unique_ptr<Evaluation>> TranslationTask::open_evaluations(
    Objective& objective, const TrainConfig& train) {
  if (const std::string reason = choose_family(yona::describe(model_.info)).reason;
      model_.info.family.empty() && !reason.empty()) {
    place_.reporter.message(MessageLevel::warning, reason);
  }
  return prepare_validation(with_train(train), model_.encoder, model_of(objective), place_.output,
                            place_.backend, place_.reporter);
}

std::unique_ptr<Sampler> TranslationTask::open_samples(Objective& objective) {
  if (config_.data.valid.empty()) {
    return nullptr;
  }
  return std::make_unique<Samples>(corpus_of(config_.data.valid.front(), config_.data.corpora),
                                   model_.encoder, place_.samples, model_of(objective),
                                   place_.backend);
}

bool TranslationTask::higher_is_better(const std::string& figure) const {
  return validation_metric(figure, config_.data.target_language)->higher_is_better();
}

void TranslationTask::regularise(double passes) {
  if (config_.is_open("model.dropout") && place_.init.empty()) {
    config_.model.dropout = model_.info.config.dropout = planned_dropout(passes);
  }
}

void TranslationTask::write_model(const std::filesystem::path& folder,
                                  const Parameters& parameters) const {
  yona::write_model(folder, model_.info, model_.encoder.subwords(), parameters,
                    parameters.weights());
}

void TranslationTask::write_checkpoint(const std::filesystem::path& folder,
                                       const Parameters& parameters) const {
  write_json(folder / "config.json", model_config(model_.info));
  write_weights(folder / "model.safetensors", model_.info, parameters, parameters.weights());
}

void TranslationTask::read_weights(const std::filesystem::path& folder,
                                   const Parameters& parameters) const {
  yona::read_weights(folder, parameters);
}

void check_translation(const RunConfig& config, const std::filesystem::path& init) {
  check(!config.data.corpora.empty(),
        "train: there is no training data; give --train-src and --train-tgt, or data.train in the "
        "configuration");
  check(init.empty() || (config.data.source_model.empty() && config.data.target_model.empty()),
        "train: --init {} has its own sub-words; leave out data.source_model and "
        "data.target_model",
        init.string());
  Seq2SeqConfig shape = config.model;  // vocabularies come later
  shape.source_vocabulary = shape.target_vocabulary = 1000;
  check_config(shape);
}

}  // namespace yona
