// Lines to be scored, read as yona reads any text: plain or compressed, LF alone ends a line, a
// byte-order mark is dropped. White space at the end of a line is dropped too, as sacreBLEU does.
#pragma once

#include <string>
#include <vector>

#include "yona/data/line_reader.h"
#include "yona/score/metric.h"

namespace yona {

// Throws FormatError "ref.de:17: …" for a line that is not UTF-8 or longer than
// LineReader::kLongestLine: a figure over part of the text would be no figure.
std::vector<std::string> read_segments(LineReader& reader);

struct NamedSegments {
  std::string name;  // of the file
  std::vector<std::string> lines;
};

// One reference from each file. Throws InvalidArgument naming both files when their lengths differ.
References join_references(const std::vector<NamedSegments>& files);

// The references of each line of one file, separated by tabs, as many as there are.
References split_references(const NamedSegments& file);

// Throws InvalidArgument naming both when there is not one hypothesis for each segment, or none.
void check_lengths(const NamedSegments& hypotheses, const std::string& reference_name,
                   const References& references);

}  // namespace yona
