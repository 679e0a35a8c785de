// Values of the configuration as text: numbers in their shortest exact form, words, paths, lists.

#include "yona/config/config_key.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/nearest_name.h"

namespace yona {

namespace {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional<T>(value) : std::nullopt;
}

std::string describe(const IntegerRange& range) {
  std::string text = "a whole number";
  if (range.most < std::numeric_limits<std::int64_t>::max()) {
    text += fmt::format(" from {} to {}", range.least, range.most);
  } else {
    text += fmt::format(" of at least {}", range.least);
  }
  return range.zero.empty() ? text : fmt::format("{}, or {}", text, range.zero);
}

std::string describe(const NumberRange& range) {
  const bool bounded = std::isfinite(range.most);
  if (!bounded) {
    return fmt::format("a number {} {}", range.open_below ? "above" : "of at least", range.least);
  }
  if (range.open_below) {
    return fmt::format("a number above {} and {} {}", range.least,
                       range.open_above ? "below" : "at most", range.most);
  }
  return fmt::format("a number {} {}{}", fmt::format("from {} to", range.least), range.most,
                     range.open_above ? fmt::format(", {} excluded", range.most) : "");
}

bool is_inside(double value, const NumberRange& range) {
  const bool above = range.open_below ? value > range.least : value >= range.least;
  const bool below = range.open_above ? value < range.most : value <= range.most;
  return std::isfinite(value) && above && below;
}

std::optional<std::string> scalar_of(const ConfigNode& node) {
  return node.kind == ConfigNode::Kind::scalar ? std::optional(node.text) : std::nullopt;
}

std::filesystem::path path_from(const std::string& text, const ConfigSource& source) {
  const std::filesystem::path path(text);
  return text.empty() || path.is_absolute() || source.folder.empty()
             ? path
             : (source.folder / path).lexically_normal();
}

// 90s, 20m, 2h, 1h30m: units from large to small, each at most once.
std::optional<std::int64_t> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<char, std::int64_t>, 4> kUnits{
      {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}}};
  std::int64_t seconds = 0;
  std::size_t next = 0;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = parse_number<std::int32_t>(text.substr(0, digits));
    while (digits < text.size() && next < kUnits.size() && kUnits[next].first != text[digits]) {
      ++next;
    }
    if (!number || digits == text.size() || next == kUnits.size()) {
      return std::nullopt;
    }
    seconds += *number * kUnits[next++].second;
    text.remove_prefix(digits + 1);
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

std::string duration_text(std::int64_t seconds) {
  std::string text;
  for (const auto& [unit, length] : {std::pair('h', 3600), std::pair('m', 60), std::pair('s', 1)}) {
    if (seconds >= length) {
      text += fmt::format("{}{}", seconds / length, unit);
      seconds %= length;
    }
  }
  return text;
}

// A single text counts as a list of one.
std::optional<std::vector<std::string>> texts_of(const ConfigNode& node) {
  if (node.kind == ConfigNode::Kind::scalar) {
    return std::vector{node.text};
  }
  std::vector<std::string> texts;
  texts.reserve(node.items.size());
  for (const ConfigNode& item : node.items) {
    if (item.kind != ConfigNode::Kind::scalar) {
      return std::nullopt;
    }
    texts.push_back(item.text);
  }
  return node.kind == ConfigNode::Kind::list ? std::optional(std::move(texts)) : std::nullopt;
}

}  // namespace

std::string join_names(const std::vector<std::string>& names, std::string_view last) {
  std::string text = names.empty() ? "" : names[0];
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += i + 1 < names.size() ? ", " + names[i] : fmt::format(" {} {}", last, names[i]);
  }
  return text;
}

std::string place_of(const ConfigNode& node, const ConfigSource& source) {
  return source.file.empty() ? source.label
                             : fmt::format("{}:{}: {}", source.file, node.line, source.label);
}

void refuse_value(const ConfigNode& node, const ConfigSource& source, std::string_view expected) {
  const std::string place = place_of(node, source);
  switch (node.kind) {
    case ConfigNode::Kind::null:
      fail("{}: expected {}, got no value", place, expected);
    case ConfigNode::Kind::list:
      fail("{}: expected {}, got a list", place, expected);
    case ConfigNode::Kind::map:
      fail("{}: expected {}, got a section with keys", place, expected);
    case ConfigNode::Kind::scalar:
      break;
  }
  fail("{}: expected {}, got '{}'", place, expected, node.text);
}

ConfigCodec<std::int64_t> integer_codec(const IntegerRange& range) {
  return {describe(range),
          [range](const ConfigNode& node, const ConfigSource&) -> std::optional<std::int64_t> {
            const auto text = scalar_of(node);
            if (text && !range.zero.empty() && *text == range.zero) {
              return 0;
            }
            const auto value = text ? parse_number<std::int64_t>(*text) : std::nullopt;
            return value && *value >= range.least && *value <= range.most ? value : std::nullopt;
          },
          [range](const std::int64_t& value) {
            return ConfigNode::scalar(value == 0 && !range.zero.empty() ? std::string(range.zero)
                                                                        : fmt::to_string(value));
          }};
}

