// What `yona info` says about a model, of any kind: a line, fields for --json and the table of its
// parameters.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/json.h"
#include "yona/cli/model_table.h"
#include "yona/models/seq2seq_config.h"

namespace yona::cli {

struct ModelSummary {
  std::string line;  // "en → de, 6 + 6 layers, d_model 512, …"
  Json fields = Json::object();
  std::vector<std::string> languages{};  // of a multilingual model
  ModelTable table;
  std::string files = "config.json, sub-words";  // that are read besides the weights
};

// Of a Transformer that is only planned.
ModelSummary summary_of(const Seq2SeqConfig& config);

// Of a folder, which is opened as the commands that run it open it: what they refuse is refused
// here. Throws as loading the model does.
ModelSummary read_summary(const std::filesystem::path& folder, Backend& backend);

}  // namespace yona::cli
