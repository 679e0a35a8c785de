#include "yona/score/evalb_report.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace yona {
namespace {

std::string fixture_text(const std::string& part) {
  std::ifstream file(std::string(YONA_FIXTURES) + "/score/brackets." + part);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of_fixture(const std::string& part) {
  std::istringstream text(fixture_text(part));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line);
  }
  return lines;
}

// tests/score/evalb_test.py wrote these: random trees, and what EVALB printed.
TEST(EvalbReport, IsEvalbsByteForByte) {
  const auto gold = lines_of_fixture("gold");
  const auto test = lines_of_fixture("test");
  ASSERT_EQ(gold.size(), 120U);
  ASSERT_EQ(test.size(), gold.size());
  std::vector<BracketCounts> sentences;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    sentences.push_back(compare_brackets(test[i], gold[i]));
  }
  EXPECT_EQ(evalb_report(sentences), fixture_text("evalb"));
}

TEST(EvalbReport, HasNoTotalsWithoutBrackets) {
  const std::vector<BracketCounts> sentences{compare_brackets("", "(S (NN a))")};
  const std::string report = evalb_report(sentences);
  EXPECT_NE(report.find("====\n      0     0     0.00\n=== Summary"), std::string::npos);
  EXPECT_NE(report.find("Number of Skip  sentence  =      1\n"), std::string::npos);
  EXPECT_NE(report.find("nan\n"), std::string::npos);  // as EVALB prints 0 / 0
}

}  // namespace
}  // namespace yona
