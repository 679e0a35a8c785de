// ConfigNode → YAML that a person would write: blocks for maps and lists of maps, one line for any
// other list, quotes only where another reader could take a text for something else.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/config/config_yaml.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::size_t kCommentColumns = 92;
constexpr std::string_view kOpening = "_/";
constexpr std::string_view kInside = "_/.-+";

bool is_number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  static_cast<void>(std::strtod(copy.c_str(), &end));
  return !copy.empty() && *end == '\0' && copy.find_first_not_of("0123456789.eE+-") == copy.npos;
}

// Words that some YAML reader takes for something other than text.
bool is_reserved_word(std::string_view text) {
  constexpr std::array<std::string_view, 8> kReserved{"null", "yes", "no", "on",
                                                      "off",  "y",   "n",  "nan"};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kReserved.begin(), kReserved.end(), lower) != kReserved.end();
}

bool is_plain(std::string_view text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto inside = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || kInside.find(c) != kInside.npos;
  };
  return !text.empty() && !is_reserved_word(text) &&
         (letter(text[0]) || kOpening.find(text[0]) != kOpening.npos) &&
         std::all_of(text.begin(), text.end(), inside);
}

// A double-quoted YAML scalar has JSON's escapes.
std::string scalar_text(const std::string& text) {
  if (is_plain(text) || is_number(text)) {
    return text;
  }
  check(is_utf8(text), "configuration: '{}' is not UTF-8 and cannot be written to a file",
        Json(text).dump(-1, ' ', true, Json::error_handler_t::replace));
  return Json(text).dump();
}

// Any node on one line.
std::string flow(const ConfigNode& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case ConfigNode::Kind::null:
      return "null";
    case ConfigNode::Kind::scalar:
      return scalar_text(node.text);
    case ConfigNode::Kind::list:
      for (const ConfigNode& item : node.items) {
        parts.push_back(flow(item));
      }
      return fmt::format("[{}]", fmt::join(parts, ", "));
    case ConfigNode::Kind::map:
      for (const ConfigMember& member : node.members) {
        parts.push_back(fmt::format("{}: {}", scalar_text(member.name), flow(member.value)));
      }
      return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  return "";
}

bool is_section(const ConfigNode& node) {
  return node.kind == ConfigNode::Kind::map && !node.members.empty();
}

class Writer {
 public:
  std::string text() { return std::move(out_); }

  void members(const ConfigNode& map, std::size_t indent) {
    for (const ConfigMember& member : map.members) {
      if (!member.comment.empty()) {
        comment(member.comment, indent);
      }
      if (indent == 0 && member.value.kind == ConfigNode::Kind::map && !out_.empty()) {
        out_ += '\n';
      }
      const std::string name = scalar_text(member.name);
      value(member.disabled ? "# " + name : name, member.value, indent);
    }
  }

 private:
  void line(std::size_t indent, std::string_view text) {
    out_.append(indent, ' ').append(text).append("\n");
  }

  // Wrapped to a width that reads well.
  void comment(const std::string& text, std::size_t indent) {
    std::istringstream words(text);
    std::string row = "#";
    for (std::string word; words >> word;) {
      if (row.size() > 1 && indent + row.size() + 1 + word.size() > kCommentColumns) {
        line(indent, row);
        row.resize(1);
      }
      row.append(" ").append(word);
    }
    line(indent, row);
  }

  void value(const std::string& name, const ConfigNode& node, std::size_t indent) {
    const bool is_list_of_sections =
        !node.items.empty() && std::all_of(node.items.begin(), node.items.end(), is_section);
    if (node.kind == ConfigNode::Kind::null) {
      line(indent, name + ":");
    } else if (is_section(node)) {
      line(indent, name + ":");
      members(node, indent + 2);
    } else if (is_list_of_sections) {
      line(indent, name + ":");
      for (const ConfigNode& item : node.items) {
        const std::size_t begin = out_.size();
        members(item, indent + 4);
        out_[begin + indent + 2] = '-';
      }
    } else {
      line(indent, name + ": " + flow(node));
    }
  }

  std::string out_;
};

}  // namespace

std::string to_yaml(const ConfigNode& map) {
  if (map.members.empty()) {
    return "{}\n";  // an empty file is not a map
  }
  Writer writer;
  writer.members(map, 0);
  return writer.text();
}

}  // namespace yona