ConfigCodec<double> number_codec(const NumberRange& range) {
  return {describe(range),
          [range](const ConfigNode& node, const ConfigSource&) -> std::optional<double> {
            const auto text = scalar_of(node);
            const auto value = text ? parse_number<double>(*text) : std::nullopt;
            return value && is_inside(*value, range) ? value : std::nullopt;
          },
          [](const double& value) { return ConfigNode::scalar(fmt::format("{}", value)); }};
}

ConfigCodec<bool> bool_codec() {
  return {"true or false",
          [](const ConfigNode& node, const ConfigSource&) -> std::optional<bool> {
            const auto text = scalar_of(node);
            return text == "true" || text == "false" ? std::optional(*text == "true")
                                                     : std::nullopt;
          },
          [](const bool& value) { return ConfigNode::scalar(value ? "true" : "false"); }};
}

ConfigCodec<std::string> text_codec() {
  return {"text", [](const ConfigNode& node, const ConfigSource&) { return scalar_of(node); },
          [](const std::string& value) { return ConfigNode::scalar(value); }};
}

ConfigCodec<std::string> word_codec(const std::vector<std::string>& words) {
  const std::string expected = join_names(words);
  return {expected,
          [words, expected](const ConfigNode& node,
                            const ConfigSource& source) -> std::optional<std::string> {
            auto text = scalar_of(node);
            if (text && std::find(words.begin(), words.end(), *text) == words.end()) {
              // Two or three words are listed anyway; and gpu is not cpu.
              const auto nearest = words.size() > 3 ? nearest_name(*text, words) : std::nullopt;
              refuse_value(
                  node, source,
                  nearest ? fmt::format("{} (did you mean {}?)", expected, *nearest) : expected);
            }
            return text;
          },
          [](const std::string& value) { return ConfigNode::scalar(value); }};
}

ConfigCodec<std::filesystem::path> path_codec() {
  return {"a path",
          [](const ConfigNode& node,
             const ConfigSource& source) -> std::optional<std::filesystem::path> {
            const auto text = scalar_of(node);
            return text ? std::optional(path_from(*text, source)) : std::nullopt;
          },
          [](const std::filesystem::path& path) { return ConfigNode::scalar(path.string()); }};
}

ConfigCodec<std::int64_t> duration_codec() {
  static constexpr const char* kNone = "any";
  return {"a time such as 90s, 20m, 2h or 1h30m, or any",
          [](const ConfigNode& node, const ConfigSource&) -> std::optional<std::int64_t> {
            const auto text = scalar_of(node);
            return text == kNone ? 0 : parse_duration(text.value_or("0"));
          },
          [](const std::int64_t& seconds) {
            return ConfigNode::scalar(seconds == 0 ? kNone : duration_text(seconds));
          }};
}

ConfigCodec<std::vector<std::string>> texts_codec() {
  return {
      "a list of texts", [](const ConfigNode& node, const ConfigSource&) { return texts_of(node); },
      [](const std::vector<std::string>& texts) { return ConfigNode::list(texts); }, ListKey::yes};
}

ConfigCodec<std::optional<std::vector<std::string>>> texts_or_auto_codec() {
  using Texts = std::optional<std::vector<std::string>>;
  const ConfigNode automatic = ConfigNode::scalar("auto");
  return {"a list of texts, or auto",
          [automatic](const ConfigNode& node, const ConfigSource&) -> std::optional<Texts> {
            Texts texts = node == automatic ? Texts() : texts_of(node);
            return node == automatic || texts
                       ? std::optional<Texts>(std::in_place, std::move(texts))
                       : std::nullopt;
          },
          [automatic](const Texts& texts) { return texts ? ConfigNode::list(*texts) : automatic; },
          ListKey::yes};
}

ConfigCodec<std::vector<std::filesystem::path>> paths_codec() {
  using PathList = std::vector<std::filesystem::path>;
  return {"a path or a list of paths",
          [](const ConfigNode& node, const ConfigSource& source) -> std::optional<PathList> {
            const auto texts = texts_of(node);
            PathList paths;
            for (std::size_t i = 0; texts && i < texts->size(); ++i) {
              paths.push_back(path_from((*texts)[i], source));
            }
            return texts ? std::optional(std::move(paths)) : std::nullopt;
          },
          [](const PathList& paths) {
            return ConfigNode::list(std::vector<std::string>(paths.begin(), paths.end()));
          },
          ListKey::yes};
}

}  // namespace yona
