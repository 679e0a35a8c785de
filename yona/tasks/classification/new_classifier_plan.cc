#include "yona/tasks/classification/new_classifier_plan.h"

#include "yona/tasks/planned_preset.h"
#include "yona/train/time_plan.h"

namespace yona {

namespace {

constexpr const char* kPreset = "bert-tiny";
constexpr double kDropout = 0.3;
constexpr double kHidden = 0.2;

}  // namespace

double new_encoder_rate(std::int64_t d_model) { return 0.128 / static_cast<double>(d_model); }

std::vector<std::string> planned_classification_keys() {
  std::vector<std::string> keys{"preset",        "model.norm",  "model.text_vector",
                                "model.dropout", "data.hidden", "train.learning_rate"};
  keys.insert(keys.end(), planned_length_keys().begin(), planned_length_keys().end());
  return keys;
}

void plan_new_classifier(RunConfig& config) {
  if (config.is_open("preset")) {
    apply_planned_preset(config, kPreset);
    if (config.is_open("model.norm")) {
      config.bert.norm = NormPosition::pre;
    }
    if (config.is_open("model.text_vector")) {
      config.bert.text_vector = TextVector::mean;
    }
  }
  if (config.is_open("model.dropout")) {
    config.bert.dropout = kDropout;
  }
  if (config.is_open("data.hidden")) {
    config.texts.hidden = kHidden;
  }
  if (config.is_open("train.learning_rate")) {
    config.train.schedule.rate = new_encoder_rate(config.bert.d_model);
  }
}

}  // namespace yona
