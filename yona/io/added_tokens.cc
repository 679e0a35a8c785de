#include "yona/io/added_tokens.h"

#include <algorithm>
#include <array>

#include "yona/base/error.h"
#include "yona/io/json_file.h"
#include "yona/io/tokenizer_parts.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// A token as a string, or as an object that says how it is to be matched.
std::string token_text(const Json& token) {
  return token.is_string() ? token.get<std::string>()
         : token.is_object() && token.contains("content") && token["content"].is_string()
             ? token["content"].get<std::string>()
             : "";
}

// What every vocabulary has.
bool is_core(std::string_view token) {
  constexpr std::array<std::string_view, 5> kCore = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"};
  return std::find(kCore.begin(), kCore.end(), token) != kCore.end();
}

}  // namespace

Json json_or_empty(const fs::path& path) {
  const Json json = fs::exists(path) ? read_json(path) : Json::object();
  return json.is_object() ? json : Json::object();
}

std::vector<AddedToken> numbered_tokens(const fs::path& folder) {
  std::vector<AddedToken> tokens;
  const Json config = json_or_empty(folder / "tokenizer_config.json");
  const Json decoder = config.value("added_tokens_decoder", Json::object());
  for (const auto& [id, token] : decoder.items()) {
    const bool is_number =
        !id.empty() && id.size() < 9 && id.find_first_not_of("0123456789") == std::string::npos;
    check<FormatError>(is_number, "{}: added_tokens_decoder: '{}' is not an id",
                       (folder / "tokenizer_config.json").string(), id);
    const auto has = [&, &token = token](const char* flag, bool otherwise) {
      return token.is_object() && token.value(flag, Json(otherwise)) == true;
    };
    tokens.push_back({token_text(token), std::stoi(id), has("special", true), has("lstrip", false),
                      has("rstrip", false)});
  }
  const Json numbered = json_or_empty(folder / "added_tokens.json");
  for (const auto& [text, id] : numbered.items()) {
    const bool is_known = std::any_of(tokens.begin(), tokens.end(),
                                      [&, name = text](const auto& t) { return t.text == name; });
    if (is_token_id(id) && !is_known) {
      tokens.push_back({text, id.get<std::int32_t>(), true});
    }
  }
  return tokens;
}

std::vector<AddedToken> beyond_core(std::vector<AddedToken> tokens) {
  const bool all_core = std::all_of(tokens.begin(), tokens.end(),
                                    [](const AddedToken& token) { return is_core(token.text); });
  return all_core ? std::vector<AddedToken>() : tokens;
}

AdditionalTokens additional_tokens(const fs::path& folder) {
  for (const char* file : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const Json json = json_or_empty(folder / file);
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
      const Json list = json.value(key, Json::array());
      AdditionalTokens found{{},
                             list.is_array() && std::string_view(key) == "extra_special_tokens"};
      for (const Json& token : list) {
        const std::string name = token_text(token);
        if (!name.empty() && !is_core(name)) {
          found.names.push_back(name);
        }
      }
      if (!found.names.empty()) {
        return found;
      }
    }
  }
  return {};
}

}  // namespace yona
