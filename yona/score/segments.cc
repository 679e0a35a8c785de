#include "yona/score/segments.h"

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/score/unicode.h"

namespace yona {

namespace {

std::string lines_of(std::size_t count) {
  return fmt::format("{} {}", grouped(static_cast<std::int64_t>(count)),
                     count == 1 ? "line" : "lines");
}

void check_equal(const std::string& name, std::size_t lines, const std::string& other_name,
                 std::size_t other_lines) {
  check(lines == other_lines, "score: {} has {} and {} has {}; line by line they must correspond",
        name, lines_of(lines), other_name, lines_of(other_lines));
}

}  // namespace

std::vector<std::string> read_segments(LineReader& reader) {
  std::vector<std::string> segments;
  for (LineReader::Line line; reader.next(line);) {
    check<FormatError>(!line.cut, "{}:{}: the line is longer than {}", reader.name(),
                       reader.lines(),
                       short_bytes(static_cast<std::int64_t>(LineReader::kLongestLine)));
    check<FormatError>(line.valid_utf8, "{}:{}: the line is not valid UTF-8", reader.name(),
                       reader.lines());
    segments.push_back(to_utf8(strip_right(to_code_points(line.text))));
  }
  return segments;
}

References join_references(const std::vector<NamedSegments>& files) {
  References references(files.at(0).lines.size());
  for (const NamedSegments& file : files) {
    check_equal(files[0].name, files[0].lines.size(), file.name, file.lines.size());
    for (std::size_t i = 0; i < references.size(); ++i) {
      references[i].push_back(file.lines[i]);
    }
  }
  return references;
}

References split_references(const NamedSegments& file) {
  References references;
  references.reserve(file.lines.size());
  for (const std::string& line : file.lines) {
    std::vector<std::string>& segment = references.emplace_back();
    std::size_t begin = 0;
    for (std::size_t tab = line.find('\t'); tab != line.npos; tab = line.find('\t', begin)) {
      segment.push_back(line.substr(begin, tab - begin));
      begin = tab + 1;
    }
    segment.push_back(line.substr(begin));
  }
  return references;
}

void check_lengths(const NamedSegments& hypotheses, const std::string& reference_name,
                   const References& references) {
  check_equal(hypotheses.name, hypotheses.lines.size(), reference_name, references.size());
  check(!references.empty(), "score: {} and {} have no lines", hypotheses.name, reference_name);
}

}  // namespace yona
