#include "yona/io/causal_lm/tokenizer_file.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

constexpr std::size_t kMostPieces = std::size_t{1} << 24U;

void append_steps(const Json& part, const char* list, std::vector<Json>& found) {
  if (!part.is_object()) {
    return;
  }
  if (part.value("type", "") != "Sequence") {
    found.push_back(part);
    return;
  }
  for (const Json& step : part.value(list, Json::array())) {
    append_steps(step, list, found);
  }
}

void put(std::vector<std::string>& pieces, std::size_t id, const std::string& piece,
         const std::string& file) {
  check<FormatError>(id < kMostPieces, "{}: the id {} of '{}' is too large", file, id, piece);
  pieces.resize(std::max(pieces.size(), id + 1));
  pieces[id] = piece;
}

}  // namespace

LmTokenizerFile::LmTokenizerFile(const std::filesystem::path& path)
    : name_(path.string()), json_(read_json(path)) {
  check<FormatError>(json_.is_object() && json_.contains("model") && json_["model"].is_object(),
                     "{}: not a tokenizer.json: it has no \"model\"", name_);
}

std::vector<Json> LmTokenizerFile::steps(const char* key, const char* list) const {
  std::vector<Json> found;
  append_steps(json_.value(key, Json()), list, found);
  return found;
}

std::vector<TextTokenizer::Added> LmTokenizerFile::added() const {
  std::vector<TextTokenizer::Added> tokens;
  for (const Json& token : json_.value("added_tokens", Json::array())) {
    check<FormatError>(token.is_object() && token.contains("content") && token.contains("id") &&
                           token["content"].is_string() && token["id"].is_number_unsigned() &&
                           token["id"].get<std::uint64_t>() < kMostPieces,
                       "{}: an added token without content and id: {}", name_, token.dump());
    tokens.push_back({token["content"].get<std::string>(), token["id"].get<std::int32_t>(),
                      token.value("special", false), token.value("lstrip", false),
                      token.value("rstrip", false)});
  }
  return tokens;
}

std::vector<std::string> LmTokenizerFile::pieces() const {
  const Json vocab = model().value("vocab", Json());
  check<FormatError>(vocab.is_object() || vocab.is_array(), "{}: the model has no \"vocab\"",
                     name_);
  std::vector<std::string> pieces;
  if (vocab.is_array()) {  // unigram: pieces with scores
    for (const Json& entry : vocab) {
      check<FormatError>(entry.is_array() && entry.size() == 2 && entry[0].is_string(),
                         "{}: a piece of the vocabulary cannot be {}", name_, entry.dump());
      pieces.push_back(entry[0].get<std::string>());
    }
  } else {
    for (const auto& [piece, id] : vocab.items()) {
      check<FormatError>(id.is_number_unsigned(), "{}: the id of '{}' is {}", name_, piece,
                         id.dump());
      put(pieces, id.get<std::size_t>(), piece, name_);
    }
  }
  for (const TextTokenizer::Added& token : added()) {
    put(pieces, static_cast<std::size_t>(token.id), token.text, name_);
  }
  return pieces;
}

std::vector<BpeMerges::Pair> LmTokenizerFile::merges() const {
  std::vector<BpeMerges::Pair> merges;
  for (const Json& merge : model().value("merges", Json::array())) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    check<FormatError>(merge.is_string(), "{}: a merge cannot be {}", name_, merge.dump());
    const std::vector<BpeMerges::Pair> pairs = parse_merges(merge.get<std::string>(), name_);
    check<FormatError>(pairs.size() == 1, "{}: a merge cannot be {}", name_, merge.dump());
    merges.push_back(pairs.front());
  }
  return merges;
}

// TemplateProcessing: a list of special tokens and of the text itself, "A".
void LmTokenizerFile::read_frame(std::vector<std::int32_t>& before,
                                 std::vector<std::int32_t>& after) const {
  for (const Json& step : steps("post_processor", "processors")) {
    if (step.value("type", "") == "ByteLevel") {
      continue;
    }
    if (step.value("type", "") != "TemplateProcessing") {
      refuse("post_processor", step);
    }
    bool is_before = true;
    for (const Json& part : step.value("single", Json::array())) {
      if (part.contains("Sequence")) {
        is_before = false;
        continue;
      }
      const std::string token =
          part.value("SpecialToken", Json::object()).value("id", std::string());
      const Json known = step.value("special_tokens", Json::object()).value(token, Json::object());
      for (const Json& id : known.value("ids", Json::array())) {
        (is_before ? before : after).push_back(id.get<std::int32_t>());
      }
    }
  }
}

void LmTokenizerFile::refuse(const char* kind, const Json& step) const {
  fail<FormatError>("{}: the {} {} is not supported", name_, kind, step.dump());
}

}  // namespace yona
