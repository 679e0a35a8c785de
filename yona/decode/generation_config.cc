#include "yona/decode/generation_config.h"

#include <array>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/io/foreign_config.h"
#include "yona/io/json_file.h"
#include "yona/io/marian_files.h"
#include "yona/io/model_files.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// Keys that change what is generated, at the values at which they do not.
void warn_of_unknown(const Json& json, std::string_view where) {
  const std::array<std::pair<const char*, Json>, 9> neutral = {{{"repetition_penalty", 1.0},
                                                                {"encoder_repetition_penalty", 1.0},
                                                                {"diversity_penalty", 0.0},
                                                                {"num_beam_groups", 1},
                                                                {"do_sample", false},
                                                                {"encoder_no_repeat_ngram_size", 0},
                                                                {"begin_suppress_tokens", nullptr},
                                                                {"forced_decoder_ids", nullptr},
                                                                {"sequence_bias", nullptr}}};
  for (const auto& [key, value] : neutral) {
    if (json.contains(key) && !json[key].is_null() && json[key] != value) {
      log().warn("{}: \"{}\": {} is not heeded", where, key, json[key].dump());
    }
  }
}

std::int32_t checked_id(const Json& id, const char* key, std::int64_t outputs,
                        std::string_view where) {
  check<FormatError>(
      id.is_number_unsigned() && id.get<std::uint64_t>() < static_cast<std::uint64_t>(outputs),
      "{}: \"{}\": {} is no token of the model", where, key, id.dump());
  return id.get<std::int32_t>();
}

// bad_words_ids is a list of lists, of which those of one token are banned; suppress_tokens a list.
void add_banned(const Json& json, std::int64_t vocabulary, std::string_view where,
                std::vector<std::int32_t>& banned) {
  const auto list_of = [&](const char* key) {
    return json.contains(key) && json[key].is_array() ? json[key] : Json::array();
  };
  for (const Json& word : list_of("bad_words_ids")) {
    if (word.is_array() && word.size() == 1) {
      banned.push_back(checked_id(word[0], "bad_words_ids", vocabulary, where));
    } else {
      log().warn("{}: \"bad_words_ids\": {} is more than one token and not heeded", where,
                 word.dump());
    }
  }
  for (const Json& token : list_of("suppress_tokens")) {
    banned.push_back(checked_id(token, "suppress_tokens", vocabulary, where));
  }
}

EarlyStopping early_stopping(const Json& value, std::string_view where) {
  check<FormatError>(value.is_boolean() || value == "never", "{}: \"early_stopping\" cannot be {}",
                     where, value.dump());
  return value.is_string()   ? EarlyStopping::never
         : value.get<bool>() ? EarlyStopping::yes
                             : EarlyStopping::no;
}

void read_lengths(const ForeignConfig& config, DecodeOptions& options) {
  if (config.has("max_new_tokens")) {
    options.limit = {.factor = 0, .extra = config.size("max_new_tokens")};
  } else if (config.has("max_length")) {  // both count the decoder's first input
    options.limit = {.factor = 0, .extra = std::max(1, config.size("max_length")) - 1};
  }
  if (config.has("min_new_tokens")) {
    options.min_length = config.size("min_new_tokens");
  } else if (config.has("min_length")) {
    options.min_length = std::max(1, config.size("min_length")) - 1;
  }
}

// What a folder says of tokens.
void read_tokens(const Json& json, const ModelInfo& info, std::string_view where,
                 DecodeOptions& options) {
  const ForeignConfig config(json, where);
  const std::int64_t vocabulary = info.config.target_vocabulary;
  add_banned(json, vocabulary, where, options.banned);
  if (config.has("forced_bos_token_id")) {
    options.first_id =
        checked_id(json["forced_bos_token_id"], "forced_bos_token_id", vocabulary, where);
  }
  if (config.has("decoder_start_token_id") && info.config.departures.start_id >= 0) {
    options.start_id = config.token("decoder_start_token_id");
    check<FormatError>(options.start_id < vocabulary,
                       "{}: \"decoder_start_token_id\": {} is no token of the model", where,
                       options.start_id);
  }
}

DecodeOptions huggingface_options(const Json& json, std::string_view where) {
  const ForeignConfig config(json, where);
  DecodeOptions options = DecodeOptions::for_mode(BeamMode::huggingface);
  options.beam = std::max(1, config.size("num_beams", 1));
  options.length_penalty = config.has("length_penalty") ? config.get<double>("length_penalty") : 1;
  options.no_repeat_ngram = config.size("no_repeat_ngram_size", 0);
  options.force_end = config.has("forced_eos_token_id");
  options.renormalise = config.has("renormalize_logits") && config.get<bool>("renormalize_logits");
  if (config.has("early_stopping")) {
    options.early_stopping = early_stopping(config.get<Json>("early_stopping"), where);
  }
  read_lengths(config, options);
  warn_of_unknown(json, where);
  return options;
}

// Marian's YAML of decoding, or its defaults.
DecodeOptions marian_options(const fs::path& folder) {
  const MarianFiles files = find_marian_files(folder);
  const std::string where = files.settings.string();
  const ForeignConfig config(files.values, where);
  DecodeOptions options = DecodeOptions::for_mode(BeamMode::marian);
  options.beam = std::max(1, config.size("beam-size", static_cast<int>(options.beam)));
  if (config.has("normalize")) {
    const Json value = config.get<Json>("normalize");  // true is 1
    options.length_penalty = value.is_boolean() ? static_cast<double>(value.get<bool>())
                                                : config.get<double>("normalize");
  }
  options.word_penalty = config.get<double>("word-penalty", 0.0);
  options.limit.factor = config.get<double>("max-length-factor", options.limit.factor);
  options.suppress_unknown = !config.get<bool>("allow-unk", false);
  return options;
}

fs::path generation_file(const fs::path& folder) {
  const fs::path own = tokenizer_folder(folder) / "generation_config.json";
  return fs::exists(own) ? own : folder / "config.json";
}

}  // namespace

DecodeOptions folder_options(const fs::path& folder, const ModelInfo& info) {
  if (info.family.empty()) {
    return DecodeOptions::for_mode(BeamMode::paper);
  }
  if (is_marian_folder(folder)) {
    return marian_options(folder);
  }
  const fs::path path = generation_file(folder);
  const Json json = read_json(path);
  check<FormatError>(json.is_object(), "{}: not a JSON object", path.string());
  DecodeOptions options = huggingface_options(json, path.string());
  read_tokens(json, info, path.string(), options);
  return options;
}

DecodeOptions folder_options(const fs::path& folder, const ModelInfo& info, BeamMode mode) {
  const DecodeOptions own = folder_options(folder, info);
  DecodeOptions options = DecodeOptions::for_mode(mode);
  options.banned = own.banned;
  options.first_id = own.first_id;
  options.start_id = own.start_id;
  return options;
}

}  // namespace yona
