#include "yona/inspect/svg_canvas.h"

#include <algorithm>
#include <cmath>

#include "yona/inspect/svg.h"
#include "yona/text/display.h"

namespace yona {

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void SvgCanvas::text(std::string_view text, const SvgText& place) {
  const std::string turn = place.turn == 0 ? ""
                                           : fmt::format(" transform=\"rotate({} {:.6g} {:.6g})\"",
                                                         place.turn, place.x, place.y);
  add("<text x=\"{:.6g}\" y=\"{:.6g}\" font-size=\"{:.3g}\" text-anchor=\"{}\" font-weight=\"{}\" "
      "fill=\"{}\"{}>{}</text>\n",
      place.x, place.y, place.size, place.anchor, place.weight, place.colour, turn,
      xml_escaped(printable(text)));
}

std::string SvgCanvas::finish(double width, double height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Noto Sans, DejaVu Sans, Helvetica, Arial, "
      "Noto Sans CJK SC, sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
      std::ceil(width), std::ceil(height), body_);
}

double text_width(std::string_view text, double font_size) {
  return static_cast<double>(display_width(printable(text))) * font_size * 0.64;
}

double widest_label(const std::vector<std::string>& labels, double font_size) {
  double widest = 0;
  for (const std::string& label : labels) {
    widest = std::max(widest, text_width(label, font_size));
  }
  return widest;
}

}  // namespace yona
