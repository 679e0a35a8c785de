// A line to translate, with what is known of its translation.
#pragma once

#include <cstdint>
#include <string>

namespace yona {

struct SourceLine {
  std::string text;          // UTF-8
  std::string prefix{};      // the translation begins with this text
  std::string target{};      // a translation that is given, for scoring
  std::uint64_t number = 0;  // from 1, for messages and for sampling
};

}  // namespace yona
