#include "yona/tasks/encoder/encoder_task.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/io/encoder_tokenizer_files.h"
#include "yona/io/folder_update.h"
#include "yona/io/json_file.h"
#include "yona/io/trained_folder.h"
#include "yona/tasks/encoder/encoder_keys.h"
#include "yona/tasks/seq2seq/run_files.h"
#include "yona/tasks/task_record.h"

namespace yona {

namespace {

// Enough for a small model; BERT's own size for the published ones.
std::int64_t default_word_pieces(const BertConfig& config) {
  return config.d_model <= 256 ? 8000 : 30000;
}

void set_dropout(const BertConfig& from, BertConfig& to) {
  to.dropout = from.dropout;
  to.attention_dropout = from.attention_dropout;
  to.classifier_dropout = from.classifier_dropout;
}

void set_head(const EncoderHead& head, EncoderInfo& info) {
  info.labels = head.labels;
  info.problem = head.problem;
  info.config.labels = static_cast<std::int64_t>(head.labels.size());
  info.config.masked_lm = head.labels.empty();
  if (info.config.masked_lm) {  // nothing is classified
    info.config.pooler = Pooler::none;
    info.config.text_vector = TextVector::first;
  }
}

}  // namespace

// The shape is that of the folder, dropout is this run's.
EncoderInfo EncoderTask::started_info(const EncoderHead& head) const {
  EncoderInfo info = read_encoder_info(place_.init);
  set_dropout(config_.bert, info.config);
  if (info.original_config.empty()) {  // yona's own: the run says what is classified
    info.config.text_vector = config_.bert.text_vector;
    info.config.pooler = config_.bert.pooler;
  } else if (const EncoderFamily* family = find_encoder_family(info.family); family != nullptr) {
    info.config.pooler = family->pooler;
  }
  set_head(head, info);
  if (info.original_config.empty()) {
    info.family = choose_encoder_family(info.config).family;
  }
  return info;
}

void EncoderTask::make_vocabulary(const std::function<void(WordCounts&)>& count_words) {
  BertNormalisation normalisation;
  normalisation.lower_case = normalisation.strip_accents = config_.texts.lower_case;
  WordCounts words(normalisation);
  count_words(words);
  const std::int64_t size = config_.texts.vocabulary_size > 0 ? config_.texts.vocabulary_size
                                                              : default_word_pieces(config_.bert);
  const std::vector<std::string> pieces = train_word_pieces(words, size);
  place_.reporter.message(MessageLevel::info,
                          fmt::format("trained WordPiece: {}", counted(pieces.size(), "piece")));
  remove_old_model(place_);
  write_word_piece_files(place_.output, pieces, normalisation, config_.bert.max_positions);
  info_.config.vocabulary = static_cast<std::int64_t>(pieces.size());
}

void EncoderTask::prepare(const EncoderHead& head,
                          const std::function<void(WordCounts&)>& count_words) {
  if (place_.checkpoint) {
    info_ = read_encoder_info(place_.checkpoint->path);
    set_dropout(config_.bert, info_.config);
  } else if (!place_.init.empty()) {
    info_ = started_info(head);
    remove_old_model(place_);
    if (place_.init != place_.output) {
      copy_tokenizer_files(place_.init, place_.output);
    }
  } else {
    info_.config = config_.bert;
    set_head(head, info_);
    make_vocabulary(count_words);
    const EncoderChoice choice = choose_encoder_family(info_.config);
    info_.family = choice.family;
    if (!choice.reason.empty()) {
      place_.reporter.message(MessageLevel::info, choice.reason);
    }
  }
  check_config(info_.config);
  tokenizer_ = std::make_unique<EncoderTokenizer>(load_encoder_tokenizer(place_.output, info_));
  config_.bert = info_.config;
}

void EncoderTask::describe(RunPlan& plan) const {
  plan.example_name = "texts";
  plan.model = place_.init.empty() && info_.original_config.empty() ? config_.preset : info_.family;
  plan.input_vocabulary = plan.output_vocabulary = info_.config.vocabulary;
}

RunConfig EncoderTask::with_train(const TrainConfig& train) const {
  RunConfig config = config_;
  config.train = train;
  return config;
}

std::string EncoderTask::settings(const TrainConfig& train) const {
  return to_yaml(with_absolute_paths(with_train(train)));
}

Json EncoderTask::record(const TrainConfig& train) const {
  Json record = Json::object();
  record["files"] = recorded_files(config_.texts.train);
  record["labels"] = info_.labels;
  record["tokenizer"] = tokenizer_identity(place_.output);
  if (!config_.texts.valid.empty()) {
    record["valid"] = recorded_files({config_.texts.valid});
  }
  record["settings"] = recorded_settings(with_train(train));
  return record;
}

Differences EncoderTask::differences(const RunState& then, const Json& now) const {
  try {
    const Json& before = then.record;
    Differences found =
        settings_that_differ(before.at("settings"), now.at("settings"), config_.task);
    for (std::string& change :
         changed_files(before.at("files"), now.at("files"), config_.texts.train, "train")) {
      found.changes.push_back(std::move(change));
    }
    if (before.at("tokenizer") != now.at("tokenizer")) {
      found.fixed.emplace_back("the tokeniser's files in the run's folder: changed");
    }
    return found;
  } catch (const Json::exception& error) {
    fail<FormatError>("state.json: not the record of a run of the task {}: {}", config_.task,
                      error.what());
  }
}

void EncoderTask::write_model(const std::filesystem::path& folder,
                              const Parameters& parameters) const {
  write_encoder_model(folder, info_, parameters, parameters.weights());
}

void EncoderTask::write_checkpoint(const std::filesystem::path& folder,
                                   const Parameters& parameters) const {
  write_json(folder / "config.json", encoder_config(info_));
  write_encoder_weights(folder / "model.safetensors", info_, parameters, parameters.weights());
}

void EncoderTask::read_weights(const std::filesystem::path& folder,
                               const Parameters& parameters) const {
  if (folder != place_.init) {
    read_encoder_weights(folder, info_, parameters);
    return;
  }
  const std::vector<std::string> missing =
      read_encoder_weights(folder, read_encoder_info(folder), parameters, Heads::may_be_new);
  if (!missing.empty()) {
    place_.reporter.message(MessageLevel::info,
                            fmt::format("--init {}: has no {}: they begin with random values",
                                        folder.string(), fmt::join(missing, ", ")));
  }
}

}  // namespace yona
