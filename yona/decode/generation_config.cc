#include "yona/decode/generation_config.h"

#include <algorithm>
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
  const std::array<std::pair<const char*, Json>, 16> neutral = {
      {{"repetition_penalty", 1.0},
       {"encoder_repetition_penalty", 1.0},
       {"diversity_penalty", 0.0},
       {"num_beam_groups", 1},
       {"do_sample", false},
       {"encoder_no_repeat_ngram_size", 0},
       {"begin_suppress_tokens", nullptr},
       {"forced_decoder_ids", nullptr},
       {"sequence_bias", nullptr},
       {"guidance_scale", 1.0},
       {"exponential_decay_length_penalty", nullptr},
       {"penalty_alpha", nullptr},
       {"max_time", nullptr},
       {"stop_strings", nullptr},
       {"constraints", nullptr},
       {"force_words_ids", nullptr}}};
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
      "{}: \"{}\": {} is not a token of the model", where, key, id.dump());
  return id.get<std::int32_t>();
}

// bad_words_ids is a list of lists, of which those of one token are banned, but never </s>;
// suppress_tokens is a list.
void add_banned(const Json& json, const ModelInfo& info, std::string_view where,
                std::vector<std::int32_t>& banned) {
  const std::int64_t vocabulary = info.config.target_vocabulary;
  const auto list_of = [&](const char* key) {
    return json.contains(key) && json[key].is_array() ? json[key] : Json::array();
  };
  for (const Json& word : list_of("bad_words_ids")) {
    if (word.is_array() && word.size() == 1) {
      const std::int32_t id = checked_id(word[0], "bad_words_ids", vocabulary, where);
      if (id != info.end_id) {
        banned.push_back(id);
      }
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

// max_length and min_length count the decoder's first input. Where a folder names no length,
// `generate` adds 20 tokens to it, as far as there are positions.
void read_lengths(const ForeignConfig& config, const TransformerConfig& model,
                  DecodeOptions& options) {
  constexpr std::int64_t kUnnamed = 20;
  options.limit = {.factor = 0, .extra = kUnnamed};
  if (config.has("max_new_tokens")) {
    options.limit.extra = config.size("max_new_tokens");
  } else if (config.has("max_length")) {
    options.limit.extra = std::max(1, config.size("max_length")) - 1;
  } else if (model.positions != PositionKind::relative) {
    options.limit.extra = std::clamp<std::int64_t>(model.max_positions - 1, 1, kUnnamed);
  }
  if (config.has("min_new_tokens")) {
    options.min_length = config.size("min_new_tokens");
  } else if (config.has("min_length")) {
    options.min_length = std::max(1, config.size("min_length")) - 1;
  }
}

// A search ends with the model's </s> alone.
void warn_of_other_end(const Json& json, const ModelInfo& info, std::string_view where) {
  for (const char* key : {"eos_token_id", "forced_eos_token_id"}) {
    const Json value = json.value(key, Json());
    const Json& id = value.is_array() && value.size() == 1 ? value[0] : value;
    if (!id.is_null() && id != info.end_id) {
      log().warn("{}: \"{}\": {} is not heeded: the model's </s> has the id {}", where, key,
                 value.dump(), info.end_id);
    }
  }
}

// What a folder says of tokens.
void read_tokens(const Json& json, const ModelInfo& info, std::string_view where,
                 DecodeOptions& options) {
  const ForeignConfig config(json, where);
  const std::int64_t vocabulary = info.config.target_vocabulary;
  add_banned(json, info, where, options.banned);
  if (config.has("forced_bos_token_id")) {
    options.first_id =
        checked_id(json["forced_bos_token_id"], "forced_bos_token_id", vocabulary, where);
  }
  // `generate` begins with bos_token_id where there is no decoder_start_token_id.
  const char* start =
      config.has("decoder_start_token_id") ? "decoder_start_token_id" : "bos_token_id";
  if (config.has(start) && info.config.departures.start_id >= 0) {
    options.start_id = config.token(start);
    check<FormatError>(options.start_id < vocabulary, "{}: \"{}\": {} is not a token of the model",
                       where, start, options.start_id);
  }
  warn_of_other_end(json, info, where);
}

DecodeOptions huggingface_options(const Json& json, const ModelInfo& info, std::string_view where) {
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
  read_lengths(config, info.config, options);
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

DecodeOptions generation_options(const fs::path& path, const ModelInfo& info) {
  const Json json = read_json(path);
  check<FormatError>(json.is_object(), "{}: not a JSON object", path.string());
  DecodeOptions options = huggingface_options(json, info, path.string());
  read_tokens(json, info, path.string(), options);
  return options;
}

}  // namespace

DecodeOptions folder_options(const fs::path& folder, const ModelInfo& info) {
  if (info.family.empty()) {
    return DecodeOptions::for_mode(BeamMode::paper);
  }
  return is_marian_folder(folder) ? marian_options(folder)
                                  : generation_options(generation_file(folder), info);
}

DecodeOptions folder_options(const fs::path& folder, const ModelInfo& info, BeamMode mode) {
  if (mode == BeamMode::huggingface) {
    if (const fs::path own = folder / "generation_config.json"; fs::exists(own)) {
      return generation_options(own, info);
    }
  }
  DecodeOptions own = folder_options(folder, info);
  if (own.mode == mode) {
    return own;
  }
  DecodeOptions options = DecodeOptions::for_mode(mode);
  options.banned = own.banned;
  options.first_id = own.first_id;
  options.start_id = own.start_id;
  return options;
}

}  // namespace yona
