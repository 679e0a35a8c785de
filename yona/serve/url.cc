#include "yona/serve/url.h"

#include <algorithm>
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
  std::string type = lower_case(header.substr(0, header.find(';')));
  std::erase_if(type, [](char c) { return c == ' ' || c == '\t'; });
  return type;
}

namespace {

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// A word, or a text in quotes, from the front of `text`. Of escapes only those of quotes and of
// backslashes are undone: browsers send the backslashes of a path as they are.
std::optional<std::string> take_value(std::string_view& text) {
  if (!text.starts_with('"')) {
    const std::size_t end = std::min(text.find_first_of("; \t"), text.size());
    std::string word(text.substr(0, end));
    text.remove_prefix(end);
    return word;
  }
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool is_escaped =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    i += is_escaped ? 1 : 0;
    value += text[i];
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> header_parameter(std::string_view header, std::string_view name) {
  header.remove_prefix(std::min(header.find(';'), header.size()));
  while (header.starts_with(';')) {
    header.remove_prefix(1);
    skip_blanks(header);
    const std::size_t sign = header.find_first_of("=;");
    if (sign == header.npos) {
      return std::nullopt;
    }
    if (header[sign] == ';') {  // an empty parameter
      header.remove_prefix(sign);
      continue;
    }
    const std::string found = lower_case(header.substr(0, sign));
    header.remove_prefix(sign + 1);
    std::optional<std::string> value = take_value(header);
    if (!value || found == name) {
      return value;
    }
    skip_blanks(header);
  }
  return std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace yona::serve
