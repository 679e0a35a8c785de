#include "yona/tasks/parsing/task.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/data/cache_key.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/tasks/parsing/tree_validation.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"
#include "yona/tasks/task_record.h"
#include "yona/trees/treebank.h"

namespace yona {

namespace {

std::vector<Tree> read_validation(const std::filesystem::path& path) {
  return path.empty() ? std::vector<Tree>() : read_treebank({path});
}

std::string recorded_symbols(const SubwordPair& subwords) {
  const std::uint64_t sum =
      checksum(subwords.target.vocabulary().to_json(), checksum(subwords.source.model()));
  return fmt::format("{:016x}", sum);
}

const SequenceModel& parser_of(Objective& objective) {
  return dynamic_cast<Seq2SeqObjective&>(objective).model();
}

}  // namespace

ParsingTask::ParsingTask(RunConfig config, const RunPlace& place)
    : config_(std::move(config)),
      place_(place),
      trees_(read_treebank(config_.parsing.train)),
      valid_(read_validation(config_.parsing.valid)),
      model_(prepare_parsing_model(config_, place_, trees_)) {
  config_.model = model_.info.config;
}

std::unique_ptr<Objective> ParsingTask::make_objective() const {
  return std::make_unique<Seq2SeqObjective>(
      config_.model,
      Seq2SeqLoss{.label_smoothing = config_.train.label_smoothing, .rdrop = config_.train.rdrop});
}

void ParsingTask::describe(RunPlan& plan) const {
  plan.example_name = "trees";
  plan.model = config_.preset;
  plan.input_vocabulary = config_.model.source_vocabulary;
  plan.output_vocabulary = config_.model.target_vocabulary;
}

RunConfig ParsingTask::with_train(const TrainConfig& train) const {
  RunConfig config = config_;
  config.train = train;
  return config;
}

std::string ParsingTask::settings(const TrainConfig& train) const {
  return to_yaml(with_absolute_paths(with_train(train)));
}

Json ParsingTask::record(const TrainConfig& train) const {
  Json record = Json::object();
  record["corpora"] =
      Json::array({{{"name", "train"}, {"files", recorded_files(config_.parsing.train)}}});
  record["symbols"] = recorded_symbols(model_.encoder.subwords());
  if (!config_.parsing.valid.empty()) {
    record["valid"] = recorded_files({config_.parsing.valid});
  }
  record["settings"] = recorded_settings(with_train(train));
  return record;
}

Differences ParsingTask::differences(const RunState& then, const Json& now) const {
  try {
    Differences found =
        settings_that_differ(then.record.at("settings"), now.at("settings"), config_.task);
    for (std::string& change :
         changed_files(then.record.at("corpora").at(0).at("files"),
                       now.at("corpora").at(0).at("files"), config_.parsing.train, "train")) {
      found.changes.push_back(std::move(change));
    }
    if (then.record.at("symbols") != now.at("symbols")) {
      found.fixed.emplace_back("the sub-words or symbols in the run's folder: changed");
    }
    return found;
  } catch (const Json::exception& error) {
    fail<FormatError>("state.json: not the record of a parsing run: {}", error.what());
  }
}

std::shared_ptr<const Examples> ParsingTask::open_training() {
  const ParsingConfig& data = config_.parsing;
  auto examples = std::make_shared<const TreeExamples>(
      trees_, model_.encoder,
      TreeExamplesOptions{.name = "train",
                          .leaves = data.leaves,
                          .max_length = std::min(data.max_length, config_.model.max_positions),
                          .sampling = data.sampling,
                          .substitution = data.substitution});
  place_.reporter.message(MessageLevel::info,
                          fmt::format("train: {}, {} of them too long",
                                      counted(trees_.size(), "tree"), examples->left_out()));
  return examples;
}

std::vector<std::unique_ptr<Evaluation>> ParsingTask::open_evaluations(Objective& objective,
                                                                       const TrainConfig& train) {
  std::vector<std::unique_ptr<Evaluation>> evaluations;
  if (!valid_.empty()) {
    evaluations.push_back(std::make_unique<TreeValidation>(
        valid_, model_.encoder, parser_of(objective), place_.backend,
        TreeValidation::Options{.figures = train.valid_metrics,
                                .leaves = config_.parsing.leaves,
                                .batch_tokens = std::max<std::int64_t>(train.batch_tokens, 1024)}));
  }
  return evaluations;
}

std::unique_ptr<Sampler> ParsingTask::open_samples(Objective& objective) {
  if (valid_.empty()) {
    return nullptr;
  }
  return std::make_unique<TreeSamples>(valid_, model_.encoder, place_.samples, parser_of(objective),
                                       place_.backend);
}

void ParsingTask::write_model(const std::filesystem::path& folder,
                              const Parameters& parameters) const {
  yona::write_model(folder, model_.info, model_.encoder.subwords(), parameters,
                    parameters.weights());
}

void ParsingTask::write_checkpoint(const std::filesystem::path& folder,
                                   const Parameters& parameters) const {
  write_json(folder / "config.json", model_config(model_.info));
  write_weights(folder / "model.safetensors", model_.info, parameters, parameters.weights());
}

void ParsingTask::read_weights(const std::filesystem::path& folder,
                               const Parameters& parameters) const {
  yona::read_weights(folder, parameters);
}

void check_parsing_start(const RunConfig& /*config*/, const std::filesystem::path& init) {
  check(init.empty(), "train: --init {}: the task parsing begins with a new model; leave it out",
        init.string());
}

}  // namespace yona
