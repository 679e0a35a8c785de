// The three substitutions that the tokenisers of BLEU and TER are made of. They are what a regular
// expression's replace-all does: left to right, a match begins where the last one ended.
#pragma once

#include <string>
#include <string_view>

namespace yona {

// s/(a)/ \1 /g
template <class IsA>
std::u32string space_around(std::u32string_view text, IsA is_a) {
  std::u32string spaced;
  spaced.reserve(text.size() * 2);
  for (const char32_t c : text) {
    if (is_a(c)) {
      spaced += {U' ', c, U' '};
    } else {
      spaced += c;
    }
  }
  return spaced;
}

// s/(a)(b)/\1 \2 /g
template <class IsA, class IsB>
std::u32string space_around_second(std::u32string_view text, IsA is_a, IsB is_b) {
  std::u32string spaced;
  spaced.reserve(text.size() * 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    spaced += text[i];
    if (i + 1 < text.size() && is_a(text[i]) && is_b(text[i + 1])) {
      spaced += {U' ', text[++i], U' '};
    }
  }
  return spaced;
}

// s/(a)(b)/ \1 \2/g
template <class IsA, class IsB>
std::u32string space_around_first(std::u32string_view text, IsA is_a, IsB is_b) {
  std::u32string spaced;
  spaced.reserve(text.size() * 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && is_a(text[i]) && is_b(text[i + 1])) {
      spaced += {U' ', text[i], U' ', text[i + 1]};
      ++i;
    } else {
      spaced += text[i];
    }
  }
  return spaced;
}

// Every occurrence of `from` becomes `to`; what was put in is not looked at again.
void replace_all(std::u32string& text, std::u32string_view from, std::u32string_view to);

}  // namespace yona
