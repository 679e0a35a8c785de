// Finds special pieces (<mask>, language codes) in a text, from left to right. Each piece is
// searched for once along the text, however often the others occur.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace yona {

class PieceScan {
 public:
  // Both must outlive this object. An empty piece is never found.
  PieceScan(std::string_view text, std::vector<std::string_view> pieces);

  struct Found {
    std::size_t at = std::string_view::npos;
    std::size_t piece = 0;  // its position in the list
  };
  // The first piece that begins at `from` or after it; of those at one place, the first of the
  // list. `from` must not fall from call to call.
  Found next(std::size_t from);

 private:
  std::string_view text_;
  std::vector<std::string_view> pieces_;
  std::vector<std::size_t> places_;  // where each piece comes next
};

}  // namespace yona
