#include "yona/tasks/task_record.h"

#include "yona/base/human.h"
#include "yona/base/input_file.h"
#include "yona/data/cache_key.h"
#include "yona/tasks/task_kind.h"
#include "yona/train/schedule.h"

namespace yona {

Json recorded_settings(const RunConfig& config) {
  const ConfigKeys<RunConfig>& keys = run_config_keys(config.task);
  Json settings = recorded_values(config, keys);
  if (has_end(config.train.schedule)) {
    for (const ConfigKey<RunConfig>& key : keys) {
      if (key.on_resume == OnResume::ending) {
        settings[key.name] = json_of(key.get(config));
      }
    }
  }
  return settings;
}

Differences settings_that_differ(const Json& then, const Json& now, const std::string& task) {
  return values_that_differ(then, now, "", run_config_keys(task));
}

Json recorded_files(const std::vector<std::filesystem::path>& files) {
  Json recorded = Json::array();
  for (const std::filesystem::path& path : files) {
    const FileContent content = file_content(path);
    recorded.push_back({{"file", path.filename().string()},
                        {"bytes", content.bytes},
                        {"crc64", fmt::format("{:016x}", content.checksum)}});
  }
  return recorded;
}

std::vector<std::string> changed_files(const Json& then, const Json& now,
                                       const std::vector<std::filesystem::path>& files,
                                       const std::string& corpus) {
  if (then.size() != now.size()) {
    return {fmt::format("corpus {}: {} → {}", corpus, counted(then.size(), "file"),
                        counted(now.size(), "file"))};
  }
  std::vector<std::string> changes;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (then[i].at("bytes") == now[i].at("bytes") && then[i].at("crc64") == now[i].at("crc64")) {
      continue;
    }
    const bool same_name = then[i].at("file") == now[i].at("file");
    changes.push_back(same_name ? fmt::format("{}: changed", files[i].string())
                                : change(fmt::format("corpus {}", corpus), then[i].at("file"),
                                         files[i].string()));
  }
  return changes;
}

}  // namespace yona
