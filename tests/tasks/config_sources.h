// Configurations from texts, for the tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/tasks/run_config.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {

inline ConfigAssignment set(const std::string& key, const std::string& value) {
  return {key, value, "--set " + key};
}

inline RunConfig from_yaml(std::string_view text, const std::vector<ConfigAssignment>& more = {}) {
  const TempDir folder;
  write_bytes(folder / "c.yaml", text);
  return resolve_config(folder / "c.yaml", more);
}

// The message with the folder's name cut off.
inline std::string yaml_error(std::string_view text) {
  const TempDir folder;
  write_bytes(folder / "c.yaml", text);
  const std::string message =
      message_of<InvalidArgument>([&] { resolve_config(folder / "c.yaml", {}); });
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message.substr(std::min(message.size(), folder.path().string().size() + 1));
}

inline std::string set_error(const std::string& key, const std::string& value) {
  return message_of<InvalidArgument>([&] { resolve_config("", {set(key, value)}); });
}

}  // namespace yona::testing
