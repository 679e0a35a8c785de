// `yona translate` on a small model that is trained once for all tests of a program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/harness/small_model.h"

namespace yona::testing {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end == text.npos ? text.size() : end + 1;
  }
  return lines;
}

class Translate : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = std::make_unique<SmallModel>(); }
  static void TearDownTestSuite() { model_.reset(); }

  ProgramResult translate(const std::string& input, std::vector<std::string> more = {}) const {
    write_bytes(folder_ / "input", input);
    std::vector<std::string> arguments{"translate", "--model", model_->path(), "--input",
                                       folder_ / "input"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_yona(arguments);
  }
  static const std::string& line(std::size_t i) { return model_->lines()[i]; }

  inline static std::unique_ptr<SmallModel> model_;
  TempDir folder_;
};

}  // namespace yona::testing
