#include "yona/serve/markup.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace yona::serve {

namespace {

constexpr std::string_view kHtmlBlanks = " \t\r\n\f";

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// "b" of "<b class=x>" and "/b" of "</b>", in lower case.
std::string tag_name(std::string_view tag) {
  const std::size_t begin = 1;
  std::size_t end = begin;
  while (end < tag.size() && (std::isalnum(static_cast<unsigned char>(tag[end])) != 0 ||
                              tag[end] == '-' || (tag[end] == '/' && end == begin))) {
    ++end;
  }
  return lower(tag.substr(begin, end - begin));
}

// Does "<" begin a tag here? "a < b" has none.
bool begins_tag(std::string_view html) {
  return html.size() > 1 && html[0] == '<' &&
         (std::isalpha(static_cast<unsigned char>(html[1])) != 0 || html[1] == '/' ||
          html[1] == '!' || html[1] == '?');
}

// The end of the tag or comment at the front: a '>' outside quotes.
std::size_t tag_end(std::string_view html) {
  if (html.starts_with("<!--")) {
    const std::size_t end = html.find("-->");
    return end == html.npos ? html.size() : end + 3;
  }
  char quote = 0;
  for (std::size_t i = 0; i < html.size(); ++i) {
    const char c = html[i];
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    }
  }
  return html.size();
}

bool is_untranslated(std::string_view tag, const std::string& name) {
  constexpr std::array<std::string_view, 6> kKept = {"script", "style", "pre",
                                                     "code",   "kbd",   "textarea"};
  const std::string text = lower(tag);
  return std::find(kKept.begin(), kKept.end(), name) != kKept.end() ||
         text.find("translate=\"no\"") != text.npos || text.find("translate='no'") != text.npos ||
         text.find("translate=no") != text.npos;
}

bool closes_itself(std::string_view tag, const std::string& name) {
  constexpr std::array<std::string_view, 14> kEmpty = {"area",  "base",   "br",    "col",  "embed",
                                                       "hr",    "img",    "input", "link", "meta",
                                                       "param", "source", "track", "wbr"};
  return tag.ends_with("/>") || std::find(kEmpty.begin(), kEmpty.end(), name) != kEmpty.end();
}

// Where the element that begins at the front ends, its own closing tag included: elements of the
// same name inside are counted.
std::size_t element_end(std::string_view html, const std::string& name) {
  std::size_t place = tag_end(html);
  int depth = 1;
  while (place < html.size() && depth > 0) {
    place = html.find('<', place);
    if (place == html.npos) {
      return html.size();
    }
    const std::string_view rest = html.substr(place);
    if (!begins_tag(rest)) {
      ++place;
      continue;
    }
    const std::size_t length = tag_end(rest);
    const std::string inner = tag_name(rest);
    depth += inner == name && !closes_itself(rest.substr(0, length), name) ? 1 : 0;
    depth -= inner == "/" + name ? 1 : 0;
    place += length;
  }
  return place;
}

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&](char32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0U | (c >> 6U));
    byte(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    byte(0xE0U | (c >> 12U));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  } else {
    byte(0xF0U | (c >> 18U));
    byte(0x80U | ((c >> 12U) & 0x3FU));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  }
}

// Appends the character that "&name;" means; false: it is not known.
bool append_entity(std::string& out, std::string_view name) {
  constexpr std::array<std::pair<std::string_view, char32_t>, 6> kNamed = {
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"nbsp", 0xA0}}};
  for (const auto& [known, character] : kNamed) {
    if (name == known) {
      append_utf8(out, character);
      return true;
    }
  }
  if (!name.starts_with('#')) {
    return false;
  }
  const bool is_hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  const std::string_view digits = name.substr(is_hex ? 2 : 1);
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
  const bool is_character = error == std::errc() && !digits.empty() &&
                            end == digits.data() + digits.size() && value > 0 &&
                            value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  if (is_character) {
    append_utf8(out, value);
  }
  return is_character;
}

}  // namespace

std::string unescaped_html(std::string_view text) {
  constexpr std::size_t kLongest = 10;  // "&#x10FFFF;"
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.front() == '&' ? text.substr(0, kLongest).find(';') : text.npos;
    if (end != text.npos && append_entity(out, text.substr(1, end - 1))) {
      text.remove_prefix(end + 1);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

void Markup::add_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kHtmlBlanks);
  if (first == text.npos) {
    between_.back() += text;
    return;
  }
  const std::size_t last = text.find_last_not_of(kHtmlBlanks);
  between_.back() += text.substr(0, first);
  runs_.push_back(unescaped_html(text.substr(first, last + 1 - first)));
  between_.emplace_back(text.substr(last + 1));
}

Markup::Markup(std::string_view html) {
  std::size_t text = 0;  // where the run began
  std::size_t place = 0;
  while (place < html.size()) {
    const std::string_view rest = html.substr(place);
    if (!begins_tag(rest)) {
      ++place;
      continue;
    }
    add_text(html.substr(text, place - text));
    const std::string_view tag = rest.substr(0, tag_end(rest));
    const std::string name = tag_name(tag);
    const bool is_whole = std::isalpha(static_cast<unsigned char>(tag[1])) != 0 &&
                          is_untranslated(tag, name) && !closes_itself(tag, name);
    const std::size_t length = is_whole ? element_end(rest, name) : tag.size();
    between_.back() += rest.substr(0, length);
    place += length;
    text = place;
  }
  add_text(html.substr(text));
}

std::string Markup::with_runs(const std::vector<std::string>& texts) const {
  std::string html = between_.front();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    html += escaped_html(texts[i]) + between_[i + 1];
  }
  return html;
}

}  // namespace yona::serve
