#include "yona/study/page.h"

#include <fmt/format.h>

#include "yona/inspect/svg.h"

namespace yona {

namespace {

constexpr std::string_view kPageStyle =
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;"
    "background:#fff}table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;"
    "text-align:right;border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}"
    "svg{width:min(100%,29rem);height:auto;margin:.5rem 0}"
    "ul{padding-left:1.2rem}"
    "@media (prefers-color-scheme: dark){body{color:#ddd;background:#16181d}"
    "td,th{border-color:#444}}";

std::string html_table(const StudyTable& table) {
  std::string html = "<table>\n<tr>";
  for (const std::string& column : table.columns) {
    html += fmt::format("<th>{}</th>", xml_escaped(column));
  }
  html += "</tr>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (const std::string& cell : row) {
      html += fmt::format("<td>{}</td>", xml_escaped(cell));
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

std::string html_list(std::string_view heading, const std::vector<std::string>& sentences) {
  if (sentences.empty()) {
    return "";
  }
  std::string html = fmt::format("<h2>{}</h2>\n<ul>\n", heading);
  for (const std::string& sentence : sentences) {
    html += fmt::format("<li>{}</li>\n", xml_escaped(sentence));
  }
  return html + "</ul>\n";
}

}  // namespace

std::string html_of(const StudyKind& kind, const StudyPage& page,
                    const std::vector<std::string>& figures, const Json& study) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>{0}</title>\n<style>{1}</style>\n<h1>{0}</h1>\n"
      "<p>{2}</p>\n",
      xml_escaped(page.title), kPageStyle, xml_escaped(kind.question));
  html += html_list("What was found", page.findings);
  for (const std::string& figure : figures) {
    html += figure;
  }
  for (const StudyTable& table : page.tables) {
    html += html_table(table);
  }
  html += html_list("How it was measured", page.notes);
  html += fmt::format(
      "<p><small>yona study {}, version {}, device {}, seed {}, size {}</small></p>\n", kind.name,
      study["version"].get<std::string>(), study["device"].get<std::string>(),
      study["seed"].get<std::uint64_t>(), study["size"].get<std::string>());
  return html + "</html>\n";
}

}  // namespace yona
