#include "yona/trees/escapes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kEscapes{{
    {"-LRB-", "("},
    {"-RRB-", ")"},
    {"-LSB-", "["},
    {"-RSB-", "]"},
    {"-LCB-", "{"},
    {"-RCB-", "}"},
    {"\\/", "/"},
    {"\\*", "*"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kPunctuation{{
    {",", ","},         {".", "."},         {"!", "."},         {"?", "."},
    {":", ":"},         {";", ":"},         {"-", ":"},         {"--", ":"},
    {"...", ":"},       {"``", "``"},       {"`", "``"},        {"''", "''"},
    {"-LRB-", "-LRB-"}, {"-RRB-", "-RRB-"}, {"-LCB-", "-LRB-"}, {"-RCB-", "-RRB-"},
    {"-LSB-", "-LRB-"}, {"-RSB-", "-RRB-"}, {"(", "-LRB-"},     {")", "-RRB-"},
    {"{", "-LRB-"},     {"}", "-RRB-"},
}};

}  // namespace

std::string escaped_word(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c == '(') {
      out += "-LRB-";
    } else if (c == ')') {
      out += "-RRB-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string plain_word(std::string_view word) {
  std::string out;
  while (!word.empty()) {
    const auto* const escape =
        std::find_if(kEscapes.begin(), kEscapes.end(),
                     [&](const auto& entry) { return word.starts_with(entry.first); });
    const bool is_escaped = escape != kEscapes.end();
    out += is_escaped ? escape->second : word.substr(0, 1);
    word.remove_prefix(is_escaped ? escape->first.size() : 1);
  }
  return out;
}

bool is_tree_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

bool is_tree_atom(std::string_view text) {
  const auto ends_word = [](char c) { return is_tree_space(c) || c == '(' || c == ')'; };
  return !text.empty() && std::none_of(text.begin(), text.end(), ends_word) && is_utf8(text);
}

std::optional<std::string_view> punctuation_tag(std::string_view word) {
  for (const auto& [text, tag] : kPunctuation) {
    if (text == word) {
      return tag;
    }
  }
  return std::nullopt;
}

}  // namespace yona
