// API keys and their limits, from a JSON file.
//
//   {"keys": [{"key": "…", "name": "mobile app", "requests_per_minute": 600,
//              "characters_per_minute": 100000}],
//    "anonymous": {"requests_per_minute": 20}}
//
// Without "anonymous" a request without a key is refused; limits that are left out do not apply. A
// limit is a token bucket that holds a minute's worth and fills evenly.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "yona/base/json.h"
#include "yona/base/timing.h"
#include "yona/serve/http.h"

namespace yona::serve {

// A number of requests or characters per minute, at most a minute's worth at once.
class RateLimit {
 public:
  explicit RateLimit(double per_minute) : per_minute_(per_minute), left_(per_minute) {}

  // Seconds until `amount` will be there; 0: it is, and was taken. It must not be more than a
  // minute's worth, which will never be there.
  double take(double amount, Clock::time_point now);

 private:
  double per_minute_, left_;
  std::optional<Clock::time_point> last_;
};

class ApiKeys {
 public:
  ApiKeys() = default;  // no key is needed, and nothing is limited
  // Throws IoError or FormatError naming file and field.
  explicit ApiKeys(const std::filesystem::path& file);

  // Any thread. Throws HttpError 403 for a key that is unknown or missing, 429 with the seconds to
  // wait when a limit is reached, 413 for more characters than a minute's. Requests without a key
  // are limited by address.
  void admit(const std::string& key, const std::string& client, std::int64_t characters);
  bool are_used() const { return !file_.empty(); }
  // Whether requests without a key are refused. Any thread.
  bool are_required();
  // Reads the file again and resets the limits. One that cannot be read changes nothing, and
  // throws.
  void reload();

 private:
  struct Limits {
    std::optional<double> requests, characters;  // per minute
  };
  struct Buckets {
    explicit Buckets(const Limits& limits);
    std::optional<RateLimit> requests, characters;
  };
  struct Table {
    std::unordered_map<std::string, Limits> keys;
    std::optional<Limits> anonymous;
  };
  static Limits limits_of(const Json& json, const std::string& where);
  static Table read(const std::filesystem::path& file);
  const Limits& limits_for(const std::string& key) const;
  void forget_old();

  std::filesystem::path file_;  // empty: no key is needed
  std::mutex mutex_;
  Table table_;
  std::unordered_map<std::string, Buckets> buckets_;
};

// The key of a request: its header X-Api-Key, "Authorization: Bearer KEY", or else `field`.
std::string key_of(const HttpRequest& request, const std::string& field);

}  // namespace yona::serve
