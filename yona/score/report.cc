#include "yona/score/report.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace yona {

namespace {

constexpr double kSignificant = 0.05;

std::string fixed(double value, int width) { return fmt::format("{:.{}f}", value, width); }

std::string confidence_text(const Confidence& confidence, int width) {
  return fmt::format("μ = {} ± {}", fixed(confidence.mean, width),
                     fixed(confidence.half_width, width));
}

std::string name_and_signature(const ScoreReport& report) {
  return fmt::format("{}|{}", report.score.name, report.signature);
}

std::string score_and_details(const ScoreReport& report, int width) {
  return score_only(report, width) +
         (report.score.details.empty() ? "" : " " + report.score.details);
}

// Characters, not bytes: "±" is one column wide.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t columns) {
  return text + std::string(columns - std::min(columns, columns_of(text)), ' ');
}

std::string result_text(const TestResult& result, int width) {
  std::string text = fixed(result.score, width);
  if (result.confidence) {
    text += fmt::format(" ({} ± {})", fixed(result.confidence->mean, width),
                        fixed(result.confidence->half_width, width));
  }
  if (result.p_value) {
    text +=
        fmt::format(" p = {:.4f}{}", *result.p_value, *result.p_value < kSignificant ? "*" : "");
  }
  return text;
}

std::string heading(const SystemTable::Column& column) {
  return column.metric + (column.results.at(0).confidence ? " (μ ± 95% CI)" : "");
}

}  // namespace

std::string score_only(const ScoreReport& report, int width) {
  return fixed(report.score.value, width) +
         (report.confidence ? fmt::format(" ({})", confidence_text(*report.confidence, width))
                            : "");
}

std::string full_line(const ScoreReport& report, int width) {
  return fmt::format("{} = {}", name_and_signature(report), score_and_details(report, width));
}

std::string aligned_lines(const std::vector<ScoreReport>& reports, int width) {
  std::size_t columns = 0;
  for (const ScoreReport& report : reports) {
    columns = std::max(columns, name_and_signature(report).size());
  }
  std::string text;
  for (const ScoreReport& report : reports) {
    text += fmt::format("{:>{}} = {}\n", name_and_signature(report), columns,
                        score_and_details(report, width));
  }
  return text;
}

Json to_json(const ScoreReport& report, int width) {
  const auto rounded = [width](double value) { return std::stod(fixed(value, width)); };
  Json json{{"name", report.score.name},
            {"score", rounded(report.score.value)},
            {"signature", report.signature},
            {"unrounded", report.score.value}};
  if (report.confidence) {
    json["confidence_mean"] = rounded(report.confidence->mean);
    json["confidence_var"] = rounded(report.confidence->half_width);
    json["confidence"] = confidence_text(*report.confidence, width);
  }
  if (!report.score.details.empty()) {
    json["verbose_score"] = report.score.details;
  }
  for (const ScoreFigure& figure : report.score.figures) {
    json["figures"][figure.name] = figure.kind == FigureKind::count
                                       ? Json(static_cast<std::int64_t>(figure.value))
                                       : Json(figure.value);
  }
  std::istringstream parts(report.signature);
  for (std::string part; std::getline(parts, part, '|');) {
    const std::size_t colon = part.find(':');
    json[part.substr(0, colon)] = part.substr(colon + 1);
  }
  return json;
}

std::string to_text(const SystemTable& table, int width) {
  std::vector<std::vector<std::string>> columns{{"System"}};
  columns[0].insert(columns[0].end(), table.systems.begin(), table.systems.end());
  for (const SystemTable::Column& column : table.columns) {
    std::vector<std::string>& cells = columns.emplace_back(1, heading(column));
    for (const TestResult& result : column.results) {
      cells.push_back(result_text(result, width));
    }
  }
  std::string text;
  for (std::size_t row = 0; row <= table.systems.size(); ++row) {
    std::string line;
    for (const std::vector<std::string>& cells : columns) {
      std::size_t widest = 0;
      for (const std::string& cell : cells) {
        widest = std::max(widest, columns_of(cell));
      }
      line += padded(cells[row], widest + 3);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  text += "\n";
  for (const SystemTable::Column& column : table.columns) {
    text += fmt::format("{}|{}\n", column.metric, column.signature);
  }
  return text;
}

Json to_json(const SystemTable& table) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json json = Json::array();
  for (std::size_t s = 0; s < table.systems.size(); ++s) {
    Json system{{"system", table.systems[s]}};
    for (const SystemTable::Column& column : table.columns) {
      const TestResult& result = column.results[s];
      Json& entry = system[column.metric];
      entry["score"] = result.score;
      entry["p_value"] = or_null(result.p_value);
      entry["mean"] = result.confidence ? Json(result.confidence->mean) : Json(nullptr);
      entry["ci"] = result.confidence ? Json(result.confidence->half_width) : Json(nullptr);
      entry["signature"] = column.signature;
    }
    json.push_back(std::move(system));
  }
  return json;
}

}  // namespace yona
