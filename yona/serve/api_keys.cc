#include "yona/serve/api_keys.h"

#include <algorithm>
#include <cmath>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

namespace yona::serve {

namespace {

constexpr std::size_t kMostBuckets = 100'000;  // addresses that are remembered

void check_field(const Json& json, const char* field, bool (Json::*is)() const noexcept,
                 const std::string& where, const char* expected) {
  check<FormatError>(json.contains(field) && (json[field].*is)(), "{}: \"{}\": expected {}", where,
                     field, expected);
}

}  // namespace

double RateLimit::take(double amount, Clock::time_point now) {
  if (last_) {
    const double passed = std::chrono::duration<double>(now - *last_).count();
    left_ = std::min(per_minute_, left_ + passed * per_minute_ / 60);
  }
  last_ = now;
  if (left_ >= amount) {
    left_ -= amount;
    return 0;
  }
  return (amount - left_) * 60 / per_minute_;
}

ApiKeys::Buckets::Buckets(const Limits& limits) {
  if (limits.requests) {
    requests.emplace(*limits.requests);
  }
  if (limits.characters) {
    characters.emplace(*limits.characters);
  }
}

ApiKeys::ApiKeys(const std::filesystem::path& file) : file_(file), table_(read(file)) {}

ApiKeys::Limits ApiKeys::limits_of(const Json& json, const std::string& where) {
  const auto limit = [&](const char* field) -> std::optional<double> {
    if (!json.contains(field)) {
      return std::nullopt;
    }
    check<FormatError>(json[field].is_number() && json[field].get<double>() >= 1,
                       "{}: \"{}\": expected a number of at least 1", where, field);
    return json[field].get<double>();
  };
  return {limit("requests_per_minute"), limit("characters_per_minute")};
}

ApiKeys::Table ApiKeys::read(const std::filesystem::path& file) {
  const Json json = read_json(file);
  const std::string name = file.string();
  check<FormatError>(json.is_object(), "{}: expected an object with \"keys\"", name);
  check_field(json, "keys", &Json::is_array, name, "a list of objects with \"key\"");
  Table table;
  for (const Json& entry : json["keys"]) {
    const std::string where = fmt::format("{}: key {}", name, table.keys.size() + 1);
    check<FormatError>(entry.is_object(), "{}: expected an object", where);
    check_field(entry, "key", &Json::is_string, where, "a text");
    const auto key = entry["key"].get<std::string>();
    check<FormatError>(!key.empty(), "{}: \"key\": expected a text that is not empty", where);
    check<FormatError>(table.keys.emplace(key, limits_of(entry, where)).second,
                       "{}: the key is there already", where);
  }
  if (json.contains("anonymous") && !json["anonymous"].is_null()) {
    check_field(json, "anonymous", &Json::is_object, name, "an object with limits");
    table.anonymous = limits_of(json["anonymous"], name + ": anonymous");
  }
  return table;
}

void ApiKeys::reload() {
  if (file_.empty()) {
    return;
  }
  Table table = read(file_);
  const std::scoped_lock lock(mutex_);
  table_ = std::move(table);
  buckets_.clear();
}

bool ApiKeys::are_required() {
  const std::scoped_lock lock(mutex_);
  return are_used() && !table_.anonymous;
}

const ApiKeys::Limits& ApiKeys::limits_for(const std::string& key) const {
  if (key.empty()) {
    if (!table_.anonymous) {
      throw HttpError(403, "an API key is needed: \"api_key\", or the header X-Api-Key");
    }
    return *table_.anonymous;
  }
  const auto found = table_.keys.find(key);
  if (found == table_.keys.end()) {
    throw HttpError(403, "the API key is not known");
  }
  return found->second;
}

// New addresses must not fill the memory: beyond this number all are reset.
void ApiKeys::forget_old() {
  if (buckets_.size() >= kMostBuckets) {
    buckets_.clear();
  }
}

void ApiKeys::admit(const std::string& key, const std::string& client, std::int64_t characters) {
  if (file_.empty()) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  const Limits& limits = limits_for(key);
  if (limits.characters && static_cast<double>(characters) > *limits.characters) {
    throw HttpError(413, fmt::format("the request has {} characters; {} in a minute are allowed; "
                                     "send it in parts",
                                     characters, *limits.characters));
  }
  forget_old();
  Buckets& buckets =
      buckets_.try_emplace(key.empty() ? "address " + client : "key " + key, limits).first->second;
  const Clock::time_point now = Clock::now();
  const auto take = [&](std::optional<RateLimit>& limit, double amount, const char* what) {
    const double seconds = limit ? limit->take(amount, now) : 0;
    if (seconds > 0) {
      const int wait = static_cast<int>(std::ceil(seconds));
      throw HttpError(429, fmt::format("too many {} in a minute; try again in {} s", what, wait),
                      wait);
    }
  };
  take(buckets.requests, 1, "requests");
  take(buckets.characters, static_cast<double>(characters), "characters");
}

std::string key_of(const HttpRequest& request, const std::string& field) {
  constexpr std::string_view kBearer = "Bearer ";
  if (!request.api_key.empty()) {
    return request.api_key;
  }
  return request.authorization.starts_with(kBearer) ? request.authorization.substr(kBearer.size())
                                                    : field;
}

}  // namespace yona::serve
