#include "yona/train/run_record.h"

#include <algorithm>
#include <system_error>

#include "yona/backend/cpu/features.h"
#include "yona/backend/cpu/onednn_version.h"
#include "yona/base/error.h"
#include "yona/train/train_keys.h"

namespace yona {

namespace {

std::string of_device(const Json& platform) {
  return platform.value("device", "cpu") == "cuda" ? "a GPU" : "the CPU";
}

// The same for every way to name a folder.
std::string real_path(const std::string& name) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::weakly_canonical(name, error);
  const std::filesystem::path path = error ? std::filesystem::path(name) : found;
  return (path.has_filename() ? path : path.parent_path()).string();
}

}  // namespace

void add_digests(Json& corpora, const Examples& examples) {
  for (std::size_t i = 0; i < examples.parts().size(); ++i) {
    corpora[i]["pairs"] = examples.parts()[i].count;
    corpora[i]["digest"] = examples.parts()[i].digest;
  }
}

Json recorded_platform(const Backend& backend) {
  Json platform{{"version", YONA_VERSION}};
  if (!backend.on_host()) {
    platform["device"] = "cuda";
  } else {
    platform["device"] = "cpu";
    platform["instruction_set"] = name_of(current_isa());
    platform["onednn"] = onednn_version();
  }
  return platform;
}

std::int64_t recorded_batch_tokens(const Json& record) {
  TrainConfig config;
  for (const ConfigKey<TrainConfig>& key : train_keys({})) {
    if (key.name == "batch_tokens" && record.contains("settings")) {
      const std::string text = record.at("settings").value("train.batch_tokens", "auto");
      key.set(config, ConfigNode::scalar(text), {"train.batch_tokens", "", ""});
      return config.batch_tokens;
    }
  }
  return 0;
}

Differences init_that_differs(const Json& then, const Json& now) {
  Differences differences;
  if (then.contains("init") && real_path(then.at("init")) != real_path(now.at("init"))) {
    differences.changes.push_back(change("--init", then.at("init"), now.at("init")));
  }
  return differences;
}

Differences examples_that_differ(const Json& then, const Json& now,
                                 const std::vector<Examples::Part>& parts) {
  Differences differences;
  for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i) {
    if (then[i].contains("digest") && then[i].at("digest") != now[i].at("digest")) {
      differences.changes.push_back(fmt::format("corpus {}: other token ids ({} → {} pairs)",
                                                parts[i].name, then[i].at("pairs").dump(),
                                                now[i].at("pairs").dump()));
    }
  }
  return differences;
}

bool validation_differs(const Json& then, const Json& now) {
  const auto files = [](const Json& record) {
    return record.is_object() ? record.value("valid", Json::array()) : Json::array();
  };
  const Json before = files(then);
  const Json after = files(now);
  return !before.empty() && !after.empty() &&
         !std::equal(before.begin(), before.end(), after.begin(), after.end(),
                     [](const Json& a, const Json& b) {
                       return a.at("bytes") == b.at("bytes") && a.at("crc64") == b.at("crc64");
                     });
}

std::vector<std::string> platform_warnings(const Json& then, const Json& now) {
  constexpr const char* kEffect = "results may differ in their last bits";
  std::vector<std::string> warnings;
  if (then.value("device", "") != now.value("device", "")) {
    warnings.push_back(fmt::format("the run was on {} before and is on {} now: {}", of_device(then),
                                   of_device(now), kEffect));
  }
  for (const auto& [key, name] :
       {std::pair("version", "version of yona"), std::pair("instruction_set", "instruction set"),
        std::pair("onednn", "version of oneDNN")}) {
    if (then.contains(key) && now.contains(key) && then.at(key) != now.at(key)) {
      warnings.push_back(fmt::format("another {} than before, {} → {}: {}", name,
                                     shown(then.at(key)), shown(now.at(key)), kEffect));
    }
  }
  return warnings;
}

void check_differences(const Differences& differences, AllowChanges allow,
                       const std::filesystem::path& checkpoint) {
  std::vector<std::string> all = differences.fixed;
  all.insert(all.end(), differences.changes.begin(), differences.changes.end());
  const std::string named = fmt::format("{}", fmt::join(all, "; "));
  check(differences.fixed.empty(),
        "{}: the run cannot be resumed: {}; the run's weights belong to what it began with: resume "
        "with that, or begin a new run with --init",
        checkpoint.string(), named);
  check(differences.changes.empty() || allow == AllowChanges::yes,
        "{}: the run would not go on as it began: {}; resume with what it began with, or add "
        "--allow-changes",
        checkpoint.string(), named);
}

}  // namespace yona
