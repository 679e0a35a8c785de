// A figure on its way: elements one after another, then the frame around them, whose size is known
// only at the end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace yona {

struct SvgText {
  double x = 0, y = 0;
  double size = 12;
  std::string_view anchor = "start";
  std::string_view weight = "normal";
  std::string_view colour = "#111";
  double turn = 0;  // degrees, around x and y
};

class SvgCanvas {
 public:
  template <class... Args>
  void add(fmt::format_string<Args...> element, Args&&... args) {
    fmt::format_to(std::back_inserter(body_), element, std::forward<Args>(args)...);
  }
  // Escapes the text.
  void text(std::string_view text, const SvgText& place);
  // The whole file, white behind everything.
  std::string finish(double width, double height) const;

 private:
  std::string body_;
};

// An estimate, on the wide side, in pixels: the fonts are the reader's.
double text_width(std::string_view text, double font_size);
double widest_label(const std::vector<std::string>& labels, double font_size);

}  // namespace yona
