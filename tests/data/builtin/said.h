// Spot tables shared by the tests of the languages: an item, and how a native speaker says it.
#pragma once

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

}  // namespace yona::builtin
