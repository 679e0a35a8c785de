#include "yona/score/label_segments.h"

#include <algorithm>
#include <charconv>

#include "yona/base/error.h"
#include "yona/base/json.h"

namespace yona {

namespace {

std::vector<std::string> tab_columns(const std::string& line) {
  return split_references({"", {line}}).front();
}

struct Column {
  std::size_t index = 0;
  bool has_header = false;
};

std::optional<std::size_t> named_column(const NamedSegments& file, const std::string& name) {
  if (file.lines.empty()) {
    return std::nullopt;
  }
  const std::vector<std::string> header = tab_columns(file.lines.front());
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - header.begin()));
}

Column find_label_column(const NamedSegments& file, LabelSide side, const std::string& column) {
  if (column.empty()) {
    const bool may_have_header = side == LabelSide::references && !file.lines.empty() &&
                                 file.lines.front().find('\t') != std::string::npos;
    const auto found = may_have_header ? named_column(file, "label") : std::nullopt;
    return found ? Column{*found, true} : Column{};
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
  if (error == std::errc() && end == column.data() + column.size() && number > 0) {
    return {number - 1, false};
  }
  const auto found = named_column(file, column);
  check<FormatError>(found.has_value(), "{}:1: no column is called '{}'; the line is '{}'",
                     file.name, column, file.lines.empty() ? "" : file.lines.front());
  return {*found, true};
}

std::string json_label(const std::string& line, const std::string& name, std::size_t number) {
  const Json json = Json::parse(line, nullptr, false);
  check<FormatError>(json.is_object() && (json.contains("label") || json.contains("value")),
                     "{}:{}: expected a JSON object with label or value, as yona classify --json "
                     "writes it",
                     name, number);
  const Json& label = json.contains("label") ? json["label"] : json["value"];
  return label.is_string() ? label.get<std::string>() : label.dump();
}

}  // namespace

NamedSegments label_segments(NamedSegments file, LabelSide side, const std::string& column) {
  const bool is_json = side == LabelSide::predictions && column.empty() && !file.lines.empty() &&
                       file.lines.front().starts_with("{\"");
  const Column place = is_json ? Column{} : find_label_column(file, side, column);
  std::vector<std::string> labels;
  labels.reserve(file.lines.size());
  for (std::size_t i = place.has_header ? 1 : 0; i < file.lines.size(); ++i) {
    if (is_json) {
      labels.push_back(json_label(file.lines[i], file.name, i + 1));
    } else {
      const std::vector<std::string> columns = tab_columns(file.lines[i]);
      check<FormatError>(place.index < columns.size(),
                         "{}:{}: has {} columns, but the label is in column {}", file.name, i + 1,
                         columns.size(), place.index + 1);
      labels.push_back(columns[place.index]);
    }
    check<FormatError>(!labels.back().empty(), "{}:{}: the label is empty; expected one a line",
                       file.name, i + 1);
  }
  file.lines = std::move(labels);
  return file;
}

}  // namespace yona
