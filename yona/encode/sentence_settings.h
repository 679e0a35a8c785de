// How a folder's model makes embeddings of texts: what sentence-transformers (Reimers and Gurevych
// 2019) keeps beside the weights in modules.json, 1_Pooling/config.json,
// sentence_bert_config.json and config_sentence_transformers.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "yona/encode/encoder_runner.h"

namespace yona {

struct SentenceSettings {
  Pooling pooling = Pooling::mean;
  bool normalise = true;                         // to length 1
  std::int64_t max_length = 0;                   // tokens; 0: the model's positions
  std::map<std::string, std::string> prompts{};  // by name: text in front of the input
  std::string default_prompt{};                  // a name; empty: none
};

// A folder without modules.json has the defaults. Throws FormatError naming the file for a module
// or a pooling that is not supported.
SentenceSettings read_sentence_settings(const std::filesystem::path& folder);

// Throws InvalidArgument for another word than mean, cls and max.
Pooling pooling_of(const std::string& word);

}  // namespace yona
