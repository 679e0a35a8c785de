#include "yona/score/spacing.h"

namespace yona {

void replace_all(std::u32string& text, std::u32string_view from, std::u32string_view to) {
  std::size_t at = text.find(from);
  if (at == text.npos) {
    return;
  }
  std::u32string replaced;
  std::size_t begin = 0;
  for (; at != text.npos; at = text.find(from, begin)) {
    replaced.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  text = replaced.append(text, begin);
}

}  // namespace yona
