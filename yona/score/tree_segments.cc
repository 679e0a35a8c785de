#include "yona/score/tree_segments.h"

#include <algorithm>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/score/bracket_scan.h"
#include "yona/trees/escapes.h"
#include "yona/trees/normalise.h"
#include "yona/trees/tree_reader.h"
#include "yona/trees/tree_text.h"

namespace yona {

namespace {

bool opens_more_than_it_closes(const std::string& line) {
  return std::count(line.begin(), line.end(), '(') > std::count(line.begin(), line.end(), ')');
}

// Indented lines tell such a file from one whose first tree broke off.
bool takes_several_lines(const NamedSegments& file) {
  const auto first = std::find_if(file.lines.begin(), file.lines.end(),
                                  [](const std::string& line) { return !line.empty(); });
  return first != file.lines.end() && opens_more_than_it_closes(*first) &&
         std::any_of(first + 1, file.lines.end(), [](const std::string& line) {
           return !line.empty() && is_tree_space(line.front());
         });
}

std::string line_of(const Tree& tree) {
  std::string line = to_brackets(tree);
  if (tree.nodes()[0].label.empty()) {
    line.insert(1, kTopLabel);
  }
  return line;
}

}  // namespace

NamedSegments tree_segments(NamedSegments file) {
  if (!takes_several_lines(file)) {
    return file;
  }
  const std::string text = fmt::format("{}\n", fmt::join(file.lines, "\n"));
  TreeReader reader(open_bytes(text, file.name), file.name);
  file.lines.clear();
  for (Tree tree; reader.next(tree);) {
    file.lines.push_back(line_of(tree));
  }
  return file;
}

void check_gold_trees(const NamedSegments& file) {
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const ScannedTree tree = scan_brackets(file.lines[i]);
    check<FormatError>(tree.fault == ScannedTree::Fault::none, "{}:{}: {}", file.name, i + 1,
                       description(tree.fault));
  }
}

}  // namespace yona
