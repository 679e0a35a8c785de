#include "yona/score/western.h"

#include "yona/score/spacing.h"

namespace yona {

namespace {

// [{-~[-` -&(-+:-@/]
bool is_ascii_punctuation(char32_t c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_no_digit(char32_t c) { return !is_digit(c); }
bool is_stop(char32_t c) { return c == '.' || c == ','; }
bool is_hyphen(char32_t c) { return c == '-'; }

}  // namespace

void replace_entities(std::u32string& text) {
  if (text.find(U'&') == text.npos) {
    return;
  }
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
}

std::u32string space_ascii_punctuation(std::u32string_view text) {
  return space_around(text, is_ascii_punctuation);
}

std::u32string space_stops_and_hyphens(std::u32string_view text) {
  std::u32string spaced = space_around_second(text, is_no_digit, is_stop);
  spaced = space_around_first(spaced, is_stop, is_no_digit);
  return space_around_second(spaced, is_digit, is_hyphen);
}

}  // namespace yona
