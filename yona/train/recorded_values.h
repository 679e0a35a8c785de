// Settings as a record keeps them, and what two records differ in, by lists of keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yona/base/json.h"
#include "yona/config/config_key.h"

namespace yona {

// What is not as it was, one short text each: "train.seed: 1 → 2", "corpus.en: changed".
struct Differences {
  std::vector<std::string> fixed;    // the run cannot go on with them
  std::vector<std::string> changes;  // it can, if the user wants that

  bool empty() const { return fixed.empty() && changes.empty(); }
  Differences& operator+=(const Differences& other);
};

Json json_of(const ConfigNode& node);
// As a person would write it: 0.1, [a, b], 'nothing'.
std::string shown(const Json& value);
// "train.seed: 1 → 2"
std::string change(std::string_view name, const Json& then, const Json& now);
// Does the setting have an effect, then or now? Where nothing decays, what would does not matter.
bool matters(const std::string& key, const Json& then, const Json& now);

// The values of the keys whose OnResume is decides or fixed.
template <class Owner>
Json recorded_values(const Owner& owner, const ConfigKeys<Owner>& keys) {
  Json values = Json::object();
  for (const ConfigKey<Owner>& key : keys) {
    if (key.role != KeyRole::shorthand &&
        (key.on_resume == OnResume::decides || key.on_resume == OnResume::fixed)) {
      values[key.name] = json_of(key.get(owner));
    }
  }
  return values;
}

// A setting that the older record lacks had its default.
template <class Owner>
Differences values_that_differ(const Json& then, const Json& now, const std::string& prefix,
                               const ConfigKeys<Owner>& keys) {
  const Owner unset{};
  Differences differences;
  for (const ConfigKey<Owner>& key : keys) {
    const bool is_ending = key.on_resume == OnResume::ending;
    if (!now.contains(key.name) || (is_ending && !then.contains(key.name))) {
      continue;  // another schedule, which is named itself
    }
    const Json before = then.value(key.name, json_of(key.get(unset)));
    if (before != now.at(key.name) && matters(key.name, then, now)) {
      auto& list = key.on_resume == OnResume::fixed ? differences.fixed : differences.changes;
      list.push_back(change(prefix + key.name, before, now.at(key.name)));
    }
  }
  return differences;
}

// Parts of a model's description, whose weights belong to them: only what both have is compared.
Differences parts_that_differ(const Json& then, const Json& now);

}  // namespace yona
