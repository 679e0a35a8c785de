// Spot tables shared by the tests of the languages: an item, and how a native speaker says it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "yona/data/builtin/language.h"

namespace yona::builtin {

struct Said {
  Item item;
  std::string words;
};

inline void expect_said(std::string_view language, const std::vector<Said>& table) {
  for (const Said& row : table) {
    EXPECT_EQ(say(row.item, language), row.words);
  }
}

// Each of the words is a way to write the item.
struct Written {
  Item item;
  std::vector<std::string> words;
};

inline void expect_written(std::string_view language, const std::vector<Written>& table) {
  for (const Written& row : table) {
    const Ways ways = ways_to_say(row.item, language);
    for (const std::string& words : row.words) {
      EXPECT_NE(std::find(ways.begin(), ways.end(), words), ways.end()) << words;
    }
  }
}

}  // namespace yona::builtin
