#include "yona/serve/url.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace yona::serve {

std::string url_decoded(std::string_view text, Plus plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 1] + 2, value, 16).ptr == &text[i + 1] + 2) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i] == '+' && plus == Plus::space ? ' ' : text[i];
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> parse_form(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) {
      continue;
    }
    const std::size_t sign = std::min(part.find('='), part.size());
    const std::string_view value = sign < part.size() ? part.substr(sign + 1) : "";
    fields.emplace_back(url_decoded(part.substr(0, sign), Plus::space),
                        url_decoded(value, Plus::space));
  }
  return fields;
}

std::string media_type(std::string_view header) {
  header = header.substr(0, header.find(';'));
  std::string type;
  for (const char c : header) {
    if (c != ' ' && c != '\t') {
      type += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return type;
}

}  // namespace yona::serve
